extension Timeline {
  /// Reads a document of version 1 (docs/document.md).
  ///
  /// - Throws: every fault of the document, each with its path; for a text that is not JSON only the first, with its
  ///   line and column.
  package static func parse(_ json: [UInt8]) throws(DocumentFaults) -> Timeline {
    var reader = DocumentReader()
    guard json.count <= DocumentLimits.byteCount else {
      throw DocumentFaults("the document is larger than \(DocumentLimits.byteCount >> 20) MiB")
    }
    let value: JSONValue
    do {
      value = try JSONReader.read(json)
    } catch {
      throw DocumentFaults("line \(error.line), column \(error.column): \(error.message)", at: error.path)
    }
    return try reader.read(value)
  }

  /// The document in canonical form: keys sorted, no spaces, times in lowest terms, what is as usual left out. Equal
  /// edits have equal bytes, and `Timeline.parse` gives the edit back.
  ///
  /// - Precondition: every number in the timeline is finite.
  package func canonicalJSON() -> [UInt8] { DocumentWriter(self).document().canonicalBytes() }
}
