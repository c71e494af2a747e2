internal import Synchronization

/// A track of an item. One that is not enabled is not seen in the item's video outputs; nothing is heard in any case.
// The lock guards what changes. The rest is constant.
/// - Partly: as `AVPlayer`
open class AVPlayerItemTrack: NSObject, @unchecked Sendable {
  open private(set) weak var assetTrack: AVAssetTrack?
  private let enabled = Mutex(true)

  init(_ track: AVAssetTrack) {
    assetTrack = track
    super.init()
  }

  open var isEnabled: Bool {
    get { enabled.withLock(\.self) }
    set { enabled.withLock { $0 = newValue } }
  }
  /// The pictures that are shown in a second.
  open var currentVideoFrameRate: Float { assetTrack?.nominalFrameRate ?? 0 }
}

extension AVPlayerItem {
  /// The tracks that are enabled; nil for all.
  var seenTracks: Set<CMPersistentTrackID>? {
    let tracks = tracks
    guard tracks.contains(where: { !$0.isEnabled }) else { return nil }
    return Set(tracks.filter(\.isEnabled).compactMap { $0.assetTrack?.trackID })
  }
}
