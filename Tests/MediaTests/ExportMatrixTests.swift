import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// A codec in a file type that is offered for it.
struct Cell<Codec: Sendable>: Sendable, CustomTestStringConvertible {
  let codec: Codec
  let type: FileType

  var testDescription: String { "\(codec) in \(type)" }
}

/// Tests of every codec in every file type that is offered for it. One encoder works at a time, with tiny pictures: x265 and
/// SVT-AV1 take much memory.
@Suite(.serialized) struct `each codec that is offered` {
  private let directory = TemporaryDirectory()

  /// Animations have tests of their own (`RenderingTests/AnimationTests`): a palette is no close copy of noise, and FFmpeg reads no WebP that moves.
  static let pictures = VideoCodec.allCases.filter { ![.gif, .png, .webp, .tiff].contains($0) }.flatMap { codec in
    codec.fileTypes.filter { !$0.isFolder }.map { Cell(codec: codec, type: $0) }
  }
  /// An MXF holds no sound alone, a transport stream begins with its priming, and pieces are a folder: each has tests of its own.
  static let sounds = AudioCodec.allCases.flatMap { codec in
    codec.fileTypes.filter { ![.mxf, .mpegts, .cmaf].contains($0) }.map { Cell(codec: codec, type: $0) }
  }

  @Test(arguments: pictures)
  func `of pictures gives every frame at its time, of two chunks, in each of its file types`(cell: Cell<VideoCodec>) throws {
    let synthetic = try synthetic(cell.codec.quick)
    let segments = try synthetic.write([4, 3], in: directory)
    #expect(segments[0].facts.parameterSetDigest == segments[1].facts.parameterSetDigest)
    let movie = directory.file("movie.\(cell.type)")
    try synthetic.mux(segments, to: movie, cell.type)
    // ffprobe names the streams of a transport stream twice, in their program and by themselves.
    #expect(try Set(MediaTools.probe(movie, "v", "stream=codec_name,nb_read_frames")) == ["\(cell.codec.name),7"])
    #expect(try MediaTools.frames(movie).count == 7)
    let track = try #require(try AssetProbe.facts(of: movie, policy: .anywhere).playableTracks(.video).first)
    let times = try PacketTimes(path: movie, track: track, policy: .anywhere)
    for (index, time) in times.presentation.enumerated() {
      let exact = try Rational(synthetic.frameDuration) * Rational(Int64(index))
      #expect(try (time < exact ? exact - time : time - exact) < times.tick)
    }
    let tags = try Set(MediaTools.probe(movie, "v", "stream=color_range,color_space,color_transfer,color_primaries"))
    // FFV1 and v210 have no field for the range, and neither has mov. Players take an unknown range for limited.
    let color = cell.codec.usual.coder.color(.bt709)
    let range = cell.type == .mov && [.ffv1, .v210].contains(cell.codec) ? "unknown" : color.range.rawValue
    // An AVI says nothing of colour; a JPEG tells its matrix and range.
    let primaries = cell.type.tellsPrimaries ? "bt709" : "unknown"
    #expect(tags == ["\(range),\(color.matrix.rawValue),\(primaries),\(primaries)"])
    let reader = try VideoReader(path: movie, track: track, policy: .anywhere)
    for index in 0..<7 {
      let middle = try Rational(synthetic.frameDuration) * Rational(Int128(2 * index + 1), over: 2)
      let copy = try reader.frame(at: middle).holding(synthetic.format.bitDepth)
      #expect(copy.format == synthetic.format)
      #expect(try meanDifference(copy, synthetic.frame(index)) < 8, "frame \(index)")
    }
  }

