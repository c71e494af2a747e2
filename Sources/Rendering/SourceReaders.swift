internal import Compositing
internal import Media
internal import MediaTime
internal import Timeline

/// The open video readers of one renderer, one for each track and source, the least recently used closed first.
///
/// Belongs to one thread.
final class SourceReaders {
  /// An edit may name thousands of clips; a frame rarely shows more than a few. Each open reader holds a file descriptor
  /// and a decoder's reference frames (about 30 MB at 1080p).
  static let openLimit = 12

  private struct Key: Hashable {
    let track: TrackID
    let source: SegmentSource
  }

  private struct Entry {
    let reader: VideoReader
    let facts: VideoFacts
    var lastUse: Int
  }

  private let edit: ResolvedTimeline
  private let policy: SourcePolicy
  private var open: [Key: Entry] = [:]
  private var uses = 0

  init(edit: ResolvedTimeline, policy: SourcePolicy) {
    self.edit = edit
    self.policy = policy
  }

  /// The frame that `picture` shows, upright facts beside it.
  ///
  /// - Throws: `MediaError` naming the asset, the track and the time.
  func frame(for picture: PlacedPicture) throws(MediaError) -> SourcePicture {
    let key = Key(track: picture.track, source: picture.source)
    var entry: Entry
    if let known = open[key] { entry = known } else { entry = try opened(picture.source) }
    uses += 1
    entry.lastUse = uses
    open[key] = entry
    return SourcePicture(buffer: try entry.reader.frame(at: picture.sourceTime), facts: entry.facts)
  }

  private func opened(_ source: SegmentSource) throws(MediaError) -> Entry {
    if open.count >= Self.openLimit, let idle = open.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      open[idle.key] = nil
    }
    let track = edit.sourceTrack(source, media: .video)
    guard let asset = edit.timeline.assets[source.asset], case .video(let facts) = track.detail else {
      preconditionFailure("a resolved picture has a video track")
    }
    let reader = try VideoReader(path: asset.path, track: track, policy: policy, threads: 1)
    return Entry(reader: reader, facts: facts, lastUse: 0)
  }
}
