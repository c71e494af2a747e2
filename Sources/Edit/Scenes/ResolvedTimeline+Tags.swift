package import Formats
internal import JSON
internal import Timeline

extension ResolvedTimeline {
  /// The descriptions in the movie's file: those that the edit states, and those that it keeps of a source's.
  package var movieTags: MovieTags {
    var tags = timeline.export.tags
    guard let kept = timeline.export.keptTags, let words = facts[kept.source]?.words else { return tags }
    for key in kept.kinds.flatMap(\.keys) where tags.texts[key] == nil { tags.texts[key] = words[key] }
    if kept.kinds.contains(.location), tags.location == nil { tags.location = words.place }
    return tags
  }

  /// The kinds of descriptions that are to be kept of a source, and that it does not have.
  var missingTags: [KeptTags.Kind] {
    guard let kept = timeline.export.keptTags else { return [] }
    let words = facts[kept.source]?.words ?? SourceWords()
    return kept.kinds.filter { kind in
      kind == .location ? words.place == nil : kind.keys.allSatisfy { words[$0] == nil }
    }
  }
}

extension AssetFacts {
  /// The facts without those descriptions that the movie does not take over.
  ///
  /// - Parameter kept: what is kept of this asset; nil for nothing.
  func keeping(_ kept: KeptTags?) -> AssetFacts {
    guard let words else { return self }
    var (facts, rest) = (self, SourceWords())
    for key in kept?.kinds.flatMap(\.keys) ?? [] { rest[key] = words[key] }
    if kept?.kinds.contains(.location) == true { rest.place = words.place }
    facts.words = rest.isEmpty ? nil : rest
    return facts
  }
}

extension TimelineResolver {
  /// The facts of the assets that the edit uses, without descriptions that the movie does not take over.
  func keptFacts(of used: Set<AssetID>) -> [AssetID: AssetFacts] {
    let kept = root == .root ? timeline.export.keptTags : nil
    return Dictionary(
      uniqueKeysWithValues: facts.filter { used.contains($0.key) }.map { id, facts in
        (id, facts.keeping(kept?.source == id ? kept : nil))
      })
  }

  /// Notes chapters that are more than the file type holds.
  func checkChapters(of resolved: ResolvedTimeline) {
    let (type, export) = (timeline.export.fileType, timeline.export)
    // Times that overflow are noted elsewhere.
    guard root == .root, let most = type.mostChapters, let count = try? export.movieChapters(in: resolved.exportRange).count,
      count > most
    else { return }
    log.note("\(type) holds at most \(most) chapters, not \(count): use m4a, flac or ogg", at: root["export"]["chapters"])
  }

  /// Notes an asset whose descriptions cannot be kept.
  func checkTags(of resolved: ResolvedTimeline) {
    guard root == .root, let kept = timeline.export.keptTags, resolved.facts[kept.source] == nil else { return }
    log.note(
      "nothing of '\(kept.source)' is played or shown: name an asset of which something is",
      at: root["export"]["metadata"]["from"])
  }
}
