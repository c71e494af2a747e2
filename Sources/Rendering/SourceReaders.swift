internal import Media
internal import MediaTime
internal import Timeline

/// The open video readers of an edit, one for each path of tracks and source, the least recently used closed first.
///
/// Belongs to one thread.
final class SourceReaders {
  /// An edit may name thousands of clips; a frame rarely shows more than a few. Each open reader holds a file descriptor
  /// and a decoder's reference frames (about 30 MB at 1080p). What two frames in a row show stays open, however many those are:
  /// to open a source anew in each frame costs it the way from its keyframe each time.
  static let openLimit = 12

  private struct Key: Hashable {
    let path: [TrackID]
    let source: SegmentSource
  }

  /// What one output frame asks of a reader.
  private struct Request: Hashable {
    let key: Key
    let time: Rational
    let isReversed: Bool
  }

  /// A frame, and which of its track's it is.
  typealias Answer = (buffer: PixelBuffer, shown: ShownFrame)

  private struct Entry {
    let reader: VideoReader
    var lastUse: Int
    /// The output frame, counted in the order they are rendered in.
    var lastFrame: Int
  }

  private let edit: ResolvedTimeline
  private let policy: SourcePolicy
  private var open: [Key: Entry] = [:]
  /// Those of this output frame: a scene is read to be compared, then to be drawn.
  private var answers: [Request: Answer] = [:]
  private var uses = 0
  private var frames = 0
  /// The assets of which the output frame shows pictures that stand in for damaged ones.
  private(set) var standIns: Set<AssetID> = []
  /// How often a source was opened.
  private(set) var openings = 0

  init(_ edit: ResolvedTimeline, policy: SourcePolicy) { (self.edit, self.policy) = (edit, policy) }

  /// To be called before the first source of an output frame.
  func beginFrame() {
    frames += 1
    standIns = []
    answers = [:]
  }

  /// The frame that `clip` shows in `picture`.
  ///
  /// - Throws: `MediaError` naming the asset, the track and the time.
  func frame(of clip: Scene.Clip, _ picture: Scene.Picture) throws(MediaError) -> Answer {
    let key = Key(path: picture.path, source: picture.source)
    let request = Request(key: key, time: picture.time, isReversed: picture.isReversed)
    if let known = answers[request] { return known }
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
    // More than one is to go after frames that showed more than the limit.
    while open.count >= Self.openLimit, let idle = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      open[idle.key] = nil
    }
    guard let asset = edit.timeline.assets[clip.asset] else { preconditionFailure("a resolved picture has an asset") }
    let track = edit.track(clip.trackPosition, of: clip.asset, media: .video)
    openings += 1
    let reader = try VideoReader(path: asset.path, track: track, policy: policy, threads: 1, treatment: clip.treatment)
    return Entry(reader: reader, lastUse: 0, lastFrame: frames)
  }

  /// Those that neither this frame nor the one before it showed.
  private var idle: [Key: Entry] { open.filter { $0.value.lastFrame < frames - 1 } }
}

extension MediaError {
  /// What is wrong with the content of a file is said of its asset, too.
  func of(_ asset: AssetID) -> MediaError { kind == .corrupt ? at("\(place) (asset '\(asset)')") : self }
}
