internal import Formats
internal import Linux
internal import Media
internal import MediaTime
internal import Scenes
internal import Timeline

/// The open video readers of an edit, one for each path of tracks and source. The least recently used one is closed first. One
/// thread at a time.
final class SourceReaders {
  /// The number of open readers from which on unused ones are closed. An edit may name thousands of clips, but a frame rarely
  /// shows more than a few. Each open reader holds a file descriptor and a decoder's reference frames (about 30 MB at 1080p).
  /// Readers of the last frame and this one stay open, however many they are. Opening a source anew in each frame would mean
  /// decoding from a keyframe each time.
  static let openLimit = 12

  private struct Key: Hashable {
    let path: [TrackID]
    let source: SegmentSource
  }

  /// A request that an output frame makes to a reader.
  private struct Request: Hashable {
    let key: Key
    let time: Rational
    let isReversed: Bool
  }

  /// A frame, and which of its track's frames it is.
  typealias Answer = (buffer: PixelBuffer, shown: ShownFrame)

  private struct Entry {
    let reader: VideoReader
    var lastUse: Int
    /// The number of the output frame that used the reader last. Output frames are counted in the order in which they are
    /// rendered.
    var lastFrame: Int
  }

  private let edit: ResolvedTimeline
  private let policy: SourcePolicy
  private var open: [Key: Entry] = [:]
  /// The answers for this output frame. A scene is read twice: to be compared, then to be drawn.
  private var answers: [Request: Answer] = [:]
  private var uses = 0
  private var frames = 0
  /// The assets of which the output frame shows a picture in place of a damaged one.
  private(set) var standIns: Set<AssetID> = []
  /// The nanoseconds that were spent in fetching and decoding so far.
  private(set) var nanoseconds: Int64 = 0
  /// The number of times that a source was opened.
  private(set) var openings = 0

  init(_ edit: ResolvedTimeline, policy: SourcePolicy) { (self.edit, self.policy) = (edit, policy) }

  /// Starts an output frame. Call it before the frame's first source is read.
  func beginFrame() {
    frames += 1
    standIns = []
    answers = [:]
  }

  /// The frame that `clip` shows in `picture`.
  ///
  /// - Throws: `MediaError` that names the asset, the track and the time.
  func frame(of clip: Scene.Clip, _ picture: Scene.Picture) throws(MediaError) -> Answer {
    let key = Key(path: picture.path, source: picture.source)
    let request = Request(key: key, time: picture.time, isReversed: picture.isReversed)
    if let known = answers[request] { return known }
    let began = MonotonicClock.nanoseconds
    defer { nanoseconds += MonotonicClock.nanoseconds - began }
    var entry: Entry
    if let known = open[key] { entry = known } else { entry = try opened(clip) }
    uses += 1
    (entry.lastUse, entry.lastFrame) = (uses, frames)
    open[key] = entry
    let reader = entry.reader
    let answer: Answer
    do throws(MediaError) {
      let buffer = try picture.isReversed ? reader.frame(before: picture.time) : reader.frame(at: picture.time)
      answer = (buffer, try reader.shownFrame())
    } catch { throw error.of(clip.asset) }
    if reader.isStandIn { standIns.insert(clip.asset) }
    answers[request] = answer
    return answer
  }

  private func opened(_ clip: Scene.Clip) throws(MediaError) -> Entry {
    // More than one reader may have to go, after frames that showed more sources than the limit.
    while open.count >= Self.openLimit, let idle = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      open[idle.key] = nil
    }
    guard let asset = edit.timeline.assets[clip.asset] else { preconditionFailure("a resolved picture has an asset") }
    let track = edit.track(clip.trackPosition, of: clip.asset, media: .video)
    openings += 1
    let reader = try VideoReader(path: asset.path, track: track, policy: policy, threads: 1, treatment: clip.treatment)
    return Entry(reader: reader, lastUse: 0, lastFrame: frames)
  }

  /// The readers that neither this frame nor the one before it used.
  private var idle: [Key: Entry] { open.filter { $0.value.lastFrame < frames - 1 } }
}

extension MediaError {
  /// The same error. Where the content of a file is at fault, it also names the asset.
  func of(_ asset: AssetID) -> MediaError { kind == .corrupt ? at("\(place) (asset '\(asset)')") : self }
}
