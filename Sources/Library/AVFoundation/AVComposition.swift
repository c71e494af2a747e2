internal import Formats
internal import MediaTime
internal import Timeline

/// An edit: tracks that play ranges of media.
open class AVComposition: AVAsset, NSMutableCopying, AVCompositionOfTracks, @unchecked Sendable {
  fileprivate var list: [AVMutableCompositionTrack] = []
  fileprivate var size: CGSize?
  /// The options for assets that the edit's media are, which change nothing here.
  open fileprivate(set) var urlAssetInitializationOptions: [String: Any] = [:]

  override func loadedTracks() throws(AVError) -> [AVAssetTrack] { list }

  override func loadedDuration() throws(AVError) -> CMTime {
    list.map { $0.timeRange.end }.max() ?? .zero
  }

  /// The size of the first picture, unless another one was set.
  open var naturalSize: CGSize {
    size ?? list.first { $0.mediaType == .video && !$0.edit.segments.isEmpty }?.naturalSize ?? .zero
  }

  open override func track(withTrackID trackID: CMPersistentTrackID) -> AVCompositionTrack? {
    list.first { $0.trackID == trackID }
  }

  open override func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVCompositionTrack? {
    track(withTrackID: trackID)
  }

  /// The tracks in order.
  var compositionTracks: [AVMutableCompositionTrack] { list }

  /// The edit as it is now. It stays so when this one is changed.
  open override func copy(with zone: NSZone? = nil) -> Any { filled(AVComposition()) }

  /// The edit as it is now, to be changed: an `AVMutableComposition` with tracks of its own under the same IDs.
  open func mutableCopy(with zone: NSZone? = nil) -> Any { filled(AVMutableComposition()) }

  private func filled(_ copy: AVComposition) -> AVComposition {
    (copy.size, copy.urlAssetInitializationOptions) = (size, urlAssetInitializationOptions)
    copy.list = list.map { $0.copied(to: copy) }
    return copy
  }
}

/// An edit that can be changed.
open class AVMutableComposition: AVComposition, @unchecked Sendable {
  public override init() { super.init() }

  public convenience init(urlAssetInitializationOptions URLAssetInitializationOptions: [String: Any]? = nil) {
    self.init()
    urlAssetInitializationOptions = URLAssetInitializationOptions ?? [:]
  }

  /// The tracks, in order.
  open var tracks: [AVMutableCompositionTrack] { list }

  open override var naturalSize: CGSize {
    get { super.naturalSize }
    set { size = newValue }
  }

  /// Adds an empty track.
  ///
  /// - Parameters:
  ///   - mediaType: video or audio.
  ///   - preferredTrackID: the track's ID; where it is taken or invalid, the track gets the lowest that is free.
  /// - Returns: nil for a kind of media other than video and audio.
  open func addMutableTrack(
    withMediaType mediaType: AVMediaType, preferredTrackID: CMPersistentTrackID
  ) -> AVMutableCompositionTrack? {
    guard mediaType == .video || mediaType == .audio else { return nil }
    let taken = Set(list.map(\.trackID))
    var id = preferredTrackID
    if id <= 0 || taken.contains(id) {
      id = 1
      while taken.contains(id) { id += 1 }
    }
    let track = AVMutableCompositionTrack(of: self, id, mediaType)
    list.append(track)
    return track
  }

  /// The tracks of a kind, in order.
  open func tracks(withMediaType mediaType: AVMediaType) -> [AVMutableCompositionTrack] {
    list.filter { $0.mediaType == mediaType }
  }

  /// The tracks with a characteristic, in order.
  open func tracks(withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic) -> [AVMutableCompositionTrack] {
    list.filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
  }

  open override func track(withTrackID trackID: CMPersistentTrackID) -> AVMutableCompositionTrack? {
    list.first { $0.trackID == trackID }
  }

