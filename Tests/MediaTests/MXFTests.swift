import FarmTesting
import Formats
import Media
import MediaTime
import Testing

/// MXF files as FFmpeg and MediaInfo read them. The matrix of exports tries the codecs of pictures alone.
@Suite struct `An MXF` {
  private let directory = TemporaryDirectory()

  private func synthetic(_ frameDuration: MediaTime, _ coding: VideoCoding = .mpeg2(MPEG2())) -> SyntheticSegments {
    var synthetic = SyntheticSegments(
      settings: VideoCodecSettings(coding), layout: .init(coding.coder.chroma), frameDuration: frameDuration)
    let least = coding.coder.leastSize
    synthetic.size = PixelSize(max(64, least.width), max(36, least.height))
    return synthetic
  }

  private func given(_ count: Int, _ layout: AudioCodecSettings.ChannelLayout, _ range: Range<Int>) -> [Int32] {
    range.flatMap { index in
      (0..<layout.channelCount).map { index < count ? Int32(syntheticSample(channel: $0, index: index) * 8_388_608) << 8 : 0 }
    }
  }

  @Test(
    arguments: [
      (.mpeg2(MPEG2(chroma: .yuv422)), 1001, 30_000, .stereo), (.mpeg2(MPEG2()), 1, 25, .surround51),
      (.mpeg2(MPEG2()), 1001, 60_000, .mono), (.dnxhr(DNxHR()), 1001, 30_000, .stereo),
      (.dnxhr(DNxHR(profile: .hqx)), 1, 24, .mono),
    ] as [(VideoCoding, Int64, Int32, AudioCodecSettings.ChannelLayout)])
  func `has each frame at its time, and exactly the samples that were given`(
    coding: VideoCoding, value: Int64, timescale: Int32, layout: AudioCodecSettings.ChannelLayout
  ) throws {
    let synthetic = synthetic(try MediaTime(value, timescale), coding)
    let segments = try synthetic.write([4, 1, 9], in: directory)
    let count = Int((Double(14 * 48_000 * value) / Double(timescale)).rounded())
    let settings = AudioCodecSettings(AudioCodec.pcm.usual, channelLayout: layout)
    let sound = try writeSound(settings, count: count, to: directory.file("sound.nut"))
    let movie = directory.file("movie.mxf")
    try synthetic.mux(segments, sound: sound, to: movie, .mxf)
    #expect(try MediaTools.frames(movie).map(\.md5) == segments.flatMap { try MediaTools.frames($0.path).map(\.md5) })
    #expect(try MediaTools.frames(movie).map(\.time) == Array(0..<14))
    #expect(
      try MediaTools.probe(movie, "v", "packet=pts,duration").map { $0.split(separator: ",").map(String.init) }
        .sorted { Int($0[0]) ?? 0 < Int($1[0]) ?? 0 } == (0..<14).map { ["\($0)", "1"] })
    #expect(
      try MediaTools.probe(movie, "v", "stream=r_frame_rate,time_base,duration_ts,nb_read_frames")
        == ["\(timescale)/\(value),\(value)/\(timescale),14,14"])
    #expect(
      try MediaTools.probe(movie, "a", "stream=codec_name,sample_rate,channels,duration_ts")
        == ["pcm_s24le,48000,\(layout.channelCount),\(count)"])
    #expect(try MediaTools.samples(movie, in: directory) == given(count, layout, 0..<count))
    let units = try MediaTools.probe(movie, "a", "packet=pts").compactMap { Int($0) }
    #expect(units == (0..<14).map { Int((Double($0 * 48_000 * Int(value)) / Double(timescale)).rounded()) })
  }

  @Test func `fills the sound with silence up to the end of the last frame`() throws {
    let synthetic = synthetic(try MediaTime(1, 25))
    let sound = try writeSound(.usual(.pcm), count: 5000, to: directory.file("sound.nut"))
    let movie = directory.file("movie.mxf")
    try synthetic.mux(synthetic.write([5], in: directory), sound: sound, to: movie, .mxf)
    #expect(try MediaTools.samples(movie, in: directory) == given(5000, .stereo, 0..<9600))
  }

  @Test func `is an OP1a with an index, which begins at 00:00:00:00`() throws {
    let synthetic = synthetic(try MediaTime(1, 25))
    let movie = directory.file("movie.mxf")
    // The muxer begins a new partition after 250 frames.
    let sound = try writeSound(.usual(.pcm), count: 271 * 1920, to: directory.file("sound.nut"))
    let segments = try synthetic.write([200, 71], in: directory)
    try synthetic.mux(segments, sound: sound, to: movie, .mxf)
    let format = "--Inform=General;%Format% %Format_Profile% %FrameCount% %Duration%"
    #expect(try MediaTools.mediainfo([format, movie]) == "MXF OP-1a 271 10840\n")
    #expect(try MediaTools.ffprobe(["-show_entries", "format_tags=timecode", "-of", "csv=p=0", movie]) == "00:00:00:00\n")
    let all = try MediaTools.frames(movie).map(\.md5)
    for index in [0, 11, 12, 199, 200, 251, 270] {
      let found = try MediaTools.ffmpeg(
        ["-ss", "\(Double(index) / 25)", "-i", movie, "-frames:v", "1", "-map", "0:v", "-f", "framemd5", "-"], isStrict: true)
      #expect(found.contains(all[index]), "frame \(index)")
    }
  }

  @Test func `is the same bytes each time, and another material for another movie`() throws {
    let synthetic = synthetic(try MediaTime(1, 25))
    let segments = try synthetic.write([5, 9], in: directory)
    let sound = try writeSound(.usual(.pcm), count: 20_000, to: directory.file("sound.nut"))
    let movies = try [0, 0, 1].enumerated().map { number, rest in
      let movie = directory.file("\(number).mxf")
      try synthetic.mux(Array(segments.dropFirst(rest)), sound: rest == 0 ? sound : nil, to: movie, .mxf)
      return movie
    }
    #expect(try FileDigest(of: movies[0]) == FileDigest(of: movies[1]))
    let materials = try movies.map {
      try MediaTools.ffprobe(["-show_entries", "format_tags=material_package_umid", "-of", "csv=p=0", $0])
    }
    #expect(materials[0] == materials[1] && materials[0] != materials[2])
    #expect(!materials[0].contains("00000000000000000000"))
  }
}
