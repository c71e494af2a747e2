package import Media
package import Timeline

extension SourcePolicy {
  /// The same, holding sources behind URLs to what they were when the edit's assets were probed.
  package func pinned(to edit: ResolvedTimeline) -> SourcePolicy {
    var policy = self
    policy.knownVersions = edit.timeline.versions(in: edit.facts).mapValues(\.version)
    return policy
  }

  /// The files that an edit's media are, without links: those that it was probed with and that may be opened.
  package func files(of edit: ResolvedTimeline) -> [String] {
    edit.facts.keys.compactMap { id in
      // What is refused is told when it is opened.
      if case .file(let path) = edit.timeline.assets[id] { try? resolve(path) } else { nil }
    }
  }
}

extension Timeline {
  /// What was found behind the URLs of those assets that were probed.
  package func versions(in facts: [AssetID: AssetFacts]) -> [MediaURL: (asset: AssetID, version: RemoteVersion)] {
    var versions: [MediaURL: (asset: AssetID, version: RemoteVersion)] = [:]
    // Of several names of one URL the first one is told.
    for (id, asset) in assets.sorted(by: { $0.key > $1.key }) {
      guard case .remote(let url) = asset, let known = facts[id], let tag = known.version else { continue }
      versions[url] = (id, RemoteVersion(byteCount: known.byteCount, tag: tag))
    }
    return versions
  }
}
