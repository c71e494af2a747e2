internal import Formats
package import Media
internal import Messages
package import Scenes
package import Timeline

/// The key of a segment: a digest of all that it depends on. Equal keys mean equal frames, or equal samples (decision 0174).
///
/// It is made by exclusion: of the segment's content, which the edit alone decides, and of the facts and the state of each source that the content
/// shows.
package struct SegmentKey {
  /// The key as 32 lower-case hexadecimal digits.
  package let text: String
  private let states: [AssetID: SourceState]

  /// Makes the key of a segment of an edit.
  ///
  /// - Parameter known: the states of sources, where they are known.
  /// - Returns: nil where the state of a source cannot be told: a large file that was changed a moment ago.
  /// - Throws: an error that keeps the segment from being rendered, too.
  package init?(
    of content: SegmentContent, _ edit: ResolvedTimeline, _ policy: SourcePolicy, knowing known: [AssetID: SourceState] = [:]
  ) throws {
    guard let states = try Self.states(of: content.assets, edit, policy, knowing: known) else { return nil }
    var digest = try KeyDigest("segment 1")
    digest.add(content.digest)
    for asset in content.assets {
      digest.add(asset.rawValue)
      try digest.add(value: edit.facts[asset])
      digest.add(states[asset]?.description ?? "")
    }
    (text, self.states) = (digest.text, states)
  }

  /// Whether all sources are still as they were when the key was made.
  func holds(for edit: ResolvedTimeline, _ policy: SourcePolicy) -> Bool {
    // A source that cannot be read any more is not what it was.
    (try? Self.states(of: states.keys.sorted(), edit, policy)) == states
  }

  private static func states(
    of assets: [AssetID], _ edit: ResolvedTimeline, _ policy: SourcePolicy, knowing known: [AssetID: SourceState] = [:]
  ) throws(MediaError) -> [AssetID: SourceState]? {
    var states: [AssetID: SourceState] = [:]
    for id in assets {
      states[id] = if let state = known[id] { state } else { try state(of: id, edit, policy) }
      if states[id] == nil { return nil }
    }
    return states
  }

  /// The state that a source has now; nil where it cannot be told.
  static func state(of asset: AssetID, _ edit: ResolvedTimeline, _ policy: SourcePolicy) throws(MediaError) -> SourceState? {
    switch edit.timeline.assets[asset] {
    case .file(let path): try policy.state(of: path)
    case .remote(let url): policy.state(of: url)
    case .embedded(let data): try policy.state(of: data)
    case nil: nil
    }
  }
}
