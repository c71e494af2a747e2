import FarmTesting
import Formats
import Media
import MediaTime
import Testing

@Suite struct `HDR metadata` {
  private let directory = TemporaryDirectory()
  private var policy: SourcePolicy { SourcePolicy(roots: [directory.path]) }

  private static let display = MasteringDisplay(
    red: SIMD2(0.68, 0.32), green: SIMD2(0.265, 0.69), blue: SIMD2(0.15, 0.06), white: SIMD2(0.3127, 0.329),
    luminance: 0.0005...4000)
  private static let light = ContentLight(maximum: 2500, frameAverage: 180)
  /// The same metadata as parameters of x265.
  private static let x265 =
    "log-level=error:hdr10=1:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(40000000,5):max-cll=2500,180"

  private func probed(_ path: String) throws -> HDRMetadata? {
    guard case .video(let video) = try AssetProbe.facts(of: path, policy: policy).tracks[0].detail else { return nil }
    return video.hdrMetadata
  }

  /// The metadata that ffprobe reports, as decimals.
  private func told(_ path: String) throws -> [String: Double] {
    let lines = try MediaTools.ffprobe(
      ["-select_streams", "v:0", "-show_entries", "stream_side_data", "-of", "default=nw=1", path], isStrict: true)
    var told: [String: Double] = [:]
    for line in lines.split(separator: "\n") {
      let parts = line.split(separator: "=")
      guard parts.count == 2, parts[0] != "side_data_type" else { continue }
      let numbers = parts[1].split(separator: "/").compactMap { Double($0) }
      told[String(parts[0])] = numbers.count == 2 ? numbers[0] / numbers[1] : numbers[0]
    }
    return told
  }

  @Test(arguments: [FileType.mp4, .mov, .mkv], [8, 10])
  func `stands in the container, whatever it is, and is read from there`(fileType: FileType, bitDepth: Int) throws {
    for codec in [VideoCodec.h264, .hevc, .ffv1] where codec.fileTypes.contains(fileType) {
      var settings = VideoCodecSettings.usual(codec)
      settings.bitDepth = bitDepth
      let metadata = HDRMetadata(masteringDisplay: Self.display, contentLight: Self.light)
      let synthetic = SyntheticSegments(
        settings: settings, frameDuration: try MediaTime(1, 25), color: .bt2020PQ, hdrMetadata: metadata)
      let movie = directory.file("movie")
      try synthetic.mux(synthetic.write([2, 3, 1], in: directory), to: movie, fileType)
      let told = try told(movie)
      let expected = [
        "red_x": 0.68, "red_y": 0.32, "green_x": 0.265, "green_y": 0.69, "blue_x": 0.15, "blue_y": 0.06,
        "white_point_x": 0.3127, "white_point_y": 0.329, "min_luminance": 0.0005, "max_luminance": 4000,
        "max_content": 2500, "max_average": 180,
      ]
      #expect(Set(told.keys) == Set(expected.keys))
      for (name, value) in expected { #expect(abs(told[name, default: -1] - value) < 1e-9, "\(name)") }
      #expect(try probed(movie) == metadata)
    }
  }

  @Test func `stands in front of each segment's first picture of H.264`() throws {
    let synthetic = SyntheticSegments(
      settings: .h264(speed: .veryfast, bitDepth: 10), frameDuration: try MediaTime(1, 25),
      color: .bt2020PQ, hdrMetadata: HDRMetadata(masteringDisplay: Self.display, contentLight: Self.light))
    for segment in try synthetic.write([20, 30, 10], in: directory) {
      let stream = directory.file("segment.h264")
      // A segment has its parameter sets outside of the stream.
      try MediaTools.ffmpeg(["-i", segment.path, "-c", "copy", "-bsf:v", "dump_extra", stream])
      let facts = "%MasteringDisplay_ColorPrimaries%|%MasteringDisplay_Luminance%|%MaxCLL%|%MaxFALL%"
      #expect(
        try MediaTools.mediainfo(["--Inform=Video;\(facts)", stream])
          == "Display P3|min: 0.0005 cd/m2, max: 4000 cd/m2|2500 cd/m2|180 cd/m2\n")
    }
  }

  @Test func `each half of it stands alone`() throws {
    for metadata in [
      HDRMetadata(masteringDisplay: Self.display, contentLight: nil),
      HDRMetadata(masteringDisplay: nil, contentLight: Self.light),
      nil,
    ] {
      let synthetic = SyntheticSegments(frameDuration: try MediaTime(1, 25), color: .bt2020PQ, hdrMetadata: metadata)
      let movie = directory.file("movie")
      try synthetic.mux(synthetic.write([2], in: directory), to: movie, .mp4)
      #expect(try probed(movie) == metadata)
    }
  }

  @Test(arguments: ["a.mp4", "a.mkv"])
  func `is read beside the first frame where the container does not have it`(name: String) throws {
    try SyntheticSource(frameCount: 3).write(
      to: directory.file(name),
      [
        "-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-x265-params", Self.x265, "-colorspace", "bt2020nc", "-color_primaries",
        "bt2020", "-color_trc", "smpte2084",
      ])
    #expect(try told(directory.file(name)) == [:])
    #expect(try probed(directory.file(name)) == HDRMetadata(masteringDisplay: Self.display, contentLight: Self.light))
  }
}
