internal import Subprocess

/// The words that a program says while it runs: lines on its standard output, and complaints on its standard error. Whoever waits for a
/// program reads them meanwhile, because a program whose pipe is full waits itself.
struct ProgramWords {
  private let output: Descriptor
  private let errorOutput: Descriptor
  private var lines: LineReader
  private var complaintReader: TailReader

  /// The longest line of JSON that is read, in bytes: a document has at most 200 faults.
  private static let lineLimit = 1 << 20

  /// - Parameter child: a child whose two streams are pipes.
  init(of child: ChildProcess) {
    guard let output = child.output, let errorOutput = child.errorOutput else { preconditionFailure("both streams are pipes") }
    (self.output, self.errorOutput) = (output, errorOutput)
    (lines, complaintReader) = (LineReader(output, limit: Self.lineLimit), TailReader(errorOutput, limit: 65_536))
  }

  /// The end of what was said on the standard error so far.
  var complaints: String { complaintReader.text }

  /// The descriptors of the streams that have not ended.
  var open: [Int32] {
    (lines.isAtEnd ? [] : [output.number]) + (complaintReader.isAtEnd ? [] : [errorOutput.number])
  }

  /// Reads what has been said. It does not wait.
  ///
  /// - Parameter line: is given each whole line of the standard output.
  mutating func read(_ line: (String) -> Void) throws(SubprocessError) {
    for case .text(let text) in try lines.read() { line(text) }
    try complaintReader.read()
  }
}
