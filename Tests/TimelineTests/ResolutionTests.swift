import EditTesting
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `Resolving an edit against its assets` {
  /// An edit with the segments `video` of asset "v", the segments `audio` of asset "s", and further members.
  private func edit(video: String = "", audio: String = "", _ more: String = "") throws -> Timeline {
    let document = """
      {"spool": 1, "assets": {"v": {"path": "v.mp4"}, "w": {"path": "w.mp4"}, "s": {"path": "s.mp3"}, "i": {"path": "i.png"}},
       "composition": {"tracks": [
         {"id": "E", "media": "video", "segments": []}, {"id": "V", "media": "video", "segments": [\(video)]},
         {"id": "S", "media": "audio", "segments": [\(audio)]}]} \(more)}
      """
    return try Timeline.parse(Array(document.utf8))
  }

  private let clip = #"{"asset": "v", "source": {"start": "0", "duration": "4"}}"#

  private func faults(_ timeline: Timeline, _ facts: [AssetID: AssetFacts]) -> [String] {
    do {
      _ = try timeline.resolved(with: facts)
      return []
    } catch { return error.faults.map(\.description) }
  }

  private func v(_ facts: AssetFacts) -> [AssetID: AssetFacts] { [AssetID("v"): facts] }

  @Test func `the opening document resolves`() throws {
    let resolved = try Timeline.parse(Array(Documents.opening.utf8)).resolved(with: Assets.opening())
    #expect(try resolved.frameCount == 300)
    #expect(try resolved.sampleCount == 480_000)
    #expect(resolved.color == .bt709)
    #expect(resolved.audio?.codec == .aac)
    #expect(Set(resolved.facts.keys.map(\.rawValue)) == ["bikes", "bunny", "song", "logo"])
  }

  @Test func `facts of assets that are not used are not kept`() throws {
    let facts = try [AssetID("v"): Assets.movie(), AssetID("w"): Assets.movie()]
    #expect(try Set(edit(video: clip).resolved(with: facts).facts.keys) == [AssetID("v")])
  }

  // MARK: - Faults

  @Test func `a source range beyond the asset names the asset and its duration`() throws {
    #expect(
      try faults(edit(video: clip), v(Assets.movie(seconds: 3)))
        == ["composition.tracks[1].segments[0].source: ends at 4, but asset 'v' lasts 3"])
  }

  @Test func `segments are counted as in the document, without gaps`() throws {
    let late = #"{"asset": "v", "source": {"start": "58", "duration": "4"}, "at": "100"}"#
    #expect(
      try faults(edit(video: "\(clip), \(late)"), v(Assets.movie()))
        == ["composition.tracks[1].segments[1].source: ends at 62, but asset 'v' lasts 60"])
  }

  @Test func `an asset of unknown duration is taken at its word`() throws {
    var facts = try Assets.movie()
    facts.duration = .zero
    #expect(try faults(edit(video: clip), v(facts)) == [])
  }

  @Test func `an asset that was not probed is a fault`() throws {
    #expect(try faults(edit(video: clip), [:]) == ["composition.tracks[1].segments[0].asset: asset 'v' was not probed"])
  }

  @Test func `a missing track is a fault`() throws {
    let sound = #"{"asset": "v", "source": {"start": "0", "duration": "4"}}"#
    #expect(
      try faults(edit(audio: sound), v(Assets.movie(sound: false)))
        == ["composition.tracks[2].segments[0].asset: asset 'v' has no audio track"])
    let second = #"{"asset": "v", "source": {"start": "0", "duration": "4"}, "sourceTrack": 1}"#
    #expect(
      try faults(edit(video: second), v(Assets.movie()))
        == [
          "composition.tracks[1].segments[0].sourceTrack: asset 'v' has 1 video track; positions count from 0, so there is no 1"
        ])
  }

  @Test func `a rejected track is a fault that gives the reason, where it is used`() throws {
    var facts = try Assets.movie()
    facts.tracks[0].rejection = "is encrypted"
    #expect(
      try faults(edit(video: clip), v(facts)) == [
        "composition.tracks[1].segments[0].asset: asset 'v' has no video track that can be played (stream 0 (h264): is encrypted)"
      ])
    #expect(try faults(edit(audio: clip), v(facts)) == [])
  }

  @Test func `a position counts the tracks that can be played`() throws {
    var facts = try Assets.movie()
    facts.tracks.insert(facts.tracks[0], at: 0)
    facts.tracks[0].rejection = "is encrypted"
    facts.tracks[1].index = 7
    let resolved = try edit(video: clip).resolved(with: v(facts))
    #expect(resolved.track(0, of: AssetID("v"), media: .video).index == 7)
  }

  @Test func `an image layer needs a still picture`() throws {
    let layered = try edit(video: clip, #", "layers": [{"image": "i"}, {"image": "w"}]"#)
    let facts = try [AssetID("v"): Assets.movie(), AssetID("i"): Assets.logo(), AssetID("w"): Assets.song()]
    #expect(faults(layered, facts) == ["layers[1].image: asset 'w' is no still picture, but mp3"])
  }

  @Test(arguments: [(ColorTags.bt2020PQ, "PQ"), (.bt2020HLG, "HLG")])
  func `an image layer has no picture of high dynamic range, which a layer with a clip has`(color: ColorTags, kind: String) throws
  {
    let still = try [AssetID("v"): Assets.movie(), AssetID("i"): picture(color)]
    let fault =
      "layers[0].image: asset 'i' is a picture in \(kind), and images of layers are drawn in sRGB: a layer with \"clip\" shows it"
    #expect(try faults(edit(video: clip, #", "layers": [{"image": "i"}]"#), still) == [fault])
    #expect(try faults(edit(video: clip, #", "layers": [{"clip": "i"}]"#), still) == [])
    #expect(
      try faults(
        edit(video: clip, #", "layers": [{"image": "i"}]"#), [AssetID("v"): Assets.movie(), AssetID("i"): picture(.srgb)]) == [])
  }

  private func picture(_ color: ColorTags) throws -> AssetFacts {
    let picture = Assets.video(size: PixelSize(96, 96), rate: nil, color: color)
    return AssetFacts(container: "png_pipe", duration: .zero, byteCount: 1, tracks: [try Assets.track(0, .video(picture), 0)])
  }

  @Test func `a wipe's map needs to be a still picture`() throws {
    let wipe =
      #", "videoComposition": {"renderSize": [64, 64], "frameDuration": "1/25", "instructions": [{"#
      + #""timeRange": {"start": "0", "duration": "4"}, "transition": {"kind": "lumaWipe", "map": "w", "from": "V", "to": "V"}}]}"#
    let facts = try [AssetID("v"): Assets.movie(), AssetID("w"): Assets.song(), AssetID("i"): Assets.logo()]
    let path = "videoComposition.instructions[0].transition.map"
    #expect(try faults(edit(video: clip, wipe), facts) == ["\(path): asset 'w' is no still picture, but mp3"])
    let resolved = try edit(video: clip, wipe.replacing("\"w\"", with: "\"i\"")).resolved(with: facts)
    #expect(resolved.facts[AssetID("i")] != nil)
  }

  @Test func `layers need a picture to stand on`() throws {
    let layered = try edit(audio: clip, #", "layers": [{"text": "x", "font": "Noto Sans", "size": 10}]"#)
    #expect(
      try faults(layered, v(Assets.movie())) == ["layers: need a picture to stand on: give a videoComposition or a video track"])
  }

  @Test func `all faults are reported`() throws {
    #expect(try faults(edit(video: "\(clip), \(clip)", audio: clip), v(Assets.movie(seconds: 1, sound: false))).count == 3)
  }

  // MARK: - Defaults

  @Test func `without a video composition the first clip decides size, rate and colour`() throws {
    let facts = try v(Assets.movie(size: PixelSize(853, 481), rate: MediaTime(30_000, 1001), color: .bt601Line525))
    let resolved = try edit(video: clip).resolved(with: facts)
    let composition = try #require(resolved.videoComposition)
    #expect(composition.renderSize == PixelSize(852, 480))
    #expect(try composition.frameDuration == MediaTime(1001, 30_000))
    #expect(resolved.color == .bt601Line525)
    #expect(
      composition.instructions.map(\.content) == [
        .layerInstructions([LayerInstruction(track: TrackID("V"), gravity: .resizeAspect)])
      ])
    #expect(try resolved.frameCount == 120)
  }

  @Test(arguments: [nil, MediaTime(seconds: 0), try? MediaTime(1, 4), MediaTime(seconds: 90_000)])
  func `a frame rate that is unknown, below 1 or absurd gives 30`(rate: MediaTime?) throws {
    let resolved = try edit(video: clip).resolved(with: v(Assets.movie(rate: rate)))
    #expect(try resolved.videoComposition?.frameDuration == MediaTime(1, 30))
  }

  /// The mean and base frame rates are those of real clips.
  @Test(arguments: [
    ("30", "30", "1/30"), ("625/26", "625/26", "26/625"), ("15", "15", "1/15"),
    ("810000/13487", "60", "1/60"), ("1090000/36251", "30", "1/30"), ("625/26", "289/12", "1/24"),
    ("2700000/90089", "30000/1001", "1001/30000"),
    ("24", "30", "1/24"), ("300000/10201", "30000/1001", "1001/30000"), ("630000/47281", "30", "1/30"), ("1000", "60", "1/60"),
    ("3628800/502589", "57600", "1/30"), ("24600/1469", "600", "1/30"), ("580000/21007", "120", "1/30"), ("55", "600", "1/60"),
  ])
  func `frames that vary in length are shown at a rate that people work at`(mean: String, base: String, duration: String) throws {
    let movie = try Assets.movie(rate: MediaTime(parsing: mean), base: MediaTime(parsing: base))
    let resolved = try edit(video: clip).resolved(with: v(movie))
    #expect(try resolved.videoComposition?.frameDuration == MediaTime(parsing: duration))
  }

  @Test(arguments: [
    ("30000/1001", "30000/1001", "1001/24000"), ("30000/1001", "60000/1001", "1001/24000"),
    ("24000/1001", "24000/1001", "1001/24000"),
    ("30", "30", "1/24"), ("24", "30", "1/24"), ("26.5", "60000/1001", "1001/24000"), ("25", "50", "1/25"),
    ("2997/100", "2997/100", "1001/24000"),
  ])
  func `film that is given its frames back is shown at its own rate`(mean: String, base: String, duration: String) throws {
    let movie = try Assets.movie(rate: MediaTime(parsing: mean), base: MediaTime(parsing: base))
    var edit = try edit(video: clip)
    edit.treatments[AssetID("v")] = AssetTreatment(interlace: .inverseTelecine)
    #expect(try edit.resolved(with: v(movie)).videoComposition?.frameDuration == MediaTime(parsing: duration))
  }

  @Test(arguments: [
    ("50", "has 50 frames a second"), ("60000/1001", "has 60000/1001 frames a second"), (nil, "has no known frame rate"),
  ])
  func `film is not looked for at rates that carry none`(rate: String?, words: String) throws {
    let movie = try Assets.movie(rate: rate.map { try MediaTime(parsing: $0) })
    var edit = try edit(video: clip)
    edit.treatments[AssetID("v")] = AssetTreatment(interlace: .inverseTelecine)
    #expect(
      faults(edit, v(movie)) == [
        "assets.v.interlace: film is carried in 30000/1001, 30 or 25 frames a second; track 0 \(words)"
      ])
  }

  @Test func `film has no alpha`() throws {
    var edit = try edit(video: clip)
    edit.treatments[AssetID("v")] = AssetTreatment(interlace: .inverseTelecine)
    #expect(
      try faults(edit, v(Assets.movie(rate: MediaTime(parsing: "30"), alpha: .straight))) == [
        "assets.v.interlace: inverse telecine cannot keep the alpha of track 0"
      ])
  }

  @Test func `a giant or tiny first clip gives a size that can be rendered`() throws {
    func size(_ size: PixelSize) throws -> PixelSize? {
      try edit(video: clip).resolved(with: v(Assets.movie(size: size))).videoComposition?.renderSize
    }
    #expect(try size(PixelSize(16_384, 4_096)) == PixelSize(8_192, 2_048))
    #expect(try size(PixelSize(3, 1)) == PixelSize(16, 16))
  }

  @Test func `unknown colour tags are filled in by the source's height`() throws {
    let unknown = ColorTags(.unknown, .unknown, .unknown, .limited)
    #expect(try edit(video: clip).resolved(with: v(Assets.movie(color: unknown))).color == .bt709)
    #expect(
      try edit(video: clip).resolved(with: v(Assets.movie(size: PixelSize(720, 576), color: unknown))).color == .bt601Line625)
    #expect(
      try edit(video: clip).resolved(with: v(Assets.movie(size: PixelSize(720, 480), color: unknown))).color == .bt601Line525)
  }

  @Test func `an RGB source keeps its colours, but not RGB`() throws {
    #expect(
      try edit(video: clip).resolved(with: v(Assets.movie(color: .srgb))).color == ColorTags(.bt709, .srgb, .bt709, .limited))
  }

  @Test(arguments: [ColorTags.bt2020PQ, .bt2020HLG])
  func `a high dynamic range source stays one in 10 bits and becomes BT.709 in 8`(_ color: ColorTags) throws {
    var edit = try edit(video: clip)
    #expect(try edit.resolved(with: v(Assets.movie(color: color))).color == .bt709)
    edit.export.video.bitDepth = 10
    #expect(try edit.resolved(with: v(Assets.movie(color: color))).color == color)
  }

  private static let displays = [1_000.0, 4_000.0].map {
    MasteringDisplay(
      red: SIMD2(0.708, 0.292), green: SIMD2(0.17, 0.797), blue: SIMD2(0.131, 0.046), white: SIMD2(0.3127, 0.329),
      luminance: 0.005...$0)
  }

  private func graded(_ display: MasteringDisplay?, _ light: Int?, _ color: ColorTags = .bt2020PQ) throws -> AssetFacts {
    var facts = try Assets.movie()
    var video = Assets.video(size: PixelSize(1280, 720), rate: MediaTime(seconds: 25), color: color)
    video.hdrMetadata = HDRMetadata(
      masteringDisplay: display, contentLight: light.map { ContentLight(maximum: $0, frameAverage: 10) })
    facts.tracks[0].detail = .video(video)
    return facts
  }

  private func metadata(_ v: AssetFacts, _ w: AssetFacts, _ video: String = "") throws -> HDRMetadata? {
    let clips = clip + ", " + clip.replacing("\"v\"", with: "\"w\"")
    let edit = try edit(video: clips, ", \"export\": {\"video\": {\"bitDepth\": 10\(video)}}")
    return try edit.resolved(with: [AssetID("v"): v, AssetID("w"): w]).hdrMetadata
  }

  @Test func `what all clips of the movie's high range say of themselves is carried over`() throws {
    let (dim, bright) = (Self.displays[0], Self.displays[1])
    let dimmed = try graded(dim, 900)
    #expect(try metadata(dimmed, dimmed)?.masteringDisplay == dim)
    #expect(try metadata(dimmed, dimmed)?.contentLight == ContentLight(maximum: 900, frameAverage: 10))
    #expect(try metadata(dimmed, Assets.movie())?.masteringDisplay == dim)
    #expect(try metadata(dimmed, graded(dim, 800)) == HDRMetadata(masteringDisplay: dim, contentLight: nil))
    #expect(try metadata(dimmed, graded(bright, nil)) == nil)
    #expect(try metadata(dimmed, graded(nil, nil)) == nil)
    #expect(try metadata(graded(nil, nil), graded(nil, nil)) == nil)
    #expect(try metadata(Assets.movie(), dimmed) == nil, "a movie of standard range")
  }

  @Test func `what the document says of the movie's light counts before what clips say`() throws {
    let dimmed = try graded(Self.displays[0], 900)
    let said = try metadata(dimmed, dimmed, #", "contentLight": {"maximum": 700, "frameAverage": 70}"#)
    #expect(said?.contentLight == ContentLight(maximum: 700, frameAverage: 70))
    #expect(said?.masteringDisplay == Self.displays[0])
  }

  @Test func `a movie of standard range has no mastering display`() throws {
    let asked = try edit(
      video: clip, #", "export": {"video": {"bitDepth": 10, "contentLight": {"maximum": 700, "frameAverage": 70}}}"#)
    #expect(
      try faults(asked, v(Assets.movie())) == [
        "export.video: only a movie in PQ or HLG has masteringDisplay and contentLight; this one is in bt709"
      ])
  }

  @Test func `video alone has no sound, sound alone no picture`() throws {
    let silent = try edit(video: clip).resolved(with: v(Assets.movie()))
    #expect(silent.audio == nil)
    #expect(try silent.sampleCount == 0)
    let blind = try edit(audio: clip).resolved(with: v(Assets.movie()))
    #expect(blind.videoComposition == nil)
    #expect(try (blind.frameCount, blind.sampleCount) == (0, 192_000))
  }

  @Test func `a video composition over sound alone is a picture of its background`() throws {
    let composed = try edit(
      audio: clip,
      #", "videoComposition": {"renderSize": [64, 64], "frameDuration": "1/25", "instructions": [{"timeRange": {"start": 0, "duration": 4}}]}"#
    )
    let resolved = try composed.resolved(with: v(Assets.movie()))
    #expect(try resolved.frameCount == 100)
    #expect(try resolved.scene(at: 0).nodes == [])
  }

  // MARK: - The exported range

  @Test func `the exported range is cut at the edit's end`() throws {
    let part = try edit(video: clip, #", "export": {"timeRange": {"start": "3", "duration": "10"}}"#).resolved(
      with: v(Assets.movie()))
    #expect(part.exportRange == (try MediaTimeRange(start: MediaTime(3), end: MediaTime(4))))
    #expect(try part.frameCount == 25)
  }

  @Test func `an exported range after the edit's end is a fault`() throws {
    let late = Documents.opening.replacing(#""preset": "highest","#, with: #""timeRange": {"start": "10", "duration": "1"},"#)
    #expect(Documents.faults(late) == ["export.timeRange: starts at 10, but the edit ends at 10"])
    let inTime = late.replacing(#"{"start": "10", "duration": "1"}"#, with: #"{"start": "9", "duration": "5"}"#)
    #expect(Documents.faults(inTime) == [])
  }

  @Test func `times too fine for each other are a fault, not a crash while rendering`() throws {
    let fine = try edit(video: clip, #", "export": {"timeRange": {"start": "1/2147483647", "duration": "1"}}"#)
    let found = try faults(fine, v(Assets.movie()))
    #expect(found.count == 1 && found.allSatisfy { $0.contains("time out of range") })
    // The time of a movie's only frame fits.
    let one = try edit(video: clip, #", "export": {"timeRange": {"start": "1/2147483647", "duration": "1/2147483647"}}"#)
    #expect(try faults(one, v(Assets.movie())) == [])
  }
}
