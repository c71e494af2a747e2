internal import Formats
internal import Linux
internal import Media
internal import Messages
internal import Scenes
internal import Timeline

/// An edit with the keys of its segments, for those who ask for many of them at once.
struct KeyedEdit {
  let edit: ResolvedTimeline
  private let spec: JobSpec
  private let policy: SourcePolicy
  private let scope: SegmentCache.Scope
  private let table: KeyTable?
  /// The contents that are known, by the names of what makes them.
  private var contents: [String: SegmentContent]

  /// - Parameters:
  ///   - edit: the edit of `spec`.
  ///   - policy: where media may be read.
  init(_ edit: ResolvedTimeline, _ spec: JobSpec, _ policy: SourcePolicy, in cache: SegmentCache) {
    (self.edit, self.spec, self.policy, scope) = (edit, spec, policy.pinned(to: edit), cache.scope)
    table = KeyTable(of: spec, within: scope, in: cache.root)
    contents = table?.contents() ?? [:]
  }

  /// The keys of what works make, as the media are now; nil for those that have none. Contents that are not known are made, and noted for the next
  /// time.
  ///
  /// - Parameter threads: the most threads that make contents.
  /// - Throws: an error that would keep a segment from being rendered, too.
  mutating func keys(of works: [Work], threads: Int) throws -> [String?] {
    let new = works.filter { work in KeyTable.name(of: work).map { contents[$0] == nil } ?? false }
    let made = try concurrently(edit: edit, new, threads: threads) { [spec, scope] reel, work in
      try SegmentContent(of: work, in: reel, spec, within: scope)
    }
    let named = zip(new, made).compactMap { work, content in content.map { (work: work, content: $0) } }
    for (work, content) in named { contents[KeyTable.name(of: work) ?? ""] = content }
    table?.add(named)
    let asked = works.map { KeyTable.name(of: $0).flatMap { contents[$0] } }
    var states: [AssetID: SourceState] = [:]
    for asset in Set(asked.flatMap { $0?.assets ?? [] }) {
      states[asset] = try SegmentKey.state(of: asset, edit, policy)
    }
    let told = Set(states.keys)
    // A medium whose state cannot be told is not asked for it again.
    return try asked.map { content in
      guard let content, told.isSuperset(of: content.assets) else { return nil }
      return try SegmentKey(of: content, edit, policy, knowing: states)?.text
    }
  }
}

/// Applies `work` to each element, in a run of them on each thread. A run has a reel of its own, which makes a long edit's scenes in a fraction of
/// the time that a reel for each element takes.
///
/// - Returns: the results in the elements' order.
func concurrently<Element: Sendable, Value: Sendable>(
  edit: ResolvedTimeline, _ elements: [Element], threads: Int, _ work: @escaping @Sendable (SceneReel, Element) throws -> Value
) throws -> [Value] {
  let length = max(1, (elements.count + threads - 1) / max(1, threads))
  let runs = stride(from: 0, to: elements.count, by: length).map { elements[$0..<min($0 + length, elements.count)] }
  return try concurrently(runs[...], threads: threads) { run in
    let reel = SceneReel(edit)
    return try run.map { try work(reel, $0) }
  }.flatMap(\.self)
}
