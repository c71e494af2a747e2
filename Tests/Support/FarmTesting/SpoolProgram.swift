internal import FoundationEssentials
package import Subprocess

/// The built program, run as a user runs it.
package enum SpoolProgram {
  /// The path of spool. The build puts it into the folder of the tests.
  package static let executable = built("spool")
  /// The path of a spool with compositors of its own (`Tests/Support/CompositorProgram`).
  package static let withCompositors = built("CompositorProgram")

  private static func built(_ name: String) -> String {
    // If the link cannot be read, the runs fail and name the path that they tried.
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().appending(path: name).path
  }

  /// The time limit of a run. Rendering a film of a few seconds takes a few seconds. A hang fails instead of blocking the suite.
  static let timeoutMilliseconds: Int32 = 180_000

  package struct Hang: Error { package let arguments: [String] }

  /// Runs the program.
  ///
  /// - Parameters:
  ///   - folder: its working folder, which is its home, too.
  ///   - environment: variables that are added to those of `command`, or replace them.
  /// - Throws: `Hang` when it does not end in time.
  package static func run(
    _ arguments: [String], input: String = "", folder: String? = nil, environment: [String: String] = [:],
    executable: String = executable
  ) throws -> Completed {
    var command = command(arguments, folder: folder, environment: environment, executable: executable)
    command.input = .bytes(Array(input.utf8))
    guard let done = try command.run(timeoutMilliseconds: timeoutMilliseconds, limit: 8 << 20) else {
      throw Hang(arguments: arguments)
    }
    return done
  }

  package static func run(
    _ arguments: String..., input: String = "", folder: String? = nil, environment: [String: String] = [:]
  ) throws -> Completed {
    try run(arguments, input: input, folder: folder, environment: environment)
  }

  /// The command that runs the program. It has an environment of its own, so that the user's settings change nothing, and ends
  /// with the tests.
  package static func command(
    _ arguments: [String], folder: String? = nil, environment: [String: String] = [:], executable: String = executable
  ) -> Command {
    let own = ["PATH": "/usr/bin:/bin", "HOME": folder ?? "/nonexistent", "LC_ALL": "C.UTF-8"]
    return Command(executable, arguments, environment: own.merging(environment) { $1 }, workingDirectory: folder)
      .endingWithTests()
  }
}

extension Completed {
  /// The program's exit code; nil when a signal ended it.
  package var code: Int32? { if case .exited(let code) = status { code } else { nil } }

  /// The lines of standard output, without empty ones.
  package var lines: [Substring] { output.split(separator: "\n") }
}
