/// What to start, and how: everything a child process gets, nothing inherited by accident.
package struct Command: Sendable {
  package enum Input: Sendable {
    case null
    /// The child reads these bytes and then the end; no pipe, so nobody has to write while it reads. It cannot change them.
    case bytes([UInt8])
    case inherited
  }

  package enum Output: Sendable {
    case null, inherited
    /// Read from `ChildProcess.output` or `.errorOutput`, which do not block.
    case pipe
    /// Appended to; made when missing, mode 0640. A link is refused.
    case file(String)
  }

  /// A path; PATH is not searched.
  package var executable: String
  /// Without the executable's own name.
  package var arguments: [String]
  /// The whole environment.
  package var environment: [String: String]
  /// Nil is the parent's.
  package var workingDirectory: String?
  package var input: Input
  package var output: Output
  package var errorOutput: Output
  /// Whether the child leads a new process group, so that signals reach its descendants and a terminal's ^C does not reach it.
  package var leadsProcessGroup: Bool
  /// Whether it leads a new session as well: without a terminal, and in a group that nobody outside can join.
  package var leadsSession = false

  package init(
    _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:], workingDirectory: String? = nil,
    input: Input = .null, output: Output = .inherited, errorOutput: Output = .inherited, leadsProcessGroup: Bool = true
  ) {
    (self.executable, self.arguments, self.environment) = (executable, arguments, environment)
    (self.workingDirectory, self.input, self.output) = (workingDirectory, input, output)
    (self.errorOutput, self.leadsProcessGroup) = (errorOutput, leadsProcessGroup)
  }
}
