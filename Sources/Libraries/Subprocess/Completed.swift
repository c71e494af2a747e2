internal import Glibc
internal import Linux

/// A command that ran to its end, and the last bytes that it wrote, as text.
package struct Completed: Sendable {
  package let status: ExitStatus
  package let output: String
  package let errorOutput: String

  package init(status: ExitStatus, output: String, errorOutput: String) {
    (self.status, self.output, self.errorOutput) = (status, output, errorOutput)
  }
}

extension Command {
  /// Runs the command to its end and keeps the last `limit` bytes of each output stream. Both output streams are made pipes,
  /// whatever the command says.
  ///
  /// - Parameter patience: called at least every tenth of a second while the command runs; returning false ends the wait.
  /// - Returns: nil when the command did not end within `timeoutMilliseconds`, or when `patience` returned false. The command is
  ///   then killed.
  package func run(
    timeoutMilliseconds: Int32, limit: Int = 1 << 20, patience: () -> Bool = { true }
  ) throws(SubprocessError) -> Completed? {
    var command = self
    (command.output, command.errorOutput) = (.pipe, .pipe)
    let child = try ChildProcess(command)
    guard let output = child.output, let errorOutput = child.errorOutput else { preconditionFailure("both streams are pipes") }
    var (said, complained) = (TailReader(output, limit: limit), TailReader(errorOutput, limit: limit))
    let deadline = MonotonicClock.milliseconds + Int64(timeoutMilliseconds)
    // Descendants may hold the pipes open for longer, so the wait is for the child's own end.
    while true {
      let status = try child.poll()
      try said.read()
      try complained.read()
      if let status { return Completed(status: status, output: said.text, errorOutput: complained.text) }
      let rest = deadline - MonotonicClock.milliseconds
      guard rest > 0, patience() else { return nil }
      // A stream that is at its end would always poll readable, so it is left out.
      let streams = (said.isAtEnd ? [] : [output.number]) + (complained.isAtEnd ? [] : [errorOutput.number])
      guard Readiness.waitToRead([child.exitDescriptor] + streams, within: .milliseconds(min(rest, 100))) != nil else {
        throw SubprocessError("poll", errno)
      }
    }
  }
}
