import EditFiles
import FarmTesting
import Formats
import Glibc
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import Scheduling
import Testing
import Timeline

@Suite struct `Sound that is copied` {
  /// A chirp with noise, so that each block is another one.
  private static let chirp =
    "aevalsrc='0.4*sin(2*PI*(200+90*t)*t)+0.1*(random(0)-0.5)|0.4*sin(2*PI*(300+50*t)*t)+0.1*(random(1)-0.5)'"

  /// Writes two seconds of pictures with a sound beside them.
  private func clip(
    _ name: String = "a.mp4", in workshop: Workshop, seconds: String = "1.913", rate: Int = 48_000,
    _ options: [String] = ["-c:a", "aac", "-b:a", "128k"]
  ) throws {
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: 50)
      .write(to: workshop.file("v.mp4"), ["-c:v", "libx264", "-crf", "18", "-g", "25", "-bf", "2"])
    try MediaTools.ffmpeg(
      ["-i", workshop.file("v.mp4"), "-f", "lavfi", "-i", "\(Self.chirp):s=\(rate):d=\(seconds)", "-c:v", "copy"] + options
        + [workshop.file(name)])
  }

  /// The track of sound of a clip.
  private func track(_ name: String = "a.mp4", in workshop: Workshop) throws -> TrackFacts {
    try #require(AssetProbe.facts(of: workshop.file(name), policy: workshop.policy).playableTracks(.audio).first)
  }

  struct Segment: Sendable {
    var asset = "a"
    var start = "0"
    var duration: String
    var at = "0"
    var text: String { #"{"asset": "\#(asset)", "source": {"start": "\#(start)", "duration": "\#(duration)"}, "at": "\#(at)"}"# }
  }

  /// An edit whose picture is changed by a layer.
  private static func document(
    _ sound: [Segment], path: String = "a.mp4", copy: String = "auto", audio: String = "", type: String = "mp4",
    more: String = "",
    export: String = "", track: String = ""
  ) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "\(path)"}},
     "composition": {"tracks": [
       {"id": "A", "media": "video", "segments": [\(Segment(duration: "2").text)]},
       {"id": "B", "media": "audio"\(track), "segments": [\(sound.map(\.text).joined(separator: ", "))]}]},
     "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"}, \(more)
     "layers": [{"shape": "rectangle", "frame": [4, 4, 20, 20], "fillColor": "#ffffff"}],
     "export": {"fileType": "\(type)", "video": {"crf": 20}, "audio": {\(audio) "copy": "\(copy)"}\(export)}}
    """
  }

  private func planned(_ document: String, in workshop: Workshop) throws -> (edit: ResolvedTimeline, search: CopySearch) {
    let edit = try workshop.edit(document)
    let search = try CopySearch(of: edit, policy: workshop.policy)
    var timeline = edit.timeline
    timeline.export.copies = search.plan
    return (try timeline.resolved(with: edit.facts), search)
  }

  /// The digests of the packets of a sound, as FFmpeg reads them.
  private func packets(of path: String) throws -> [Substring] {
    let lines = try MediaTools.ffmpeg(["-i", path, "-map", "0:a", "-c", "copy", "-f", "framemd5", "-"], isStrict: true)
    // The sixth column is the digest. What stands beside the first packet follows in some files.
    return lines.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: ",").dropFirst(5).first }
  }

  /// The samples of a sound, as FFmpeg decodes them: 32 bits, the channels beside each other.
  private func samples(of path: String, in workshop: Workshop) throws -> [UInt8] {
    let raw = workshop.file("samples.raw")
    try MediaTools.ffmpeg(["-i", path, "-map", "0:a", "-c:a", "pcm_f32le", "-f", "f32le", raw], isStrict: true)
    return try [UInt8](contentsOf: raw)
  }

  @Test(arguments: ["mp4", "mov"], [("1.913", 1), ("1.913", 3), ("2", 2)])
  func `is its source's, packet for packet and sample for sample, beside pictures that are changed`(
    type: String, made: (seconds: String, chunkCount: Int)
  ) throws {
    let workshop = Workshop()
    try clip(in: workshop, seconds: made.seconds)
    let track = try track(in: workshop)
    let count = try track.timeRange.end.samples(at: 48_000)
    let whole = Segment(duration: "\(track.timeRange.duration)")
    let (edit, search) = try planned(Self.document([whole], type: type), in: workshop)
    #expect(search.plan == CopyPlan(soundSampleCount: count, soundPriming: 1024) && search.soundReason == nil)
    #expect(try SoundDivision(of: edit) == .whole(.copied))
    let planned = try ChunkPlan.make(timeline: edit, .init(parallelism: 2)).sound
    #expect(planned.count == 1 && planned[0].samples == nil && planned[0].cost < 0.06)

    let movie = try workshop.movie(of: edit, borders: Array([0, 11, 30].prefix(made.chunkCount)), output: "m.\(type)")
    let source = workshop.file("a.mp4")
    #expect(try packets(of: movie) == packets(of: source) && !packets(of: movie).isEmpty)
    let (copied, original) = try (samples(of: movie, in: workshop), samples(of: source, in: workshop))
    // Readers of FFmpeg's kind cut nothing off the last block.
    #expect(copied == original && copied.count >= Int(count) * 8)
    let stated = try MediaTools.ffprobe([
      "-v", "error", "-select_streams", "a", "-show_entries", "stream=start_pts,duration_ts", "-of", "csv=p=0", movie,
    ])
    #expect(stated.split(separator: "\n").first.map(String.init) == "0,\(count)")
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verified.faults == [] && verified.copiedSamples == count && verified.samples == count)
  }

  @Test(arguments: [("-0.022", true), ("-0.1", false), ("0.05", false)])
  func `keeps a priming of any length, and is none where more is cut off, or the sound begins late`(
    offset: String, isCopied: Bool
  ) throws {
    let workshop = Workshop()
    try clip(in: workshop)
    let path = workshop.file("b.mp4")
    try MediaTools.ffmpeg([
      "-itsoffset", offset, "-i", workshop.file("a.mp4"), "-itsoffset", "0", "-i", workshop.file("v.mp4"), "-map", "0:a", "-map",
      "1:v", "-c", "copy", "-avoid_negative_ts", "disabled", path,
    ])
    let track = try track("b.mp4", in: workshop)
    let (edit, search) = try planned(
      Self.document([Segment(duration: "\(track.timeRange.duration)")], path: "b.mp4"), in: workshop)
    guard isCopied else {
      #expect(search.plan == nil && search.soundReason != nil)
      return
    }
    #expect(try search.plan == CopyPlan(soundSampleCount: track.timeRange.end.samples(at: 48_000), soundPriming: 2080))
    let movie = try workshop.movie(of: edit, borders: [0], output: "m.mp4")
    #expect(try samples(of: movie, in: workshop) == samples(of: path, in: workshop))
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verified.faults == [] && verified.copiedSamples == search.plan?.soundSampleCount)
  }

  @Test func `is played in pieces that begin with its own blocks`() throws {
    let workshop = Workshop()
    try clip(in: workshop, seconds: "2")
    let (edit, _) = try planned(Self.document([Segment(duration: "2")]), in: workshop)
    guard case .sound(let proof) = try workshop.run(.sound, task: 7, of: edit, output: "m.mp4").proof else {
      Issue.record("no sound")
      return
    }
    let file = proof.segment.file
    let segment = SegmentInput(
      path: workshop.store.path(file.path),
      facts: SegmentFacts(
        digest: FileDigest(byteCount: file.byteCount, hash: file.byteDigest), length: proof.sampleCount,
        parameterSetDigest: proof.segment.parameterSetDigest))
    let pieces = try (0..<2).map { piece -> [UInt8] in
      let path = workshop.file("piece\(piece)")
      let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      if piece == 0 {
        try TrackOpening.write(
          of: segment, video: nil, frameDuration: nil, color: .bt709, hdrMetadata: nil, to: descriptor, progress: {})
      } else {
        // Blocks begin 1024 samples before the first that is heard, and 46 * 1024 samples behind that.
        let sizes = try TrackFragments([segment], first: 0, frameDuration: nil)
          .write(splitAt: [46 * 1024], number: 1, to: descriptor, progress: {})
        #expect(sizes.count == 2 && sizes.allSatisfy { $0 > 5000 })
      }
      return try [UInt8](contentsOf: path)
    }
    try (pieces[0] + pieces[1]).write(toFile: workshop.file("play.mp4"))
    #expect(try packets(of: workshop.file("play.mp4")) == packets(of: workshop.file("a.mp4")))
  }

  @Test func `is found to differ where a movie has another sound`() throws {
    let workshop = Workshop()
    try clip(in: workshop, seconds: "2")
    let edit = try workshop.edit(Self.document([Segment(duration: "2")]))
    #expect(try CopySearch(of: edit, policy: workshop.policy).plan?.soundSampleCount == 96_000)
    // The plan is left out, so the sound is encoded.
    let movie = try workshop.movie(of: edit, borders: [0], output: "m.mp4")
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verified.faults.count == 1)
    #expect(verified.faults.first?.hasSuffix("is to be a copy of its source's, and differs from it") == true)
  }

  @Test(arguments: [
    ([Segment(start: "0.5", duration: "1")], "the clip does not begin with its track, or the track not with its file"),
    ([Segment(duration: "1.9")], "the edit ends before the clip's sound does"),
    ([Segment(duration: "1.913", at: "0.04")], "the clip does not begin with the movie"),
    ([Segment(duration: "1"), Segment(start: "1", duration: "0.913", at: "1")], "more is heard than one clip in one piece"),
  ])
  func `is none where not the whole track is heard from the beginning on`(sound: [Segment], reason: String) throws {
    let workshop = Workshop()
    try clip(in: workshop)
    let (_, search) = try planned(Self.document(sound), in: workshop)
    #expect(search.plan == nil)
    #expect(search.soundReason == reason)
  }

  @Test(arguments: [
    (#""audioMix": [{"track": "B", "volume": 0.5}],"#, "", "its volume or its balance is changed, or it fades"),
    (#""audioMix": [{"track": "B", "balance": 0.2}],"#, "", "its volume or its balance is changed, or it fades"),
    (#""audioMix": [{"track": "B", "fadeOut": "0.2"}],"#, "", "its volume or its balance is changed, or it fades"),
    (#""audioMix": [{"track": "B", "channels": ["right", "left"]}],"#, "", "its channels are chosen or mixed"),
    (#""audioMix": [{"track": "B", "loudness": -20}],"#, "", "it has effects, or its loudness is measured"),
    ("", #""sampleRate": 44100,"#, "the clip's has 48000 samples a second, and the movie's 44100"),
    ("", #""channelLayout": "mono","#, "the clip's has the channels stereo, and the movie's mono"),
  ])
  func `is none where something is done to it`(mix: String, audio: String, reason: String) throws {
    let workshop = Workshop()
    try clip(in: workshop)
    let (_, search) = try planned(
      Self.document([Segment(duration: "1.913")], audio: audio, more: mix), in: workshop)
    #expect(search.plan == nil)
    #expect(search.soundReason == reason)
  }

  @Test(arguments: [
    ("a.mkv", ["-c:a", "aac"], "only mp4, mov and m4a say exactly which samples are heard"),
    ("a.mp4", ["-c:a", "libmp3lame"], "the clip's is mp3, and the movie's aac"),
  ])
  func `is none of other containers and codecs`(name: String, options: [String], reason: String) throws {
    let workshop = Workshop()
    try clip(name, in: workshop, options)
    let whole = Segment(duration: "\(try track(name, in: workshop).timeRange.duration)")
    let (_, search) = try planned(Self.document([whole], path: name), in: workshop)
    #expect(search.plan == nil)
    #expect(search.soundReason?.hasSuffix(reason) == true, "\(search.soundReason ?? "")")
  }

  @Test func `is not found where it was encoded before, and is not found again`() throws {
    let workshop = Workshop()
    workshop.cache = SegmentCache(of: workshop.store, .own)
    try clip(in: workshop, seconds: "2")
    let document = Self.document([Segment(duration: "2")])
    let encoded = try workshop.run(.sound, task: 1, of: workshop.edit(document), output: "m.mp4")
    let (edit, _) = try planned(document, in: workshop)
    for task in [Int64(2), 3] {
      let copied = try workshop.run(.sound, task: task, of: edit, output: "m.mp4")
      guard case .sound(let proof) = copied.proof, case .sound(let other) = encoded.proof else {
        Issue.record("no sound")
        return
      }
      #expect(!proof.isFound && proof.key == nil)
      #expect(proof.segment.contentDigest != other.segment.contentDigest)
      #expect(proof.sampleCount == 96_000)
    }
  }

  @Test func `fails an attempt whose source has changed`() throws {
    let workshop = Workshop()
    try clip(in: workshop, seconds: "2")
    let (edit, _) = try planned(Self.document([Segment(duration: "2")]), in: workshop)
    try clip(in: workshop, seconds: "1.5")
    #expect(throws: Failure.self) { try workshop.run(.sound, task: 1, of: edit, output: "m.mp4") }
  }
}
