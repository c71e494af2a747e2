internal import FoundationEssentials
package import Subprocess

/// The built program, run as a user runs it.
package enum SpoolProgram {
  /// Beside the tests: the build puts both into one folder.
  package static let executable = built("spool")
  /// A spool with compositors of its own (`Sources/CompositorProgram`).
  package static let withCompositors = built("CompositorProgram")

  private static func built(_ name: String) -> String {
    // Without it the runs fail, and name what they tried to run.
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().appending(path: name).path
  }

  /// A render of a few seconds' film takes a few seconds; a hang fails instead of blocking the suite.
  static let timeoutMilliseconds: Int32 = 180_000

  package struct Hang: Error { package let arguments: [String] }

  /// - Parameters:
  ///   - folder: where it runs; its home, too.
  ///   - environment: over that of `command`.
  /// - Throws: `Hang` when it does not end.
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

  /// With an environment of its own, so that the tester's settings change nothing; ends with the tests.
  package static func command(
    _ arguments: [String], folder: String? = nil, environment: [String: String] = [:], executable: String = executable
  ) -> Command {
    let own = ["PATH": "/usr/bin:/bin", "HOME": folder ?? "/nonexistent", "LC_ALL": "C.UTF-8"]
    return Command(executable, arguments, environment: own.merging(environment) { $1 }, workingDirectory: folder)
      .endingWithTests()
  }
}

extension Completed {
  /// What the program returned; nil when a signal ended it.
  package var code: Int32? { if case .exited(let code) = status { code } else { nil } }

  /// Of standard output.
  package var lines: [Substring] { output.split(separator: "\n") }
}
