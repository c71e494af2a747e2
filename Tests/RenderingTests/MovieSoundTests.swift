import FarmTesting
import Formats
import MediaTime
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Movies with several sounds, as ffprobe and ffmpeg read them, against the mixes of edits with one sound.
@Suite struct `A movie with several sounds` {
  private let workshop = Workshop()

  private init() throws {
    try workshop.clip("v.mkv", frameCount: 50)
    for (name, tone) in [("music", 220), ("german", 500), ("english", 900)] {
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-i", "aevalsrc='0.2*sin(2*PI*\(tone)*t)*(1+sin(2*PI*3*t))|0.1*sin(2*PI*\(tone + 7)*t)':s=48000:d=2",
        "-c:a", "pcm_f32le", workshop.file("\(name).wav"),
      ])
    }
  }

  /// An edit of some of the tracks, in which the music yields to the voices that there are.
  private func edit(
    _ sounds: String, type: String, audio: String, tracks: [String] = ["music", "german", "english"]
  ) throws -> ResolvedTimeline {
    let list = tracks.map { track in
      let place = #""at": "\#(track == "english" ? "0.5" : "0")", "source": {"start": "0", "duration": "1.5"}"#
      return #"{"id": "\#(track)", "media": "audio", "segments": [{"asset": "\#(track)", \#(place)}]}"#
    }
    let assets = tracks.map { #""\#($0)": {"path": "\#($0).wav"}"# }
    let voices = tracks.filter { $0 != "music" }.map { "\"\($0)\"" }.joined(separator: ", ")
    let duck = #"{"track": "music", "volume": 0.7, "duck": {"under": [\#(voices)], "threshold": "-30 dB"}}"#
    let mix = tracks.contains("music") ? "[\(duck)]" : "[]"
    let codec = type == "webm" ? "vp9" : "h264"
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"v": {"path": "v.mkv"}, \(assets.joined(separator: ", "))}, "composition": {"tracks": [
        {"id": "V", "media": "video", "segments": [{"asset": "v"}]}, \(list.joined(separator: ", "))]},
       "audioMix": \(mix),
       "export": {"fileType": "\(type)", "audio": \(audio), \(sounds) "video": {"codec": "\(codec)", "speed": "veryfast"}}}
      """)
  }

  private static let three = #"""
    "sounds": [{"tracks": ["music", "german"], "language": "de", "title": "Deutsch", "loudness": "podcast"},
     {"tracks": ["music", "english"], "language": "en", "title": "English", "default": true},
     {"tracks": ["english"], "audio": {"channelLayout": "mono"}}],
    """#

  private func samples(_ edit: ResolvedTimeline) throws -> [[Float]] {
    let sound = try MasteredSound(edit: edit, policy: workshop.policy)
    var samples: [[Float]] = []
    while let block = try sound.next() {
      if samples.isEmpty { samples = Array(repeating: [], count: block.channelCount) }
      for channel in samples.indices { unsafe samples[channel] += Array(block.samples[channel]) }
    }
    return samples
  }

  /// The decoded samples of a stream, one channel after the other in turn.
  private func decoded(_ movie: String, _ stream: Int) throws -> [Float] {
    let raw = workshop.file("decoded.raw")
    try MediaTools.ffmpeg(["-i", movie, "-map", "0:a:\(stream)", "-f", "f32le", raw], isStrict: true)
    let bytes = try [UInt8](contentsOf: raw)
    return unsafe bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { unsafe bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
  }

  private func said(_ movie: String) throws -> [String] {
    try MediaTools.ffprobe([
      "-select_streams", "a", "-show_entries", "stream=codec_name,channels:stream_tags=language,title:stream_disposition=default",
      "-of", "compact=p=0:nk=0", movie,
    ]).split(separator: "\n").map(String.init)
  }

  @Test func `has each of them sample for sample, as a movie of its tracks alone has it`() throws {
    let edit = try edit(Self.three, type: "mov", audio: #"{"codec": "pcm", "sampleFormat": "float32"}"#)
    let movie = try workshop.movie(of: edit, borders: [0], output: "m.mov")
    let german = try self.edit(#""loudness": "podcast","#, type: "mov", audio: #"{"codec": "pcm"}"#, tracks: ["music", "german"])
    let english = try self.edit("", type: "mov", audio: #"{"codec": "pcm"}"#, tracks: ["music", "english"])
    let voice = try self.edit("", type: "mov", audio: #"{"codec": "pcm", "channelLayout": "mono"}"#, tracks: ["english"])
    for (stream, alone) in [german, english, voice].enumerated() {
      let expected = try samples(alone)
      let found = try decoded(movie, stream)
      #expect(expected[0].count == 96_000 && found.count == 96_000 * expected.count)
      let difference = (0..<found.count).first { found[$0] != expected[$0 % expected.count][$0 / expected.count] }
      #expect(difference == nil, "sound \(stream)")
    }
    #expect(Set(try (0..<3).map { try decoded(movie, $0).prefix(9_000).suffix(100).map(\.bitPattern) }).count == 3)
  }

  @Test(arguments: [
    ("mp4", #"{"codec": "aac"}"#), ("mov", #"{"codec": "alac"}"#), ("mkv", #"{"codec": "flac"}"#),
    ("webm", #"{"codec": "opus"}"#),
    ("mp4", #"{"codec": "opus"}"#), ("mp4", #"{"codec": "ac3"}"#), ("mp4", #"{"codec": "eac3"}"#), ("mov", #"{"codec": "mp3"}"#),
  ])
  func `says of each what it is, and holds exactly its samples`(type: String, audio: String) throws {
    let edit = try edit(Self.three, type: type, audio: audio)
    let movie = try workshop.movie(of: edit, borders: [0, 20], output: "m.\(type)")
    let said = try said(movie)
    #expect(said.count == 3)
    #expect(said.map { $0.contains("disposition:default=1") } == [false, true, false], "\(said)")
    let languages = [type == "mov" ? "ger" : "deu", "eng"]
    #expect(said.map { line in languages.first { line.contains("language=\($0)") } } == languages + [nil], "\(said)")
    #expect(said[0].contains("channels=2") && said[2].contains("channels=1"))
    for stream in 0..<3 { #expect(try decoded(movie, stream).count == 96_000 * (stream == 2 ? 1 : 2), "\(stream)") }
    let verification = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verification.faults == [] && verification.samples == 96_000 && verification.soundCount == 3)
    #expect(verification.loudness?.integrated.map { abs($0 + 16) < 0.06 } == true)
  }

  @Test func `in a transport stream has languages, and each sample beside the picture`() throws {
    let sounds = Self.three.replacing(#", "title": "Deutsch""#, with: "").replacing(
      #", "title": "English", "default": true"#, with: "")
    let edit = try edit(sounds, type: "mpegts", audio: #"{"codec": "aac"}"#)
    let movie = try workshop.movie(of: edit, borders: [0], output: "m.ts")
    // ffprobe lists the streams of the program, and then all streams with what is said of them.
    let said = Array(try said(movie).suffix(3))
    #expect(said.count == 3 && said[0].contains("language=deu") && said[1].contains("language=eng"), "\(said)")
    // The priming of each stands before the picture, and is heard.
    for stream in 0..<3 { #expect(try decoded(movie, stream).count == (96_000 + 1_280) * (stream == 2 ? 1 : 2)) }
  }

  @Test func `of sound alone goes into an m4a`() throws {
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"german": {"path": "german.wav"}, "english": {"path": "english.wav"}}, "composition": {"tracks": [
        {"id": "de", "media": "audio", "segments": [{"asset": "german"}]}, {"id": "en", "media": "audio", "segments": [{"asset": "english"}]}]},
       "export": {"fileType": "m4a", "sounds": [{"tracks": ["de"], "language": "de"}, {"tracks": ["en"], "language": "en"}]}}
      """)
    let movie = try workshop.movie(of: edit, borders: [], output: "m.m4a")
    #expect(try said(movie).map { $0.contains("disposition:default=1") } == [true, false])
    for stream in 0..<2 { #expect(try decoded(movie, stream).count == 192_000) }
  }

  @Test func `is the same file however it was divided, and its proof tells each sound`() throws {
    let edit = try edit(Self.three, type: "mkv", audio: #"{"codec": "flac"}"#)
    guard case .sound(let proof) = try workshop.run(.sound, task: 1000, of: edit, output: "p.mkv").proof else {
      throw MediaTools.Failure(description: "the sound's proof is another one")
    }
    #expect(proof.sampleCount == 96_000 && proof.further.map(\.sampleCount) == [96_000, 96_000])
    #expect(proof.loudness != nil && proof.further.allSatisfy { $0.loudness == nil })
    #expect(Set([proof.segment.contentDigest] + proof.further.map(\.contentDigest)).count == 3)
    let again = try workshop.run(.sound, task: 1000, attempt: 2, of: edit, output: "p.mkv").proof
    #expect(again.file.byteDigest == proof.segment.file.byteDigest)
    let hashes = try [[0], [0, 10, 30]].enumerated().map { index, borders in
      let movie = try workshop.movie(of: edit, borders: borders, output: "m\(index).mkv")
      return try MediaTools.ffmpeg(["-i", movie, "-map", "0:a", "-f", "streamhash", "-hash", "md5", "-"])
    }
    #expect(hashes[0] == hashes[1])
  }

  @Test func `is verified sound by sound`() throws {
    let edit = try edit(Self.three, type: "mkv", audio: #"{"codec": "flac"}"#)
    let movie = try workshop.movie(of: edit, borders: [0], output: "m.mkv")
    let swapped = workshop.file("swapped.mkv")
    try MediaTools.ffmpeg(["-i", movie, "-map", "0:v", "-map", "0:a:1", "-map", "0:a:0", "-map", "0:a:2", "-c", "copy", swapped])
    let faults = try MovieVerification(of: swapped, against: edit, policy: workshop.policy) { _ in }.faults
    let differing = (0..<3).filter { index in faults.contains { $0.hasSuffix("of sound \(index) differs from the mix's") } }
    #expect(differing == [0, 1], "\(faults)")
    let short = workshop.file("short.mkv")
    try MediaTools.ffmpeg(["-i", movie, "-map", "0:v", "-map", "0:a:0", "-map", "0:a:1", "-c", "copy", short])
    let missing = try MovieVerification(of: short, against: edit, policy: workshop.policy) { _ in }.faults
    #expect(missing.contains("it has 2 sound tracks instead of 3"), "\(missing)")
  }

  @Test func `is muxed from no damaged segment`() throws {
    let edit = try edit(Self.three, type: "mkv", audio: #"{"codec": "flac"}"#)
    let pictures = try workshop.run(.picture(FrameRange(first: 0, count: 50)), task: 1, of: edit, output: "m.mkv")
    let sound = try workshop.run(.sound, task: 2, of: edit, output: "m.mkv")
    try workshop.damage(sound)
    let failure = #expect(throws: Failure.self) {
      try workshop.run(.mux(of: [pictures, sound]), task: 3, of: edit, output: "m.mkv")
    }
    #expect(failure?.damaged == [sound.key])
  }
}
