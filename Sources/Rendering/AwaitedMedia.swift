// Stands in for Media's AudioReader and StillImage and Drawing's use of the latter until they land.
internal import Drawing
internal import Media
internal import MediaTime
internal import Timeline

final class AudioReader {
  init(
    path: String, track: TrackFacts, policy: SourcePolicy, from: Rational, rate: Rational, sampleRate: Int32,
    layout: AudioCodecSettings.ChannelLayout
  ) throws(MediaError) { throw MediaError(.unsupported, at: path, "sound is not read yet") }
  func read(_ count: Int, into planes: inout [[Float]]) throws(MediaError) -> Int { 0 }
}

struct StillImage {
  static func load(_ path: String, policy: SourcePolicy) throws(MediaError) -> StillImage {
    throw MediaError(.unsupported, at: path, "images are not read yet")
  }
}

extension Raster {
  init(image: StillImage, content: ImageContent, in size: PixelSize) throws(DrawingError) {
    self.init(x: 0, y: 0, width: 1, height: 1, rgba: [0, 0, 0, 0])
  }
}
