import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// Makes segment files of synthetic frames. Frame `i` looks the same in any segment.
struct SyntheticSegments {
  var settings = VideoCodecSettings.h264(speed: .veryfast)
  var size = PixelSize(64, 36)
  var layout = PixelFormat.Layout.yuv420
  var frameDuration: MediaTime
  var color = ColorTags.bt709
  var hdrMetadata: HDRMetadata?
  /// The frames from one forced keyframe to the next, counted from frame 0.
  var forcedKeyInterval: Int?

  var format: PixelFormat { PixelFormat(layout, bitDepth: settings.bitDepth) }

  /// A gradient that moves with the index, with noise that depends on the index alone, and a cut every 50 frames.
  func frame(_ index: Int) throws -> PixelBuffer {
    let buffer = try PixelBuffer(format: format, width: size.width, height: size.height, color: color)
    var random = SeededRandom(seed: UInt64(index))
    let scene = index / 50 * 57
    for plane in 0..<format.planeCount {
      let samples = unsafe buffer.plane(plane)
      for y in unsafe 0..<samples.height {
        for x in unsafe 0..<samples.width {
          let value = 16 + (x * 3 + y * (plane + 1) + index * 2 + scene + Int(random.next() & 3)) % 200
          if format.bytesPerSample == 1 {
            unsafe samples.base[y * samples.stride + x] = UInt8(value)
          } else {
            let row = unsafe UnsafeMutableRawPointer(samples.base + y * samples.stride).assumingMemoryBound(to: UInt16.self)
            unsafe row[x] = UInt16(value << (format.bitDepth - 8) | index & 3)
          }
        }
      }
    }
    return buffer
  }

  func encoder(first: Int = 0) throws -> VideoEncoder {
    try VideoEncoder(
      settings: settings, size: size, format: format, frameDuration: frameDuration, forcedKeyInterval: forcedKeyInterval,
      first: first, color: color, hdrMetadata: hdrMetadata)
  }

  /// Encodes consecutive segments of the given lengths, from frame 0 on.
  func write(_ lengths: [Int], in directory: TemporaryDirectory, prefix: String = "") throws -> [SegmentInput] {
    var first = 0
    return try lengths.enumerated().map { number, length in
      defer { first += length }
      return try write(first..<first + length, to: directory.file("\(prefix)\(number).nut"))
    }
  }

  func write(_ frames: Range<Int>, to path: String) throws -> SegmentInput {
    let encoder = try encoder(first: frames.lowerBound)
    let writer = try SegmentWriter(path: path, parameters: encoder.parameters)
    for index in frames { try encoder.encode(frame(index), to: writer) }
    try encoder.finish(to: writer)
    return SegmentInput(path: path, facts: try writer.finish())
  }

  @discardableResult
  func mux(
    _ pictures: [SegmentInput], sound: SegmentInput? = nil, to path: String, _ fileType: FileType, moovFirst: Bool = false,
    fragments: MediaTime? = nil, timecode: String? = nil,
    tags: MovieTags = MovieTags(), chapters: [MovieChapter] = [], captions: [MovieCaptions] = []
  )
    throws -> MuxedMovie
  {
    var form = MovieForm(fileType, frameDuration: frameDuration, color: color)
    (form.video, form.hdrMetadata, form.optimizeForNetworkUse) = (settings, hdrMetadata, moovFirst)
    (form.fragmentInterval, form.timecode, form.tags) = (fragments, timecode, tags)
    (form.chapters, form.captions) = (chapters, captions)
    let muxed = try MovieMux.write(MovieSegments(pictures: pictures, sound: sound), as: form, to: path, progress: { _, _ in })
    // It was computed while the movie was written.
    #expect(try muxed.digest == FileDigest(ofMovie: path), "\(fileType)")
    return muxed
  }
}

/// Encodes a sound of `count` samples to one segment file. Each channel is different.
func writeSound(
  _ settings: AudioCodecSettings, count: Int, to path: String, blocks: Int = 1000,
  sample: (_ channel: Int, _ index: Int) -> Float = syntheticSample
) throws -> SegmentInput {
  let encoder = try AudioEncoder(settings: settings, sampleCount: Int64(count))
  let writer = try SegmentWriter(path: path, parameters: encoder.parameters)
  for start in stride(from: 0, to: count, by: blocks) {
    let channels = (0..<settings.channelLayout.channelCount).map { channel in
      (start..<min(start + blocks, count)).map { sample(channel, $0) }
    }
    try unsafe withChannels(channels[...], []) { try unsafe encoder.encode($0, to: writer) }
  }
  try encoder.finish(to: writer)
  return SegmentInput(path: path, facts: try writer.finish())
}

/// A 24-bit value that is different for each channel and index, so that a lossless codec must return exactly this one.
func syntheticSample(channel: Int, index: Int) -> Float {
  Float((index &* 7919 &+ channel &* 104_729) % 8_388_608 - 4_194_304) / 8_388_608
}

private func withChannels(
  _ channels: ArraySlice<[Float]>, _ open: [UnsafeBufferPointer<Float>], _ body: ([UnsafeBufferPointer<Float>]) throws -> Void
) throws {
  guard let first = channels.first else { return try unsafe body(open) }
  try unsafe first.withUnsafeBufferPointer { try unsafe withChannels(channels.dropFirst(), open + [$0], body) }
}
