internal import Glibc
package import Subprocess

/// Runs of the program with fewer rights, or with file systems of their own.
extension SpoolProgram {
  /// Whether the program can run without root's rights. Its files may be where only root can go.
  package static var runsAsOrdinaryUser: Bool {
    get throws { try geteuid() != 0 || runAsOrdinaryUser(["--version"], folder: "/").status == .exited(0) }
  }

  /// Runs the program as the user nobody; as the current user if that is not root.
  package static func runAsOrdinaryUser(
    _ arguments: [String], folder: String, environment: [String: String] = [:]
  ) throws -> Completed {
    var command = command(arguments, folder: folder, environment: environment)
    if geteuid() == 0 {
      let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
      command.arguments = nobody + [command.executable] + command.arguments
      command.executable = "/usr/bin/setpriv"
    }
    return try finished(command)
  }

  /// Whether this machine lets the tests mount file systems.
  package static var runsWithMounts: Bool {
    get throws {
      try finished(Command("/usr/bin/unshare", ["--mount", "/bin/mount", "-t", "tmpfs", "tmpfs", "/mnt"])).status == .exited(0)
    }
  }

  /// Runs the program with a tmpfs that only it sees and that disappears with it.
  ///
  /// - Parameters:
  ///   - mount: mount(8)'s options, source and folder.
  ///   - closing: a line of bash that runs in `folder` afterwards.
  package static func run(
    _ arguments: [String], mounting mount: [String], folder: String, closing: String = ":"
  ) throws -> Completed {
    var command = command(arguments, folder: folder)
    let script =
      #"count=$1; shift; mount -t tmpfs "${@:1:count}"; shift "$count"; code=0; "$@" || code=$?; \#(closing); exit $code"#
    command.arguments =
      ["--mount", "/bin/bash", "-ec", script, "bash", String(mount.count)] + mount + [command.executable] + command.arguments
    command.executable = "/usr/bin/unshare"
    return try finished(command)
  }

  private static func finished(_ command: Command) throws -> Completed {
    guard let done = try command.run(timeoutMilliseconds: timeoutMilliseconds) else { throw Hang(arguments: command.arguments) }
    return done
  }
}
