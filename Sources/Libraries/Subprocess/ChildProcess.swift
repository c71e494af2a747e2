internal import Glibc
internal import Linux

/// How a process ended.
package enum ExitStatus: Hashable, Sendable, CustomStringConvertible {
  case exited(Int32)
  case signalled(Int32)

  package var isSuccess: Bool { self == .exited(0) }

  package var description: String {
    switch self {
    case .exited(let code): "exit code \(code)"
    case .signalled(let signal): "signal \(signal) (\(unsafe String(cString: strsignal(signal))))"
    }
  }
}

/// A child process with one owner. When the last reference to a child that still runs is dropped, its process group is killed and
/// the child is reaped, so no child is left behind. Use it from one thread. When the child calls `endWithParent`, the thread that
/// started it must outlive it.
package final class ChildProcess {
  package let processID: Int32
  /// A descriptor (pidfd_open) that polls readable when the process has ended.
  package var exitDescriptor: Int32 { handle.exitDescriptor }
  /// The reading end of the child's standard output; nil unless the command asks for a pipe.
  package let output: Descriptor?
  /// The reading end of the child's standard error; nil unless the command asks for a pipe.
  package let errorOutput: Descriptor?
  /// How the process ended; nil until `poll` or `wait` has seen the end.
  package private(set) var status: ExitStatus?
  /// The most memory that the process held at one time, in bytes; 0 until `poll` or `wait` has seen the end.
  package private(set) var peakMemoryBytes = 0

  private let handle: ProcessHandle
  private let leadsProcessGroup: Bool

  /// Starts `command` with posix_spawn. The child has an empty signal mask and default signal actions, and every descriptor above
  /// 2 is closed.
  ///
  /// - Parameter passed: descriptors that the child gets all the same, as 3, 4 and so on. The parent's stay open.
  package init(_ command: Command, passing passed: [Descriptor] = []) throws(SubprocessError) {
    let streams = try Streams(command)
    let started = try spawn(command, streams, passing: passed)
    do {
      // The child is not reaped yet, so its process ID is still its own.
      handle = try ProcessHandle(started)
    } catch {
      _ = kill(started, SIGKILL)
      _ = SystemCall.uninterrupted { waitpid(started, nil, 0) }
      throw error
    }
    processID = started
    (output, errorOutput) = (streams.output.near, streams.errorOutput.near)
    leadsProcessGroup = command.leadsProcessGroup || command.leadsSession
  }

  deinit {
    guard status == nil else { return }
    signal(SIGKILL)
    _ = SystemCall.uninterrupted { waitpid(processID, nil, 0) }
  }

  /// The status if the process has ended, else nil. Never blocks.
  package func poll() throws(SubprocessError) -> ExitStatus? { try reap(WNOHANG) }

  /// Blocks until the process ends.
  package func wait() throws(SubprocessError) -> ExitStatus {
    while true {
      if let status = try reap(0) { return status }
    }
  }

  /// Sends a signal to the process or, when it leads a process group, to the group. Does nothing once the process is reaped,
  /// because another process may have its ID by then.
  package func signal(_ number: Int32) {
    guard status == nil else { return }
    // The process is not reaped yet, so no other process or group can have its ID.
    if leadsProcessGroup { _ = kill(-processID, number) }
    // The process may have left its group, so SIGKILL is sent to the process itself as well.
    if !leadsProcessGroup || number == SIGKILL { _ = kill(processID, number) }
  }

  private func reap(_ options: Int32) throws(SubprocessError) -> ExitStatus? {
    if let status { return status }
    var raw: Int32 = 0
    var usage = rusage()
    let reaped = SystemCall.uninterrupted { unsafe wait4(processID, &raw, options, &usage) }
    if reaped == 0 { return nil }
    guard reaped == processID else { throw SubprocessError("wait4", errno) }
    peakMemoryBytes = usage.ru_maxrss << 10
    // The macros WIFEXITED, WEXITSTATUS and WTERMSIG of wait(2).
    status = raw & 0x7f == 0 ? .exited((raw >> 8) & 0xff) : .signalled(raw & 0x7f)
    return status
  }
}
