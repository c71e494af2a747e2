internal import FoundationEssentials
internal import Subprocess

/// A call of the program that failed, with what the program says of it (docs/cli.md).
package struct CallFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// One fault, with its place in the document or its file.
  package struct Fault: Hashable, Sendable, Codable {
    package var path: String
    package var text: String
    package var suggestion: String?
  }

  /// The program's exit code; nil where it could not be started, or was ended by a signal.
  package let exitCode: Int32?
  package let faults: [Fault]
  /// The asset at fault, by its name in the document, and the time in it in seconds; nil where the program names none.
  package let asset: String?
  package let time: String?

  package var description: String {
    faults.map { ([$0.path, $0.text].filter { !$0.isEmpty }).joined(separator: ": ") }.joined(separator: "\n")
  }

  package init(_ reason: String) {
    (exitCode, asset, time) = (nil, nil, nil)
    faults = [Fault(path: "", text: reason)]
  }

  /// - Parameters:
  ///   - record: the last line of the program's standard output. With --json, it tells of the failure.
  ///   - complaints: the end of its standard error.
  init(_ status: ExitStatus, record: String, complaints: String) {
    exitCode = if case .exited(let code) = status { code } else { nil }
    // A line that is no such record is nothing that is lost: standard error says the same.
    let record = try? JSONDecoder().decode(Record.self, from: Data(record.utf8))
    (asset, time) = (record?.asset, record?.time)
    let words = complaints.split(separator: "\n").filter { $0.hasPrefix("error: ") }.map { String($0.dropFirst(7)) }
    faults = record?.faults ?? [Fault(path: "", text: words.isEmpty ? "spool: \(status)" : words.joined(separator: "\n"))]
  }

  private struct Record: Decodable {
    var faults: [Fault]
    var asset: String?
    var time: String?
  }
}
