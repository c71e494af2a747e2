internal import Glibc

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

/// A child process, owned: whoever drops the last reference to one that still runs kills its group and reaps it, so
/// no child is left behind. Belongs to one thread; the thread that starts a child must outlive it when the child asks
/// for `endsWithParent`.
package final class ChildProcess {
  package let processID: Int32
  /// Polls readable when the process has ended (pidfd_open).
  package var exitDescriptor: Int32 { handle.exitDescriptor }
  /// The reading end of standard output, when it is a pipe.
  package let output: Descriptor?
  /// The reading end of standard error, when it is a pipe.
  package let errorOutput: Descriptor?
  /// Nil until `poll` or `wait` saw the end.
  package private(set) var status: ExitStatus?
  /// The most memory that it held at a time, once the end was seen.
  package private(set) var peakMemoryBytes = 0

  private let handle: ProcessHandle
  private let leadsProcessGroup: Bool

  /// Starts `command` (posix_spawn): signal mask empty, signal actions default, every descriptor above 2 closed.
  ///
  /// - Parameter passed: what the child has as its descriptors 3, 4 and so on, nevertheless; the parent's stay open.
  package init(_ command: Command, passing passed: [Descriptor] = []) throws(SubprocessError) {
    let streams = try Streams(command)
    let started = try spawn(command, streams, passing: passed)
    do {
      // Not reaped yet, so the number is still its own.
      handle = try ProcessHandle(started)
    } catch {
      _ = kill(started, SIGKILL)
      _ = waitpid(started, nil, 0)
      throw error
    }
    processID = started
    (output, errorOutput) = (streams.output.near, streams.errorOutput.near)
    leadsProcessGroup = command.leadsProcessGroup || command.leadsSession
  }

  deinit {
    guard status == nil else { return }
    signal(SIGKILL)
    _ = waitpid(processID, nil, 0)
  }

  /// The status if the process has ended; never blocks.
  package func poll() throws(SubprocessError) -> ExitStatus? { try reap(WNOHANG) }

  /// Blocks until the process ends.
  package func wait() throws(SubprocessError) -> ExitStatus {
    while true {
      if let status = try reap(0) { return status }
    }
  }

  /// Sends a signal to the process, and to its group when it leads one. Does nothing once the process was reaped: its number may
  /// be another's by then.
  package func signal(_ number: Int32) {
    guard status == nil else { return }
    // The process is not reaped yet, so neither its number nor its group's can have been given away.
    if leadsProcessGroup { _ = kill(-processID, number) }
    // It may have left its group.
    if !leadsProcessGroup || number == SIGKILL { _ = kill(processID, number) }
  }

  private func reap(_ options: Int32) throws(SubprocessError) -> ExitStatus? {
    if let status { return status }
    var raw: Int32 = 0
    var usage = rusage()
    let reaped = unsafe wait4(processID, &raw, options, &usage)
    if reaped == 0 || (reaped < 0 && errno == EINTR) { return nil }
    guard reaped == processID else { throw SubprocessError("wait4", errno) }
    peakMemoryBytes = usage.ru_maxrss << 10
    // The macros WIFEXITED, WEXITSTATUS and WTERMSIG of wait(2).
    status = raw & 0x7f == 0 ? .exited((raw >> 8) & 0xff) : .signalled(raw & 0x7f)
    return status
  }
}
