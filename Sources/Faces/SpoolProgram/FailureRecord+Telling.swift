import Operations
import Terminal
import Timeline

extension FailureRecord {
  /// Runs a verb's work. When it fails and `json` is set, prints the failure on standard output. Throws the error in any case.
  ///
  /// - Parameter work: the verb's work. It stores the document's assets in its argument once they are known.
  static func telling(if json: Bool, _ work: (inout [(id: AssetID, path: String)]) throws -> Void) throws {
    var assets: [(id: AssetID, path: String)] = []
    do {
      try work(&assets)
    } catch {
      if json {
        // When standard output cannot be written, the exit code and standard error still tell of the failure.
        try? StandardStream.output.json(FailureRecord(Complaint(ofVerb: error).located(among: assets)))
      }
      throw error
    }
  }

  /// Runs a verb whose operation names the asset at fault itself.
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