  open func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVMutableCompositionTrack] {
    tracks(withMediaType: mediaType)
  }

  open func loadTracks(
    withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
  ) async throws -> [AVMutableCompositionTrack] { tracks(withMediaCharacteristic: mediaCharacteristic) }

  open override func loadTrack(withTrackID trackID: CMPersistentTrackID) async throws -> AVMutableCompositionTrack? {
    track(withTrackID: trackID)
  }

  open func removeTrack(_ track: AVCompositionTrack) { list.removeAll { $0 === track } }

  /// A track into which the given one can be inserted: one of the same kind that is empty, or plays the same medium's track.
  open func mutableTrack(compatibleWith track: AVAssetTrack) -> AVMutableCompositionTrack? {
    list.first { $0.mediaType == track.mediaType }
  }

  /// Plays a range of all tracks of an asset. Each goes to the next of this edit's tracks of its kind, or to a new one.
  open func insertTimeRange(_ timeRange: CMTimeRange, of asset: AVAsset, at startTime: CMTime) throws {
    let range = try MediaTimeRange(timeRange, "timeRange")
    let start = startTime.isValid ? try MediaTime(startTime, "startTime") : list.map(\.edit.duration).max() ?? .zero
    let source = try asset.loadedTracks().filter(\.isPlayable)
    // All that is to be inserted is looked at first, so that a failure changes nothing.
    let material = try source.map { track throws(AVError) -> Material in
      track.timeRange.end <= timeRange.start ? Material(segments: [], sources: [:]) : try track.material(in: range)
    }
    var free = list
    var used: [AVMutableCompositionTrack] = []
    for (track, material) in zip(source, material) {
      let target: AVMutableCompositionTrack
      if let index = free.firstIndex(where: { $0.mediaType == track.mediaType }) {
        target = free.remove(at: index)
      } else {
        guard let new = addMutableTrack(withMediaType: track.mediaType, preferredTrackID: track.trackID) else { continue }
        new.preferredTransform = track.preferredTransform
        target = new
      }
      try target.insert(material, lasting: range.duration, at: start)
      used.append(target)
    }
    let gap = CMTimeRange(start: CMTime(start, preferredTimescale: 600), duration: timeRange.duration)
    for track in list where !used.contains(where: { $0 === track }) { track.insertEmptyTimeRange(gap) }
  }

  /// Plays a range of all tracks of an asset, which is read on another thread where it was not yet, and then calls the handler.
  open func insertTimeRange(
    _ timeRange: CMTimeRange, of asset: AVAsset, at startTime: CMTime,
    completionHandler: @escaping @Sendable ((any Error)?) -> Void
  ) {
    DispatchQueue.global().async {
      do {
        try self.insertTimeRange(timeRange, of: asset, at: startTime)
        completionHandler(nil)
      } catch { completionHandler(error) }
    }
  }

  open func insertEmptyTimeRange(_ timeRange: CMTimeRange) { for track in list { track.insertEmptyTimeRange(timeRange) } }
  open func removeTimeRange(_ timeRange: CMTimeRange) { for track in list { track.removeTimeRange(timeRange) } }
  open func scaleTimeRange(_ timeRange: CMTimeRange, toDuration duration: CMTime) {
    for track in list { track.scaleTimeRange(timeRange, toDuration: duration) }
  }
}

extension AVAsset {
  /// The asset as an edit: itself, or all of its tracks as they are, under their own IDs.
  func asComposition() throws(AVError) -> AVComposition {
    if let edit = self as? AVComposition { return edit }
    let edit = AVMutableComposition()
    for track in try loadedTracks() where track.isPlayable {
      guard let copy = edit.addMutableTrack(withMediaType: track.mediaType, preferredTrackID: track.trackID) else { continue }
      copy.preferredTransform = track.preferredTransform
      let range = try MediaTimeRange(CMTimeRange(start: .zero, end: track.timeRange.end), "timeRange")
      if !range.isEmpty { try copy.insert(track.material(in: range), lasting: range.duration, at: .zero) }
    }
    return edit
  }
}
