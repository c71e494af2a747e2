internal import Glibc
package import Subprocess

/// The program run with fewer rights, and on disks of its own.
extension SpoolProgram {
  /// Whether it can be run without root's rights: its files may lie where nobody else can go.
  package static var runsAsOrdinaryUser: Bool {
    get throws { try geteuid() != 0 || runAsOrdinaryUser(["--version"], folder: "/").status == .exited(0) }
  }

  /// Runs it as the user nobody, or as ourselves when we are not root.
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

  /// Whether this machine lets us mount.
  package static var runsWithMounts: Bool {
    get throws {
      try finished(Command("/usr/bin/unshare", ["--mount", "/bin/mount", "-t", "tmpfs", "tmpfs", "/mnt"])).status == .exited(0)
    }
  }

  /// Runs it with a tmpfs that nobody else sees and that goes with it.
  ///
  /// - Parameters:
  ///   - mount: mount(8)'s options, source and folder.
  ///   - closing: a line of bash that is run in `folder` afterwards.
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
