import Operations
import Terminal

extension FailureRecord {
  /// Runs a verb's work. When it fails and `json` is set, prints the failure on standard output. Throws the error in any case.
  static func telling(if json: Bool, _ work: () throws -> Void) throws {
    do {
      try work()
    } catch {
      if json {
        // When standard output cannot be written, the exit code and standard error still tell of the failure.
        try? StandardStream.output.json(FailureRecord(Complaint(ofVerb: error)))
      }
      throw error
    }
  }
}
