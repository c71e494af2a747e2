import FoundationEssentials
import Subprocess

/// The built program, run as a user runs it.
enum Spool {
  /// Beside the tests: the build puts both into one folder.
  static let executable: String = {
    // Without it the runs fail, and name what they tried to run.
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().appending(path: "spool").path
  }()

  struct Run {
    let code: Int32?
    let output: String
    let errors: String

    var lines: [Substring] { output.split(separator: "\n") }
  }

  /// No verb under test here takes longer than a second; a hang fails instead of blocking the suite.
  private static let timeoutMilliseconds: Int32 = 60_000

  static func run(
    _ arguments: String..., input: String = "", folder: String? = nil, environment: [String: String] = [:]
  ) throws -> Run {
    try run(arguments, input: input, folder: folder, environment: environment)
  }

  static func run(
    _ arguments: [String], input: String = "", folder: String? = nil, environment: [String: String] = [:]
  ) throws -> Run {
    var command = Command(executable, arguments, workingDirectory: folder, input: .bytes(Array(input.utf8)))
    command.environment = ["PATH": "/usr/bin:/bin", "HOME": folder ?? "/nonexistent"].merging(environment) { $1 }
    guard let done = try command.run(timeoutMilliseconds: timeoutMilliseconds) else { throw Hang(arguments: arguments) }
    let code: Int32? = if case .exited(let code) = done.status { code } else { nil }
    return Run(code: code, output: done.output, errors: done.errorOutput)
  }

  struct Hang: Error { let arguments: [String] }
}
