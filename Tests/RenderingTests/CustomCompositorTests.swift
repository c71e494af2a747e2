import EditFiles
import FarmTesting
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import SpoolCompositing
import Synchronization
import Testing
import Timeline

/// Tests of compositors of the user's own. A renderer calls them as it does in an attempt.
@Suite struct `Compositors of the user's own` {
  private let workshop = Workshop()

  private init() throws {
    try workshop.clip("a.mp4", frameRate: "10", frameCount: 20)
    try workshop.clip("b.mp4", frameRate: "10", frameCount: 20, width: 64, height: 48)
  }

  /// An edit of two seconds at 20 fps. A is there throughout, B from 0.5 to 1.5 s, and the compositor throughout.
  private func edit(
    _ compositor: String, layers: String = "[]", more: String = "", first: String = "a.mp4"
  ) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "\(first)"}, "b": {"path": "b.mp4"}},
       "composition": {"tracks": [
         {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}}]},
         {"id": "B", "media": "video", "segments": [{"asset": "b", "source": {"start": "0", "duration": "1"}, "at": "0.5"}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/20", "color": "bt709", \(more) "instructions": [
         {"timeRange": {"start": "0", "duration": "2"}, "background": "#0000ff", "compositor": \(compositor)}]},
       "layers": \(layers), "export": {"preset": "lossless"}}
      """)
  }

  private func renderer(
    _ edit: ResolvedTimeline, _ types: any TestCompositor.Type..., cancellation: Cancellation = Cancellation()
  ) -> PictureRenderer {
    PictureRenderer(
      edit: edit, policy: workshop.policy,
      compositing: CustomCompositing(registry: CompositorRegistry(of: types), cancellation: cancellation))
  }

  /// The failure that `frame` throws; nil if it throws none.
  private func failure(of renderer: PictureRenderer, _ frame: Int) -> Failure? {
    do {
      _ = try renderer.frame(frame)
      return nil
    } catch { return Failure(classifying: error) }
  }

  // MARK: - What a compositor is given

  @Test func `it is told time, instruction and canvas, and which tracks have a picture`() throws {
    let edit = try edit(#"{"name": "witness", "parameters": {"level": 3}, "requiredTracks": ["B", "A"]}"#)
    let renderer = renderer(edit, Witness.self)
    for index in [0, 9, 10, 29, 30] { _ = try renderer.frame(index) }
    let seen = Witness.seen.withLock { $0.filter { $0.level == 3 } }
    #expect(seen.map(\.time) == ["0", "0.45", "0.5", "1.45", "1.5"])
    #expect(seen.map(\.tracks) == [["A"], ["A"], ["B", "A"], ["B", "A"], ["A"]])
    #expect(seen.allSatisfy { $0.size == [96, 64] && $0.frameDuration == "0.05" && $0.color == "bt709" })
    // Each track has its own size.
    #expect(seen[2].sizes == ["B": [64, 48], "A": [96, 64]])
    #expect(seen.allSatisfy { $0.formats == [.yuv420] })
  }

  @Test func `a compositor that gives a source frame back shows that frame`() throws {
    let document = #"{"name": "give", "requiredTracks": ["A"]}"#
    let plain = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [
         {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/20", "color": "bt709"},
       "export": {"preset": "lossless"}}
      """)
    let (given, shown) = (renderer(try edit(document), Giver.self), PictureRenderer(edit: plain, policy: workshop.policy))
    for index in 0..<40 { #expect(try given.frame(index).md5() == shown.frame(index).md5(), "frame \(index)") }
  }

  @Test(arguments: [
    PixelFormat(.gbr), PixelFormat(.gbr, bitDepth: 16), PixelFormat(.yuv444), PixelFormat(.yuv422),
    PixelFormat(.yuv420, bitDepth: 10),
  ])
  func `pictures go through every format and come back within a code`(format: PixelFormat) throws {
    let edit = try edit(#"{"name": "form", "requiredTracks": ["A"]}"#)
    let plain = renderer(try self.edit(#"{"name": "give", "requiredTracks": ["A"]}"#), Giver.self)
    for isFullRange in [false, true] where format.layout != .gbr || !isFullRange {
      let formed = try Former.$form.withValue(HostedForm(format, isFullRange: isFullRange)) {
        try renderer(edit, Former.self).frame(7)
      }
      #expect(formed.format == .yuv420)
      var difference = PictureDifference()
      difference.add(try plain.frame(7), formed)
      // Chroma is interpolated and halved again. That loses a little of what is sharp.
      #expect(difference.psnr > 35, "\(format): \(difference.psnr) dB")
    }
  }

  @Test func `a turned source comes as it is stored, with square pixels`() throws {
    // The clip is shown rotated by 90 degrees and has pixels of 2:1. So 96 x 64 is seen as 64 x 192.
    try MediaTools.ffmpeg([
      "-i", workshop.file("a.mp4"), "-c", "copy", "-metadata:s:v", "rotate=90", "-aspect", "3:1", workshop.file("turned.mp4"),
    ])
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"t": {"path": "turned.mp4"}},
       "composition": {"tracks": [{"id": "T", "media": "video", "segments": [{"asset": "t", "source": {"start": "0", "duration": "1"}}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/20", "instructions": [
         {"timeRange": {"start": "0", "duration": "1"}, "compositor": {"name": "witness", "requiredTracks": ["T"], "parameters": {"level": 7}}}]},
       "export": {"preset": "lossless"}}
      """)
    _ = try renderer(edit, Witness.self).frame(3)
    let seen = try #require(Witness.seen.withLock { $0.last { $0.level == 7 } })
    #expect(seen.sizes == ["T": [192, 64]])
  }

  @Test(arguments: [90, 180, 270])
  func `what it shows of a turned source is what the clip has before it is turned`(degrees: Int) throws {
    try MediaTools.ffmpeg([
      "-i", workshop.file("a.mp4"), "-c", "copy", "-metadata:s:v", "rotate=\(degrees)", workshop.file("turned.mp4"),
    ])
    let plain = renderer(try edit(#"{"name": "give", "requiredTracks": ["A"]}"#), Giver.self)
    let turned = try edit(#"{"name": "give", "requiredTracks": ["A"]}"#, first: "turned.mp4")
    var difference = PictureDifference()
    difference.add(try plain.frame(0), try renderer(turned, Giver.self).frame(0))
    #expect(difference.psnr > 40, "\(difference.psnr) dB")
  }

  // MARK: - What becomes of its frames

  @Test func `the passthrough track is shown without it where no other track has a frame`() throws {
    let edit = try edit(
      #"{"name": "tally", "requiredTracks": ["A", "B"], "passthrough": {"track": "A", "opacity": 0.5}, "parameters": {"counter": "pass"}}"#
    )
    let renderer = renderer(edit, Tally.self)
    for index in 0..<40 { _ = try renderer.frame(index) }
    // The compositor is asked only while B is there, from 0.5 to 1.5 s.
    #expect(Tally.count("pass") == 20)
    // The picture is half opaque over blue, as the passthrough's layer says.
    let picture = try renderer.frame(0)
    #expect(samples(of: picture, plane: 1).allSatisfy { $0 > 150 })
  }

  @Test func `without tweening a frame is composed once for the same source frames`() throws {
    for (tweening, expected) in [(false, 20), (true, 40)] {
      let name = "tweening \(tweening)"
      let edit = try edit(
        #"{"name": "tally", "requiredTracks": ["A"], "containsTweening": \#(tweening), "parameters": {"counter": "\#(name)"}}"#)
      let renderer = renderer(edit, Tally.self)
      let digests = try (0..<40).map { try renderer.frame($0).md5() }
      // The source has 20 frames, which fill 40 frames of the movie.
      #expect(Tally.count(name) == expected)
      #expect(try digests == (0..<40).reversed().map { try renderer.frame($0).md5() }.reversed())
    }
  }

  @Test func `layers are drawn over composed frames, unless the instruction declines`() throws {
    let text = #"[{"text": "spool", "font": "DejaVu Sans", "size": 30, "frame": [0, 0, 96, 64]}]"#
    let parameters = #""requiredTracks": ["A"], "parameters": {"counter": "post"}"#
    let over = renderer(try edit(#"{"name": "tally", \#(parameters)}"#, layers: text), Tally.self)
    let declined = renderer(
      try edit(#"{"name": "tally", \#(parameters), "enablePostProcessing": false}"#, layers: text), Tally.self)
    let bare = renderer(try edit(#"{"name": "tally", \#(parameters)}"#), Tally.self)
    let (a, b, c) = try (over.frame(5).md5(), declined.frame(5).md5(), bare.frame(5).md5())
    #expect(b == c)
    #expect(a != c)
  }

  @Test func `it works the same in an edit that mixes light`() throws {
    let document = #"{"name": "give", "requiredTracks": ["A"]}"#
    let (encoded, linear) = (try edit(document), try edit(document, more: #""blending": "linear","#))
    #expect(try renderer(encoded, Giver.self).frame(3).md5() == renderer(linear, Giver.self).frame(3).md5())
  }

  @Test func `an answer may come later, from another thread`() throws {
    let renderer = renderer(try edit(#"{"name": "late", "requiredTracks": ["A"]}"#), Late.self)
    let plain = self.renderer(try edit(#"{"name": "give", "requiredTracks": ["A"]}"#), Giver.self)
    for index in 0..<5 { #expect(try renderer.frame(index).md5() == plain.frame(index).md5()) }
  }

  // MARK: - What goes wrong

  @Test func `a gap is nil in its hands, and what it throws names it, the time and the reason`() throws {
    let renderer = renderer(try edit(#"{"name": "needy", "requiredTracks": ["B"]}"#), Needy.self)
    #expect(failure(of: renderer, 10) == nil)
    #expect(failure(of: renderer, 9) == Failure(.content, at: "compositor 'needy' at 0.45 s", "track 'B' has no frame"))
  }

  @Test func `a picture of another size fills the frame`() throws {
    let given = try renderer(try edit(#"{"name": "give", "requiredTracks": ["B"]}"#), Giver.self).frame(10)
    let plain = try workshop.edit(
      """
      {"spool": 1, "assets": {"b": {"path": "b.mp4"}},
       "composition": {"tracks": [
         {"id": "B", "media": "video", "segments": [{"asset": "b", "source": {"start": "0", "duration": "1"}}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/20", "color": "bt709", "instructions": [
         {"timeRange": {"start": "0", "duration": "1"}, "layerInstructions": [{"track": "B", "gravity": "resize"}]}]},
       "export": {"preset": "lossless"}}
      """)
    var difference = PictureDifference()
    difference.add(try PictureRenderer(edit: plain, policy: workshop.policy).frame(0), given)
    #expect(difference.psnr > 40, "\(difference.psnr) dB")
  }

  @Test func `a compositor that the program lacks is the machine's fault`() throws {
    let renderer = renderer(try edit(#"{"name": "curl", "requiredTracks": []}"#), Giver.self)
    #expect(failure(of: renderer, 0) == Failure(.worker, at: "compositor 'curl' at 0 s", "this program has no such compositor"))
  }

  @Test func `unknown compositors and parameters that do not fit are told with their paths`() throws {
    _ = try edit(#"{"name": "witness", "requiredTracks": [], "parameters": {"level": "high"}}"#)
    let file = try workshop.editFile()
    let place = "videoComposition.instructions[0].compositor"
    func faults(_ types: [any TestCompositor.Type]) -> [String] {
      do {
        try file.requireCompositors(CompositorRegistry(of: types))
        return []
      } catch .document(_, let faults) {
        return faults.faults.map(\.description)
      } catch { return ["\(error)"] }
    }
    #expect(faults([]) == ["\(place).name: this program has no compositor 'witness': it has none"])
    #expect(
      faults([Tally.self, Giver.self]) == ["\(place).name: this program has no compositor 'witness': it has give, tally"])
    #expect(faults([Witness.self]).map { $0.prefix(place.count + 17) } == ["\(place).parameters.level"])
    _ = try edit(#"{"name": "witness", "requiredTracks": [], "parameters": {"level": -1}}"#)
    let negative = try workshop.editFile()
    #expect(throws: EditFileError.self) { try negative.requireCompositors(CompositorRegistry(of: [Witness.self])) }
  }

  @Test func `cancelling drains the frame that is being made, and renders no other`() throws {
    let cancellation = Cancellation()
    let renderer = renderer(try edit(#"{"name": "stuck", "requiredTracks": ["A"]}"#), Stuck.self, cancellation: cancellation)
    // The compositor holds its request until it is cancelled. That happens as soon as the request has come.
    Stuck.whenAsked.withLock { $0 = { cancellation.cancel() } }
    #expect(throws: Cancellation.Cancelled.self) { try renderer.frame(0) }
    #expect(Stuck.drained.withLock { $0 } == 1)
    #expect(throws: Cancellation.Cancelled.self) { try renderer.frame(1) }
    #expect(Stuck.drained.withLock { $0 } == 1)
  }

  private func samples(of frame: PixelBuffer, plane index: Int) -> [UInt8] {
    let plane = unsafe frame.plane(index)
    return unsafe (0..<plane.height).flatMap { y in unsafe (0..<plane.width).map { unsafe plane.base[y * plane.stride + $0] } }
  }
}
