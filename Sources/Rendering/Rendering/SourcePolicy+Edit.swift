package import Formats
package import Media
package import Scenes
package import Timeline

extension SourcePolicy {
  /// The same policy, under which a source behind a URL must be what it was when the edit's assets were probed.
  package func pinned(to edit: ResolvedTimeline) -> SourcePolicy {
    var policy = self
    policy.knownVersions = edit.timeline.versions(in: edit.facts).mapValues(\.version)
    return policy
  }

  /// The paths of the edit's media files, with links resolved. Only assets that were probed and may be opened are among them.
  package func files(of edit: ResolvedTimeline) -> [String] {
    edit.facts.keys.compactMap { id in
      // A refusal is reported when the file is opened.
      if case .file(let path) = edit.timeline.assets[id] { try? resolve(path) } else { nil }
    }
  }
}

extension Timeline {
  /// The versions that were found behind the URLs of those assets that were probed.
  package func versions(in facts: [AssetID: AssetFacts]) -> [MediaURL: (asset: AssetID, version: RemoteVersion)] {
    var versions: [MediaURL: (asset: AssetID, version: RemoteVersion)] = [:]
    // If several assets have one URL, the first of them is named.
    for (id, asset) in assets.sorted(by: { $0.key > $1.key }) {
      guard case .remote(let url) = asset, let known = facts[id], let tag = known.version else { continue }
      versions[url] = (id, RemoteVersion(byteCount: known.byteCount, tag: tag))
    }
    return versions
  }
}
