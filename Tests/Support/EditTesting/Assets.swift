package import Formats
package import MediaTime
package import Timeline

/// Facts of assets, in the form in which probing returns them.
package enum Assets {
  package static func movie(
    seconds: Int64 = 60, size: PixelSize = PixelSize(1280, 720), rate: MediaTime? = MediaTime(seconds: 25),
    base: MediaTime? = nil,
    color: ColorTags = .bt709, alpha: AlphaForm? = nil, sound: Bool = true
  ) throws -> AssetFacts {
    var tracks = [try track(0, .video(video(size: size, rate: rate, base: base, color: color, alpha: alpha)), seconds)]
    if sound {
      tracks.append(try track(1, .audio(AudioFacts(sampleRate: 48_000, channelCount: 2, channelLayout: "stereo")), seconds))
    }
    return AssetFacts(container: "mov,mp4,m4a,3gp,3g2,mj2", duration: try MediaTime(seconds), byteCount: 1, tracks: tracks)
  }

  package static func song(seconds: Int64 = 60) throws -> AssetFacts {
    let audio = AudioFacts(sampleRate: 44_100, channelCount: 2, channelLayout: "stereo")
    return AssetFacts(
      container: "mp3", duration: try MediaTime(seconds), byteCount: 1, tracks: [try track(0, .audio(audio), seconds)])
  }

  /// A still picture whose track was rejected.
  package static func logo() throws -> AssetFacts {
    let picture = video(size: PixelSize(96, 96), rate: nil, color: .srgb)
    return AssetFacts(
      container: "png_pipe", duration: .zero, byteCount: 1,
      tracks: [try track(0, .video(picture), 0, rejection: "the pixel format rgba is not supported")])
  }

  package static func video(
    size: PixelSize, rate: MediaTime?, base: MediaTime? = nil, color: ColorTags, alpha: AlphaForm? = nil
  ) -> VideoFacts {
    VideoFacts(
      naturalSize: size, displaySize: size, orientation: .up, pixelAspect: PixelSize(1, 1), nominalFrameRate: rate,
      pixelFormat: "yuv420p", bitDepth: 8, color: color, baseFrameRate: base, alpha: alpha)
  }

  package static func track(_ index: Int, _ detail: TrackFacts.Detail, _ seconds: Int64, rejection: String? = nil) throws
    -> TrackFacts
  {
    TrackFacts(
      index: index, codec: "h264", naturalTimeScale: 90_000,
      timeRange: try MediaTimeRange(start: .zero, duration: MediaTime(seconds)), detail: detail, rejection: rejection)
  }

  /// A time code of 25 frames a second whose label has 26.
  package static func brokenTimecode() throws -> SourceTimecode? {
    var timecode = SourceTimecode("00:00:00:24", frameDuration: try MediaTime(1, 25))
    timecode?.label = "00:00:00:25"
    return timecode
  }

  /// The facts of the assets in the opening document.
  package static func opening() throws -> [AssetID: AssetFacts] {
    try [AssetID("bikes"): movie(), AssetID("bunny"): movie(), AssetID("song"): song(), AssetID("logo"): logo()]
  }
}
