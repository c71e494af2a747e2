internal import Document
package import Formats
package import JSON
internal import Linux
internal import Media
package import Messages
package import Scenes
package import Timeline

/// A comparison of an edit with one that was rendered before: whether an earlier chunk shows what a chunk is to show, and what has changed
/// where none does.
///
/// It goes by what the two edits say: their scenes, their settings, the facts of their media and the names of their fonts' files. What else
/// decides whether a chunk is found (decision 0174) only the worker knows that looks for it: the bytes of the media, the program, and whether the
/// store has kept the chunk.
package struct EditComparison {
  /// A chunk of the earlier edit.
  package struct Chunk: Hashable, Sendable {
    package let frames: FrameRange
    /// Whether it was rendered to its end.
    package let isDone: Bool

    package init(_ frames: FrameRange, isDone: Bool) { (self.frames, self.isDone) = (frames, isDone) }
  }

  /// The result of the comparison of a chunk.
  package enum Finding: Hashable, Sendable {
    /// An earlier chunk, which was rendered to its end, shows the same frames.
    case same(FrameRange)
    /// An earlier chunk shows the same frames, but was not rendered to its end.
    case unfinished(FrameRange)
    /// The encoder's settings, the frames' size, their duration or their colour are others, for all frames of the movie.
    case settings
    /// These media have other facts.
    case media([AssetID])
    /// Its texts are drawn by other font files.
    case fonts
    /// The first frame that the earlier edit did not show, and by what it differs from the frame that stood in its place; by nothing where
    /// none stood there.
    case frame(Int, [JSONDifference])
    /// The earlier edit showed all its frames, but no earlier chunk had these alone.
    case borders
    /// An earlier chunk shows the same frames, but the movie's bits are shared out anew, because something else of the edit is another.
    case share
    /// A compositor of the user's own makes some of its frames, and may read anything.
    case compositor
  }

  /// The most differences that are told of one frame.
  private static let mostDifferences = 4
  /// The frames whose scenes one thread makes in a row. Scenes that follow each other share what stays.
  private static let pieceFrames = 1000

  private let earlier: ResolvedTimeline
  private let settings: FrameSettings?
  private let fonts: [FontFace]?
  private let chunks: [Chunk]

  /// The frames of the earlier edit, by what they show.
  private struct Shown {
    /// The digest of what each frame shows; nil for one by a compositor of the user's own.
    let frames: [ContentDigest?]
    /// The first frame that shows something.
    let places: [ContentDigest: Int]
    /// The chunks by what they show, those that are done before others.
    let chunks: [ContentDigest: Chunk]
  }

  /// - Parameters:
  ///   - spec: the earlier edit, as it was submitted.
  ///   - chunks: its chunks, as its job has them.
  /// - Throws: an error of an edit that this program does not read, or of its times.
  package init(with spec: JobSpec, _ chunks: [Chunk]) throws {
    earlier = try spec.unmeasuredEdit
    (settings, fonts, self.chunks) = (try FrameSettings(of: earlier), spec.fonts, chunks)
  }

  /// The places in which a document differs from the earlier one, by their names in it.
  ///
  /// - Parameters:
  ///   - document: the document in canonical JSON.
  ///   - most: the most that are returned.
  package static func changes(from earlier: String, to document: String, most: Int) throws -> [JSONDifference] {
    let (was, now) = (try JSONReader.read(Array(earlier.utf8)), try JSONReader.read(Array(document.utf8)))
    return now.differences(from: was, most: most)
  }

  /// The results of the comparison of chunks of an edit. Where the edit is the earlier one, what was rendered to its end is found without
  /// a look at its frames.
  ///
  /// - Parameters:
  ///   - fonts: the faces that the edit's texts are drawn in.
  ///   - threads: the most threads that look at frames.
  package func findings(
    about chunks: [FrameRange], of edit: ResolvedTimeline, _ fonts: [FontFace]?, threads: Int = 1
  ) throws -> [Finding] {
    guard let settings = try FrameSettings(of: edit), settings == self.settings else { return chunks.map { _ in .settings } }
    // A compositor of the user's own may show anything, however equal the edits are.
    let isSame = edit == earlier && fonts == self.fonts && edit.timeline.compositorUses.isEmpty
    let done = Set(isSame ? self.chunks.filter(\.isDone).map(\.frames) : [])
    guard !chunks.allSatisfy(done.contains) else { return chunks.map { .same($0) } }
    let shown = try shown(threads: threads)
    return try concurrently(chunks[...], threads: threads) { frames in
      try done.contains(frames) ? .same(frames) : finding(about: frames, of: edit, settings, fonts, after: shown)
    }
  }

  private func shown(threads: Int) throws -> Shown {
    let count = try earlier.frameCount
    let pieces = stride(from: 0, to: count, by: Self.pieceFrames).map { $0..<min($0 + Self.pieceFrames, count) }
    let frames = try concurrently(pieces[...], threads: threads) { piece in
      let (reel, shares) = (SceneReel(earlier), WrittenShares())
      return try piece.map { try Self.digest(of: reel.scene(at: $0), shares) }
    }.flatMap(\.self)
    var (places, known): ([ContentDigest: Int], [ContentDigest: Chunk]) = ([:], [:])
    for (index, frame) in frames.enumerated().reversed() { if let frame { places[frame] = index } }
    for chunk in chunks {
      guard frames.indices.contains(chunk.frames.indices), let content = try Self.digest(of: frames[chunk.frames.indices]) else {
        continue
      }
      if chunk.isDone || known[content] == nil { known[content] = chunk }
    }
    return Shown(frames: frames, places: places, chunks: known)
  }

  private func finding(
    about chunk: FrameRange, of edit: ResolvedTimeline, _ settings: FrameSettings, _ fonts: [FontFace]?, after shown: Shown
  ) throws -> Finding {
    var (digests, assets, drawsText): ([ContentDigest], Set<AssetID>, Bool) = ([], [], false)
    let (reel, shares) = (SceneReel(edit), WrittenShares())
    for index in chunk.indices {
      let scene = try reel.scene(at: index)
      guard let digest = try Self.digest(of: scene, shares) else { return .compositor }
      digests.append(digest)
      assets.formUnion(scene.assets)
      drawsText = drawsText || scene.drawsText
    }
    if let content = try Self.digest(of: digests[...].map(Optional.some)[...]), let same = shown.chunks[content] {
      guard settings.keyframePhase(of: chunk) == settings.keyframePhase(of: same.frames),
        try edit.stillOffsets(in: chunk) == earlier.stillOffsets(in: same.frames)
      else { return .borders }
      let changed = assets.filter { earlier.facts[$0] != edit.facts[$0] }
      if !changed.isEmpty { return .media(changed.sorted()) }
      if drawsText, fonts != self.fonts || edit.timeline.fontTreatments != earlier.timeline.fontTreatments { return .fonts }
      if edit.timeline.export.video.coding.coder.rateTarget != nil, edit.timeline != earlier.timeline { return .share }
      return same.isDone ? .same(same.frames) : .unfinished(same.frames)
    }
    guard let new = digests.firstIndex(where: { shown.places[$0] == nil }) else { return .borders }
    return .frame(chunk.first + new, try differences(at: chunk.first + new, of: edit, from: shown))
  }

  /// The differences of a frame from the earlier one that stood in its place.
  private func differences(at index: Int, of edit: ResolvedTimeline, from shown: Shown) throws -> [JSONDifference] {
    var place = index
    // What came before the frame tells where its place was, if that had its own place elsewhere.
    if index > 0, let before = try Self.digest(of: edit.scene(at: index - 1), nil), let known = shown.places[before] {
      place = index - 1 < shown.frames.count && shown.frames[index - 1] == before ? index : known + 1
    }
    guard place < shown.frames.count, shown.frames[place] != nil else { return [] }
    return try edit.scene(at: index).differences(from: earlier.scene(at: place), most: Self.mostDifferences)
  }

  private static func digest(of scene: Scene, _ shares: WrittenShares?) throws -> ContentDigest? {
    try scene.rendition(sharing: shares).map { bytes in unsafe bytes.withUnsafeBytes { unsafe ContentDigest(of: $0) } }
  }

  /// The digest of several frames; nil where one has none.
  private static func digest(of frames: ArraySlice<ContentDigest?>) throws -> ContentDigest? {
    let hasher = try ContentHasher()
    for frame in frames {
      guard let frame else { return nil }
      hasher.update(frame)
    }
    return hasher.digest
  }
}

extension Timeline {
  /// How the document's own fonts are to be read.
  fileprivate var fontTreatments: [AssetID: AssetTreatment] { treatments.filter { $0.value.font != nil } }
}
