internal import Messages

/// The limit that an attempt had reached when the kernel killed it for memory.
package enum MemoryShortage: Hashable, Sendable {
  /// The attempt's own limit, in MiB.
  case limit(mebibytes: Int)
  /// The memory of the machine, or of the worker as a whole.
  case machine
}

/// The end of an attempt's process, with the last lines that it wrote to its standard error.
package enum AttemptEnd: Hashable, Sendable {
  case exited(Int32, lastWords: String)
  case signalled(Int32, lastWords: String)
  case killedForMemory(MemoryShortage, heldMebibytes: Int)
  case notStarted(reason: String)

  /// SIGKILL on Linux. When the worker did not send it, the kernel did, because memory ran out.
  private static let kill: Int32 = 9
  /// SIGXFSZ on Linux.
  private static let fileTooLarge: Int32 = 25

  /// The failure that this end stands for; nil for a process that exited with 0.
  func failure(at place: String) -> Failure? {
    switch self {
    case .exited(0, _): nil
    case .exited(let code, let lastWords):
      Failure(.bug, at: place, "the attempt ended with exit code \(code)\(Self.quote(lastWords))")
    case .signalled(Self.kill, _): Failure(.worker, at: place, "the attempt was killed; out of memory?")
    case .signalled(Self.fileTooLarge, _): Failure(.worker, at: place, "the attempt wrote a file larger than it may")
    case .signalled(let signal, let lastWords):
      Failure(.bug, at: place, "the attempt crashed with signal \(signal)\(Self.quote(lastWords))")
    case .killedForMemory(.limit(let limit), _):
      Failure(.worker, at: place, "out of memory: the attempt wanted more than the \(limit) MiB that it may have; killed")
    case .killedForMemory(.machine, let held):
      Failure(.worker, at: place, "out of memory: the worker's machine had no more; killed while it held \(held) MiB")
    case .notStarted(let reason): Failure(.worker, at: place, "the attempt cannot be started: \(reason)")
    }
  }

  private static func quote(_ lastWords: String) -> String {
    let lines = lastWords.split(whereSeparator: \.isNewline).suffix(20)
    return lines.isEmpty ? "" : ": " + lines.joined(separator: "\n")
  }
}
