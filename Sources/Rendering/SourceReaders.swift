internal import Media
internal import MediaTime
internal import Timeline

/// The open video readers of a renderer and of those of its nested compositions, one for each renderer, track and source,
/// the least recently used closed first.
///
/// Belongs to one thread.
final class SourceReaders {
  /// An edit may name thousands of clips; a frame rarely shows more than a few. Each open reader holds a file descriptor
  /// and a decoder's reference frames (about 30 MB at 1080p). What two frames in a row show stays open, however many those are:
  /// to open a source anew in each frame costs it the way from its keyframe each time.
  static let openLimit = 12

  private struct Key: Hashable {
    let renderer: Int
    let track: TrackID
    let source: SegmentSource
  }

  private struct Entry {
    let reader: VideoReader
    var lastUse: Int
    /// The output frame, counted in the order they are rendered in.
    var lastFrame: Int
  }

  private let policy: SourcePolicy
  private var open: [Key: Entry] = [:]
  private var uses = 0
  private var frames = 0
  private var renderers = 0
  /// The assets of which the output frame shows pictures that stand in for damaged ones.
  private(set) var standIns: Set<AssetID> = []
  /// How often a source was opened.
  private(set) var openings = 0

  init(policy: SourcePolicy) { self.policy = policy }

  /// A number that no other renderer has.
  func addRenderer() -> Int {
    renderers += 1
    return renderers
  }

  /// To be called before the first source of an output frame.
  func beginFrame() {
    frames += 1
    standIns = []
  }

  /// To be called for the pictures of the output frame that are not read here.
  func addStandIns(_ assets: Set<AssetID>) { standIns.formUnion(assets) }

  /// The source frame of `picture`, which plays track `position` of `asset`.
  ///
  /// - Throws: `MediaError` naming the asset, the track and the time.
  func frame(
    for picture: PlacedPicture, _ asset: AssetID, _ position: Int, of edit: ResolvedTimeline, renderer: Int
  ) throws(MediaError) -> PixelBuffer {
    let key = Key(renderer: renderer, track: picture.track, source: picture.source)
    var entry: Entry
    if let known = open[key] { entry = known } else { entry = try opened(asset, position, of: edit) }
    uses += 1
    (entry.lastUse, entry.lastFrame) = (uses, frames)
    open[key] = entry
    let time = picture.sourceTime
    let frame: PixelBuffer
    do throws(MediaError) {
      frame = try picture.isReversed ? entry.reader.frame(before: time) : entry.reader.frame(at: time)
    } catch { throw error.of(asset) }
    if entry.reader.isStandIn { standIns.insert(asset) }
    return frame
  }

  private func opened(_ id: AssetID, _ position: Int, of edit: ResolvedTimeline) throws(MediaError) -> Entry {
    // More than one is to go after frames that showed more than the limit.
    while open.count >= Self.openLimit, let idle = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      open[idle.key] = nil
    }
    guard let asset = edit.timeline.assets[id] else { preconditionFailure("a resolved picture has an asset") }
    let track = edit.track(position, of: id, media: .video)
    openings += 1
    let reader = try VideoReader(
      path: asset.path, track: track, policy: policy, threads: 1, treatment: edit.timeline.treatment(of: id))
    return Entry(reader: reader, lastUse: 0, lastFrame: frames)
  }

  /// Those that neither this frame nor the one before it showed.
  private var idle: [Key: Entry] { open.filter { $0.value.lastFrame < frames - 1 } }
}

extension MediaError {
  /// What is wrong with the content of a file is said of its asset, too.
  func of(_ asset: AssetID) -> MediaError { kind == .corrupt ? at("\(place) (asset '\(asset)')") : self }
}
