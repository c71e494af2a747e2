internal import JSON
package import Timeline

extension Timeline {
  /// Reads a document whose meaning does not depend on its assets, such as one in canonical form.
  ///
  /// - Throws: every fault of the document, each with its path. For a text that is not JSON it is the first fault only, with its
  ///   line and column. A document whose meaning depends on its assets is a fault too.
  package static func parse(_ json: [UInt8]) throws(DocumentFaults) -> Timeline {
    try Document.edit(json)
  }

  /// The document in canonical form: keys are sorted, there are no spaces, times are in lowest terms, and usual values are left
  /// out. Equal edits have equal bytes, and `Timeline.parse` gives the edit back.
  ///
  /// - Precondition: every number in the timeline is finite.
  package func canonicalJSON() -> [UInt8] { DocumentWriter(self).document().canonicalBytes() }
}
