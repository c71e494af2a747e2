internal import Glibc

/// A command that ran to its end, and the last it wrote.
package struct Completed: Sendable {
  package let status: ExitStatus
  package let output: String
  package let errorOutput: String

  package init(status: ExitStatus, output: String, errorOutput: String) {
    (self.status, self.output, self.errorOutput) = (status, output, errorOutput)
  }
}

extension Command {
  /// Runs the command to its end, keeping the last `limit` bytes of each output stream; its streams are pipes whatever was set.
  ///
  /// - Parameter patience: asked every tenth of a second while the command runs; false ends the wait.
  /// - Returns: nil when it did not end within `timeoutMilliseconds`, or the patience; it is killed then.
  package func run(
    timeoutMilliseconds: Int32, limit: Int = 1 << 20, patience: () -> Bool = { true }
  ) throws(SubprocessError) -> Completed? {
    var command = self
    (command.output, command.errorOutput) = (.pipe, .pipe)
    let child = try ChildProcess(command)
    guard let output = child.output, let errorOutput = child.errorOutput else { preconditionFailure("both streams are pipes") }
    var (said, complained) = (TailReader(output, limit: limit), TailReader(errorOutput, limit: limit))
    let deadline = monotonicMilliseconds() + Int64(timeoutMilliseconds)
    // Descendants may hold the pipes open: the child's own end is what counts.
    while true {
      let status = try child.poll()
      try said.read()
      try complained.read()
      if let status { return Completed(status: status, output: said.text, errorOutput: complained.text) }
      let rest = deadline - monotonicMilliseconds()
      guard rest > 0, patience() else { return nil }
      // A stream at its end would poll readable for ever.
      var entries = [pollfd(fd: child.exitDescriptor, events: Int16(POLLIN), revents: 0)]
      if !said.isAtEnd { entries.append(pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)) }
      if !complained.isAtEnd { entries.append(pollfd(fd: errorOutput.number, events: Int16(POLLIN), revents: 0)) }
      guard unsafe Glibc.poll(&entries, nfds_t(entries.count), Int32(min(rest, 100))) >= 0 || errno == EINTR else {
        throw SubprocessError("poll", errno)
      }
    }
  }
}

private func monotonicMilliseconds() -> Int64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}
