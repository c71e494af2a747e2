package import Messages
package import Timeline

extension JobSpec {
  /// The edit as it was submitted.
  ///
  /// - Throws: `DocumentFaults`.
  package var edit: ResolvedTimeline {
    get throws {
      let facts = Dictionary(uniqueKeysWithValues: facts.map { (AssetID($0.key), $0.value) })
      return try Timeline.parse(Array(document.utf8)).resolved(with: facts)
    }
  }
}
