extension Timeline {
  /// Reads a document that says all by itself, as the canonical form does.
  ///
  /// - Throws: every fault of the document, each with its path; for a text that is not JSON only the first, with its
  ///   line and column. Also where its meaning depends on what its assets are.
  package static func parse(_ json: [UInt8]) throws(DocumentFaults) -> Timeline {
    try Document.edit(json)
  }

  /// The document in canonical form: keys sorted, no spaces, times in lowest terms, what is as usual left out. Equal
  /// edits have equal bytes, and `Timeline.parse` gives the edit back.
  ///
  /// - Precondition: every number in the timeline is finite.
  package func canonicalJSON() -> [UInt8] { DocumentWriter(self).document().canonicalBytes() }
}
