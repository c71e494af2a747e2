// An asset, an edit and an edit that can be changed each have tracks of a type of their own under the same names. Swift's classes cannot
// override an array by one of another type, so that the names of the first two are not in the classes.

/// The kind of object that has tracks.
public protocol AVAssetOfTracks: AnyObject {}

/// The kind of asset that has an edit's tracks.
public protocol AVCompositionOfTracks: AVAssetOfTracks {}

extension AVAssetOfTracks where Self: AVAsset {
  /// The tracks; none where the medium cannot be read. `load(.tracks)` tells the reason.
  public var tracks: [AVAssetTrack] { do { return try loadedTracks() } catch { return [] } }

  public func tracks(withMediaType mediaType: AVMediaType) -> [AVAssetTrack] { tracks.filter { $0.mediaType == mediaType } }

  public func tracks(withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic) -> [AVAssetTrack] {
    tracks.filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
  }

  public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVAssetTrack] {
    try loadedTracks().filter { $0.mediaType == mediaType }
  }

  public func loadTracks(withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic) async throws -> [AVAssetTrack] {
    try loadedTracks().filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
  }
}

extension AVCompositionOfTracks where Self: AVComposition {
  /// The tracks, in order.
  public var tracks: [AVCompositionTrack] { compositionTracks }

  public func tracks(withMediaType mediaType: AVMediaType) -> [AVCompositionTrack] {
    tracks.filter { $0.mediaType == mediaType }
  }

  public func tracks(withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic) -> [AVCompositionTrack] {
    tracks.filter { $0.hasMediaCharacteristic(mediaCharacteristic) }
  }

  public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVCompositionTrack] {
    tracks(withMediaType: mediaType)
  }

  public func loadTracks(
    withMediaCharacteristic mediaCharacteristic: AVMediaCharacteristic
  ) async throws -> [AVCompositionTrack] { tracks(withMediaCharacteristic: mediaCharacteristic) }
}
