internal import Formats
internal import Linux
internal import Media
package import Messages
internal import Scenes
internal import Timeline

/// The parts of a job's movie that an earlier job makes, too: parts with the same content, of the same sources with the same facts.
///
/// The segment of such a part is found by its key (decision 0174), unless a source was changed meanwhile, or has no state that can be told. What
/// makes the key knows the sources' bytes, and this does not. So a part that was taken for a twin and is none is made as any other.
package struct SegmentTwins {
  /// The most frames of the earlier job that are compared: those of a second or some. What comes after them has no twin.
  private static let mostFrames = 100_000

  private let (spec, earlierSpec): (JobSpec, JobSpec)
  private let (edit, earlier): (ResolvedTimeline, ResolvedTimeline)

  /// The things that two parts must have in common before all their frames are compared.
  private enum Likeness: Hashable, Sendable {
    case chunk(frameCount: Int, first: ContentDigest)
    /// The sound, or a part of it.
    case sound(SampleRange?)
  }

  /// - Throws: an error of an edit that this program does not read.
  package init(of spec: JobSpec, in earlier: JobSpec) throws {
    (self.spec, earlierSpec) = (spec, earlier)
    (edit, self.earlier) = (try spec.unmeasuredEdit, try earlier.unmeasuredEdit)
  }

  /// The twins of parts.
  ///
  /// - Parameters:
  ///   - works: the parts of the job.
  ///   - running: the parts of the earlier job among which twins are looked for. The first ones are compared first.
  ///   - threads: the most threads that look at frames.
  /// - Returns: for each of `works`, the place of its twin in `running`; nil where it has none.
  /// - Throws: an error that keeps a part from being rendered, too.
  package func twins(of works: [Work], among running: [Work], threads: Int = 1) throws -> [Int?] {
    let known = try likenesses(of: compared(running), in: earlier, threads: threads)
    let counts = Set(known.compactMap { if case .chunk(let count, _) = $0 { count } else { nil } })
    let alike = Set(known.compactMap(\.self))
    let own = try likenesses(of: works, in: edit, threads: threads) { counts.contains($0.count) }
    let shared = alike.intersection(own.compactMap(\.self))
    guard !shared.isEmpty else { return works.map { _ in nil } }
    let earlierContents = try contents(of: Array(running.prefix(known.count)), in: earlier, earlierSpec, threads: threads) {
      known[$0].map(shared.contains) ?? false
    }
    let contents = try contents(of: works, in: edit, spec, threads: threads) { own[$0].map(shared.contains) ?? false }
    let places = Dictionary(earlierContents.enumerated().compactMap { place, content in content.map { ($0, place) } }) { one, _ in
      one
    }
    return contents.map { content in content.flatMap { isUnchanged($0) ? places[$0] : nil } }
  }

  /// The first parts, as many as are compared.
  private func compared(_ running: [Work]) -> [Work] {
    var left = Self.mostFrames
    return Array(
      running.prefix { work in
        if case .picture(let frames) = work { left -= frames.count }
        return left >= 0
      })
  }

  /// The likenesses of parts; nil for those that have no key.
  ///
  /// - Parameter isSought: whether chunks of as many frames are sought.
  private func likenesses(
    of works: [Work], in edit: ResolvedTimeline, threads: Int, isSought: @escaping @Sendable (FrameRange) -> Bool = { _ in true }
  ) throws -> [Likeness?] {
    // Copied parts are copied again, which costs little.
    let copies = edit.timeline.export.copies
    return try concurrently(works[...], threads: threads) { work -> Likeness? in
      switch work {
      case .picture(let frames):
        guard isSought(frames), copies?.holds(frames.indices) != true,
          let bytes = try edit.scene(at: frames.first).rendition()
        else { return nil }
        return .chunk(frameCount: frames.count, first: unsafe bytes.withUnsafeBytes { unsafe ContentDigest(of: $0) })
      case .sound: return copies?.soundSampleCount == nil ? .sound(nil) : nil
      case .soundPart(let part): return copies?.soundSampleCount == nil ? .sound(part) : nil
      case .mux, .publish: return nil
      }
    }
  }

  /// The contents of parts; nil for those that are not sought, or have none.
  private func contents(
    of works: [Work], in edit: ResolvedTimeline, _ spec: JobSpec, threads: Int, isSought: (Int) -> Bool
  ) throws -> [SegmentContent?] {
    let sought = works.indices.filter(isSought)
    let made = try concurrently(edit: edit, sought, threads: threads) { reel, place in
      try SegmentContent(of: works[place], in: reel, spec, within: .own)
    }
    var contents = [SegmentContent?](repeating: nil, count: works.count)
    for (place, content) in zip(sought, made) { contents[place] = content }
    return contents
  }

  /// Whether the sources that a content shows are the same in both edits, as far as these say it.
  private func isUnchanged(_ content: SegmentContent) -> Bool {
    content.assets.allSatisfy { asset in
      edit.facts[asset] == earlier.facts[asset] && edit.timeline.assets[asset] == earlier.timeline.assets[asset]
    }
  }
}
