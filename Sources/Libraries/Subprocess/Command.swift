/// A program to start, with everything that the child process gets. The child inherits nothing that is not named here.
package struct Command: Sendable {
  package enum Input: Sendable {
    case null
    /// The child reads these bytes from a file in memory and then meets the end. Nobody has to write while it reads, as with a
    /// pipe. The child cannot change the bytes.
    case bytes([UInt8])
    case inherited
  }

  package enum Output: Sendable {
    case null, inherited
    /// The stream is read from `ChildProcess.output` or `.errorOutput`, which do not block.
    case pipe
    /// The stream is appended to this file. A missing file is made, with mode 0640. A symbolic link is refused.
    case file(String)
  }

  /// The path of the program. PATH is not searched.
  package var executable: String
  /// The arguments, without the program's own name.
  package var arguments: [String]
  /// The child's whole environment.
  package var environment: [String: String]
  /// The folder in which the child starts; nil for the parent's.
  package var workingDirectory: String?
  package var input: Input
  package var output: Output
  package var errorOutput: Output
  /// Whether the child leads a new process group. Signals then reach its descendants, and a terminal's ^C does not reach it.
  package var leadsProcessGroup: Bool
  /// Whether the child leads a new session as well. It then has no terminal, and its process group is one that no process outside
  /// the session can join.
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
