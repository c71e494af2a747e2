import FarmTesting
import Formats
import Glibc
import Media
import MediaTime
import Testing

@Suite struct `muxed sound` {
  private let directory = TemporaryDirectory()

  @Test(arguments: [FileType.mp4, .mov], [1023, 1024, 1025, 48_000, 50_001])
  func `of AAC is heard for exactly as many samples as were given`(fileType: FileType, count: Int) throws {
    let movie = try movie(.aac(channelLayout: .mono), count: count, fileType)
    let heard = try MediaTools.samples(movie, in: directory).count
    #expect(heard == count)
    #expect(try MediaTools.probe(movie, "a", "stream=start_pts,duration_ts") == ["0,\(count)"])
  }

  @Test(arguments: [FileType.mp4, .mov, .mkv])
  func `of AAC stands beside copied pictures as it does beside others`(fileType: FileType) throws {
    let synthetic = SyntheticSegments(settings: .h264(speed: .veryfast), frameDuration: try MediaTime(1, 25))
    let pictures = try synthetic.write([25], in: directory)
    let sound = try writeSound(.aac(channelLayout: .mono), count: 48_000, to: directory.file("sound.nut"))
    let times = try [false, true].map { joins in
      var form = MovieForm(fileType, frameDuration: synthetic.frameDuration, color: .bt709)
      (form.video, form.joinsParameterSets) = (synthetic.settings, joins)
      let movie = directory.file("movie-\(joins).\(fileType)")
      try MovieMux.write(MovieSegments(pictures: pictures, sound: sound), as: form, to: movie, progress: { _, _ in })
      return try ["v", "a"].map { try MediaTools.probe(movie, $0, "packet=pts_time,duration_time") }
    }
    #expect(times[0] == times[1] && times[0].allSatisfy { !$0.isEmpty })
  }

  @Test func `of AAC stands where it was given, to the sample`() throws {
    let click = 30_011
    let sound = try writeSound(.aac(channelLayout: .mono, bitRate: 128_000), count: 50_000, to: directory.file("sound.nut")) {
      $1 == click ? 0.9 : 0
    }
    let movie = try movie(sound, .mp4)
    let samples = try MediaTools.samples(movie, in: directory)
    #expect(samples.indices.max { samples[$0].magnitude < samples[$1].magnitude } == click)
  }

  @Test(arguments: [
    (AudioCodec.flac, FileType.mkv, AudioCodecSettings.ChannelLayout.stereo), (.flac, .mp4, .mono), (.flac, .mkv, .surround51),
    (.alac, .mov, .surround51), (.alac, .m4a, .surround51), (.alac, .mp4, .mono),
    (.pcm, .mov, .stereo), (.pcm, .mkv, .stereo), (.pcm, .mov, .surround51),
    (.pcm, .wav, .surround71), (.pcm, .mov, .surround71), (.pcm, .mkv, .surround71), (.pcm, .avi, .surround71),
    (.flac, .flac, .surround71), (.flac, .mkv, .surround71), (.pcm, .wav, .surround714), (.pcm, .mov, .surround714),
    (.pcm, .avi, .surround714), (.pcm, .aiff, .surround714),
  ])
  func `of a lossless codec is the samples that were given, in their channels`(
    codec: AudioCodec, fileType: FileType, layout: AudioCodecSettings.ChannelLayout
  ) throws {
    let settings = AudioCodecSettings(codec.usual, sampleRate: 44_100, channelLayout: layout).stored(in: fileType)
    let movie = try movie(settings, count: 10_007, fileType)
    let given = (0..<10_007).flatMap { index in
      (0..<layout.channelCount).map { Int32(syntheticSample(channel: $0, index: index) * 8_388_608) << 8 }
    }
    #expect(try MediaTools.samples(movie, in: directory) == given)
    // Matroska counts the channels of PCM and does not name them.
    let twelve = "12 channels (FL+FR+FC+LFE+BL+BR+SL+SR+TFL+TFR+TBL+TBR)"
    let expectedLayout = codec == .pcm && fileType == .mkv ? "unknown" : layout == .surround714 ? twelve : layout.rawValue
    #expect(try MediaTools.probe(movie, "a", "stream=sample_rate,channel_layout") == ["44100,\(expectedLayout)"])
  }

  @Test(arguments: [1, 44_099, 100_003])
  func `of FLAC in a file of its own has its length stated`(count: Int) throws {
    let settings = AudioCodecSettings(AudioCodec.flac.usual, sampleRate: 44_100, channelLayout: .mono).stored(in: .flac)
    let movie = try movie(settings, count: count, .flac)
    #expect(try MediaTools.probe(movie, "a", "stream=duration_ts") == ["\(count)"])
  }

  @Test(arguments: AudioCodecSettings.ChannelLayout.allCases.filter { $0.channelCount <= AAC().mostChannels })
  func `of AAC has its layout's name`(layout: AudioCodecSettings.ChannelLayout) throws {
    let movie = try movie(.aac(channelLayout: layout, bitRate: 384_000), count: 5000, .mp4)
    #expect(try MediaTools.probe(movie, "a", "stream=codec_name,channel_layout") == ["aac,\(layout.rawValue)"])
  }