  @Test(
    arguments: [
      VideoCoding.h264(H264(speed: .ultrafast, chroma: .yuv422)), .h264(H264(speed: .ultrafast, chroma: .yuv444)),
      .hevc(HEVC(speed: .ultrafast, chroma: .yuv422)), .hevc(HEVC(speed: .ultrafast, chroma: .yuv444)),
      .ffv1(FFV1(chroma: .yuv422)), .ffv1(FFV1(chroma: .yuv444)), .mpeg2(MPEG2(chroma: .yuv420)), .mpeg2(MPEG2(chroma: .yuv422)),
    ] + ProRes.Profile.allCases.map { .prores(ProRes(profile: $0)) } + DNxHR.Profile.allCases.map { .dnxhr(DNxHR(profile: $0)) })
  func `keeps its sampling of chroma and its profile in QuickTime movies`(coding: VideoCoding) throws {
    for bitDepth in coding.coder.bitDepths {
      let synthetic = try synthetic(VideoCodecSettings(coding, bitDepth: bitDepth))
      let movie = directory.file("movie.mov")
      try synthetic.mux(synthetic.write([2, 1], in: directory), to: movie, .mov)
      let found = try MediaTools.probe(movie, "v", "stream=codec_tag_string,pix_fmt,nb_read_frames")
      // FFmpeg decodes all ProRes 4444 to 12 bits.
      let depth = coding.coder.sampleEntry?.hasPrefix("ap4") == true ? 12 : bitDepth
      if let tag = coding.coder.sampleEntry { #expect(found == ["\(tag),\(coding.coder.chroma.pixelFormat(bitDepth: depth)),3"]) }
      #expect(found.first?.contains(",\(coding.coder.chroma.pixelFormat(bitDepth: depth)),3") == true)
    }
  }

  @Test(arguments: [VideoCodec.hevc, .av1, .vp9])
  func `of pictures makes the same bytes of the same frames`(codec: VideoCodec) throws {
    let synthetic = try synthetic(codec.quick)
    let facts = try (0..<2).map { try synthetic.write(5..<11, to: directory.file("\($0).nut")).facts }
    #expect(facts[0] == facts[1])
  }

  @Test func `of HEVC holds back no frame beyond its reorder depth, and starts groups in time`() throws {
    var synthetic = SyntheticSegments(settings: .init(.hevc(HEVC(speed: .medium))), frameDuration: try MediaTime(1, 5))
    synthetic.size = PixelSize(32, 32)
    let movie = directory.file("movie.mp4")
    try synthetic.mux(synthetic.write([60, 1, 9], in: directory), to: movie, .mp4)
    let keys = try MediaTools.probe(movie, "v", "packet=flags").enumerated().filter { $1.hasPrefix("K") }.map(\.offset)
    #expect(keys.contains(60) && keys.contains(61))
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $1 - $0 <= 50 })
    #expect(try MediaTools.frames(movie).count == 70)
  }

  @Test(arguments: sounds, [4800, 50_001])
  func `of sound is heard for exactly as many samples as were given`(cell: Cell<AudioCodec>, count: Int) throws {
    let settings = AudioCodecSettings.usual(cell.codec).stored(in: cell.type)
    let sound = try writeSound(settings, count: count, to: directory.file("sound.nut"))
    let movie = directory.file("sound.\(cell.type)")
    try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux([], sound: sound, to: movie, cell.type)
    #expect(try MediaTools.samples(movie, in: directory).count == count * 2)
  }

  @Test(arguments: sounds)
  func `of sound stands where it was given`(cell: Cell<AudioCodec>) throws {
    let click = 30_011
    let settings = AudioCodecSettings.usual(cell.codec).stored(in: cell.type)
    let sound = try writeSound(settings, count: 50_000, to: directory.file("sound.nut")) { $1 == click ? 0.9 : 0 }
    let movie = directory.file("sound.\(cell.type)")
    try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux([], sound: sound, to: movie, cell.type)
    let samples = try MediaTools.samples(movie, in: directory)
    let loudest = try #require(samples.indices.max { samples[$0].magnitude < samples[$1].magnitude })
    #expect(abs(loudest / 2 - click) <= (cell.codec == .opus ? 3 : 0))
  }

  @Test(arguments: [FileType.webm, .mkv, .mp4])
  func `of sound begins with the picture, at 0, though Opus has priming`(type: FileType) throws {
    let synthetic = try synthetic(VideoCodec.vp9.quick)
    let click = 24_000
    let sound = try writeSound(.usual(.opus), count: 30_000, to: directory.file("sound.nut")) { $1 == click ? 0.9 : 0 }
    let movie = directory.file("movie.\(type)")
    try synthetic.mux(synthetic.write([4, 3], in: directory), sound: sound, to: movie, type)
    #expect(try MediaTools.probe(movie, "v", "packet=pts").first == "0")
    let policy = SourcePolicy.anywhere
    let track = try #require(try AssetProbe.facts(of: movie, policy: policy).playableTracks(.audio).first)
    let reader = try AudioReader(
      path: movie, track: track, policy: policy, from: Rational(0), rate: Rational(1), sampleRate: 48_000, layout: .stereo)
    var samples = [Float](repeating: 0, count: 40_000)
    var other = samples
    let count = try unsafe samples.withUnsafeMutableBufferPointer { left in
      try unsafe other.withUnsafeMutableBufferPointer { try unsafe reader.read(40_000, into: [left, $0]) }
    }
    #expect(count == 30_000)
    let loudest = try #require(samples.indices.max { abs(samples[$0]) < abs(samples[$1]) })
    #expect(abs(loudest - click) <= 3)
  }

  @Test(arguments: PCM.Samples.allCases, [FileType.wav, .aiff, .mov, .mkv])
  func `of PCM has the samples that were asked for`(form: PCM.Samples, type: FileType) throws {
    let settings = AudioCodecSettings(.pcm(PCM(samples: form))).stored(in: type)
    let sound = try writeSound(settings, count: 5000, to: directory.file("sound.nut")) { Float($1 - 2500) / 2500 }
    let movie = directory.file("sound.\(type)")
    try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux([], sound: sound, to: movie, type)
    #expect(try MediaTools.probe(movie, "a", "stream=codec_name") == [settings.coding.coder.encoderName])
    let samples = try MediaTools.samples(movie, in: directory)
    for (index, sample) in samples.enumerated() {
      let given = Double(Float(index / 2 - 2500) / 2500) * 2_147_483_648
      #expect(abs(Double(sample) - given) <= (form == .int16 ? 32_769 : 129))
    }
  }

  private func synthetic(_ settings: VideoCodecSettings) throws -> SyntheticSegments {
    var synthetic = SyntheticSegments(settings: settings, frameDuration: try MediaTime(1001, 30_000))
    let (coder, usual) = (settings.coding.coder, synthetic.size)
    synthetic.layout = .init(coder.chroma)
    synthetic.color = coder.color(synthetic.color)
    synthetic.size = PixelSize(max(usual.width, coder.leastSize.width), max(usual.height, coder.leastSize.height))
    return synthetic
  }

  /// The mean of the absolute differences of all samples, as if they had 8 bits.
  private func meanDifference(_ a: PixelBuffer, _ b: PixelBuffer) throws -> Double {
    var (sum, count) = (0, 0)
    for index in 0..<a.format.planeCount {
      let (left, right) = unsafe (a.plane(index), b.plane(index))
      for y in unsafe 0..<left.height {
        let (one, two) = unsafe (left.base + y * left.stride, right.base + y * right.stride)
        for x in unsafe 0..<left.width {
          if a.format.bytesPerSample == 1 {
            sum += unsafe abs(Int(one[x]) - Int(two[x]))
          } else {
            let wide = unsafe (UnsafeRawPointer(one + 2 * x), UnsafeRawPointer(two + 2 * x))
            sum += unsafe abs(Int(wide.0.load(as: UInt16.self)) - Int(wide.1.load(as: UInt16.self))) >> (a.format.bitDepth - 8)
          }
          count += 1
        }
      }
    }
    return Double(sum) / Double(count)
  }
}

extension VideoCodec {
  /// FFmpeg's name of the codec.
  fileprivate var name: String {
    switch self {
    case .dnxhr: "dnxhd"
    case .mpeg2: "mpeg2video"
    default: rawValue
    }
  }

  /// The usual settings at the quickest speed.
  fileprivate var quick: VideoCodecSettings {
    var coding = usual
    if case .word(let words)? = coding.coder.keys.first(where: { $0.name == "speed" })?.form {
      coding.set("speed", to: .word(words[0]))
    }
    coding.set("crf", to: .number(16))
    return VideoCodecSettings(coding)
  }
}

extension SourcePolicy {
  fileprivate static let anywhere = SourcePolicy(roots: ["/"])
}
