internal import FoundationEssentials
package import Subprocess

/// The built program, run as a user runs it.
package enum SpoolProgram {
  /// Beside the tests: the build puts both into one folder.
  package static let executable: String = {
    // Without it the runs fail, and name what they tried to run.
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(filePath: tests).deletingLastPathComponent().appending(path: "spool").path
  }()

  /// A render of a few seconds' film takes a few seconds; a hang fails instead of blocking the suite.
  private static let timeoutMilliseconds: Int32 = 180_000

  package struct Hang: Error { package let arguments: [String] }

  /// - Throws: `Hang` when it does not end.
  package static func run(_ arguments: [String]) throws -> Completed {
    guard let done = try command(arguments).run(timeoutMilliseconds: timeoutMilliseconds, limit: 8 << 20) else {
      throw Hang(arguments: arguments)
    }
    return done
  }

  /// With an environment of its own, so that the tester's settings change nothing.
  package static func command(_ arguments: [String]) -> Command {
    Command(executable, arguments, environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"])
  }
}
