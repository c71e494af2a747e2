internal import Media
internal import MediaTime
internal import Timeline

/// The open video readers of a renderer and of those of its nested compositions, one for each renderer, track and source,
/// the least recently used closed first.
///
/// Belongs to one thread.
final class SourceReaders {
  /// An edit may name thousands of clips; a frame rarely shows more than a few. Each open reader holds a file descriptor
  /// and a decoder's reference frames (about 30 MB at 1080p).
  static let openLimit = 12

  private struct Key: Hashable {
    let renderer: Int
    let track: TrackID
    let source: SegmentSource
  }

  private struct Entry {
    let reader: VideoReader
    var lastUse: Int
  }

  private let policy: SourcePolicy
  private var open: [Key: Entry] = [:]
  private var uses = 0
  private var renderers = 0

  init(policy: SourcePolicy) { self.policy = policy }

  /// A number that no other renderer has.
  func addRenderer() -> Int {
    renderers += 1
    return renderers
  }

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
    entry.lastUse = uses
    open[key] = entry
    let time = picture.sourceTime
    return try picture.isReversed ? entry.reader.frame(before: time) : entry.reader.frame(at: time)
  }

  private func opened(_ id: AssetID, _ position: Int, of edit: ResolvedTimeline) throws(MediaError) -> Entry {
    if open.count >= Self.openLimit, let idle = open.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      open[idle.key] = nil
    }
    guard let asset = edit.timeline.assets[id] else { preconditionFailure("a resolved picture has an asset") }
    let track = edit.track(position, of: id, media: .video)
    return Entry(reader: try VideoReader(path: asset.path, track: track, policy: policy, threads: 1), lastUse: 0)
  }
}