  @Test(arguments: [
    (AudioCodec.opus, FileType.webm, AudioCodecSettings.ChannelLayout.surround51), (.opus, .webm, .surround71),
    (.opus, .mkv, .surround51), (.opus, .mkv, .surround71), (.opus, .mp4, .surround51), (.opus, .mp4, .surround71),
    (.opus, .ogg, .surround51), (.opus, .ogg, .surround71), (.aac, .m4a, .surround51), (.aac, .mp4, .surround71),
    (.aac, .mpegts, .surround51), (.aac, .mpegts, .surround71), (.ac3, .m4a, .surround51), (.ac3, .mpegts, .surround51),
    (.eac3, .mp4, .surround51), (.eac3, .mpegts, .surround51),
  ])
  func `of a lossy codec is heard where it was given, for exactly as many samples`(
    codec: AudioCodec, fileType: FileType, layout: AudioCodecSettings.ChannelLayout
  ) throws {
    var settings = AudioCodecSettings(codec.usual, channelLayout: layout)
    settings.coding.bitRate = 640_000
    // Each channel has a tone of its own.
    let tones = [200.0, 300, 400, 50, 600, 700, 800, 900]
    let sound = try writeSound(settings, count: 30_001, to: directory.file("sound.nut")) { channel, index in
      Float(0.4 * sin(2 * .pi * tones[channel] * Double(index) / 48_000))
    }
    let movie = try movie(sound, fileType)
    // FFmpeg calls the surround channels of AC-3 those at the side.
    let said = try MediaTools.probe(movie, "a", "stream=sample_rate,channel_layout")
    #expect(said.allSatisfy { $0.hasPrefix("48000,\(layout.rawValue)") } && !said.isEmpty, "\(said)")
    let (samples, count) = (try MediaTools.samples(movie, in: directory), layout.channelCount)
    // A transport stream begins with its priming.
    #expect(fileType == .mpegts ? samples.count > 30_001 * count : samples.count == 30_001 * count)
    // A fifth of a second has whole periods of each tone.
    let window = 10_000..<19_600
    for channel in 0..<count {
      let strengths = tones[..<count].map { tone in
        let sums = window.reduce((real: 0.0, imaginary: 0.0)) { sums, index in
          let (sample, phase) = (
            Double(samples[index * count + channel]) / 2_147_483_648, 2 * .pi * tone * Double(index) / 48_000
          )
          return (sums.real + sample * cos(phase), sums.imaginary + sample * sin(phase))
        }
        return 2 * hypot(sums.real, sums.imaginary) / Double(window.count)
      }
      let isAlone = strengths.indices.allSatisfy { abs(strengths[$0] - ($0 == channel ? 0.4 : 0)) < 0.04 }
      #expect(isAlone, "channel \(channel): \(strengths)")
    }
  }

  @Test(arguments: [1151, 48_000])
  func `of MP3 in a QuickTime movie is heard for exactly as many samples as were given`(count: Int) throws {
    let settings = AudioCodecSettings.usual(.mp3)
    let movie = try movie(settings, count: count, .mov)
    let heard = try MediaTools.samples(movie, in: directory).count
    #expect(heard == count * 2)
  }

  @Test func `of AAC in Matroska comes after its priming, and the picture as much later`() throws {
    let synthetic = SyntheticSegments(frameDuration: try MediaTime(1, 25))
    let sound = try writeSound(.aac(), count: 48_000, to: directory.file("sound.nut"))
    let movie = directory.file("movie")
    try synthetic.mux(synthetic.write([25], in: directory), sound: sound, to: movie, .mkv)
    // The encoder is given 128 samples of silence and 48 000 of sound, which are 47 blocks. Its delay is one block more.
    #expect(try MediaTools.probe(movie, "a", "packet=pts").first == "0")
    #expect(try MediaTools.probe(movie, "v", "packet=pts").first == "24")
    #expect(try MediaTools.probe(movie, "a", "stream=nb_read_frames") == ["48"])
  }

  @Test(arguments: [(FileType.aiff, 1_073_725_441, 4), (.mov, Int64(UInt32.max) + 1, 6)])
  func `that is longer than the file counts is refused before it is written`(type: FileType, length: Int64, stride: Int) throws {
    let settings = AudioCodecSettings(.pcm(PCM(samples: stride == 4 ? .int16 : .int24))).stored(in: type)
    let sound = try writeSound(settings, count: 4096, to: directory.file("sound.nut"))
    let facts = SegmentFacts(digest: sound.facts.digest, length: length, parameterSetDigest: sound.facts.parameterSetDigest)
    let path = directory.file("movie.\(type)")
    let error = #expect(throws: MediaError.self) {
      try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux(
        [], sound: SegmentInput(path: sound.path, facts: facts), to: path, type)
    }
    #expect(error?.kind == .unsupported && error?.reason.contains("holds at most") == true, "\(error.map { "\($0)" } ?? "")")
    #expect(throws: MediaTools.Failure.self, "nothing is left") { try read(path) }
  }

  @Test func `lasts as long as the picture, each exactly, though their clocks differ`() throws {
    let synthetic = SyntheticSegments(frameDuration: try MediaTime(1001, 30000))
    let sound = try writeSound(.aac(sampleRate: 44_100), count: 44_144, to: directory.file("sound.nut"))
    let movie = directory.file("movie")
    try synthetic.mux(synthetic.write([30], in: directory), sound: sound, to: movie, .mp4)
    #expect(try MediaTools.probe(movie, "v", "stream=duration_ts,time_base") == ["1/30000,30030"])
    #expect(try MediaTools.probe(movie, "a", "stream=duration_ts,time_base") == ["1/44100,44144"])
    #expect(try MediaTools.samples(movie, in: directory).count == 44_144 * 2)
  }

  private func movie(_ settings: AudioCodecSettings, count: Int, _ fileType: FileType) throws -> String {
    try movie(writeSound(settings, count: count, to: directory.file("sound.nut")), fileType)
  }

  private func movie(_ sound: SegmentInput, _ fileType: FileType) throws -> String {
    let path = directory.file("movie.\(fileType)")
    try SyntheticSegments(frameDuration: MediaTime(1, 25)).mux([], sound: sound, to: path, fileType)
    return path
  }
}
