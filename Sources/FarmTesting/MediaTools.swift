internal import Subprocess

/// FFmpeg's own command line: what tests compare our reading and writing with.
package enum MediaTools {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
    package init(description: String) { self.description = description }
  }

  /// Long enough for any test's clip on a busy machine.
  private static let timeoutMilliseconds: Int32 = 120_000

  /// Runs `ffmpeg -v error -y` with the arguments; its standard output. Throws `Failure` unless it ends with 0.
  @discardableResult
  package static func ffmpeg(_ arguments: [String], input: [UInt8]? = nil) throws -> String {
    try run("/usr/bin/ffmpeg", ["-v", "error", "-y"] + (input == nil ? ["-nostdin"] : []) + arguments, input)
  }

  /// Runs `ffprobe -v error` with the arguments; its standard output. Throws `Failure` unless it ends with 0.
  package static func ffprobe(_ arguments: [String]) throws -> String {
    try run("/usr/bin/ffprobe", ["-v", "error"] + arguments, nil)
  }

  private static func run(_ tool: String, _ arguments: [String], _ input: [UInt8]?) throws -> String {
    let command = Command(tool, arguments, input: input.map { .bytes($0) } ?? .null)
    let line = ([tool] + arguments).joined(separator: " ")
    guard let completed = try command.run(timeoutMilliseconds: timeoutMilliseconds, limit: 8 << 20) else {
      throw Failure(description: "\(line): not finished in time")
    }
    guard completed.status.isSuccess else { throw Failure(description: "\(line): \(completed.status): \(completed.errorOutput)") }
    return completed.output
  }
}
