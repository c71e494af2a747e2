internal import Captions
internal import Drawing
internal import Formats
internal import MediaTime
internal import Scenes

extension FuzzTarget {
  /// Reads bytes as a script. Read again it is the same, and some of its frames are drawn.
  func takeScript(_ bytes: [UInt8]) {
    guard let text = CaptionText.decoded(bytes), let script = try? CaptionScript(text) else { return }  // refused with a reason
    // A script that is refused when it is read again breaks the rule.
    guard let again = try? CaptionScript(script.text) else { preconditionFailure("a script is refused when it is read again") }
    precondition(
      again.text == script.text && again.letters.map(\.face) == script.letters.map(\.face),
      "a script is not itself when read again")
    let frames = CaptionScript.Frames(offset: .zero, duration: .oneSecond)
    for event in script.events.prefix(3) {
      guard let moment = try? script.moment(at: MediaTime(milliseconds: event.start), frames) else { continue }  // too far away
      precondition(moment.time <= event.start && moment.before.allSatisfy { $0 < moment.time }, "frames before come later")
      let scene = Scene.Script(
        setup: script.setup, events: moment.events.map { script.events[$0].line }, before: moment.before, time: moment.time,
        faces: [CaptionScript.Face("DejaVu Sans")])
      let size = PixelSize(64, 36)
      let still = Scene.Still(Scene.Drawing(.script(scene), size: Point(64, 36)))
      // A font that is not installed, or too large a picture, is refused with a reason.
      _ = try? PlacedPicture(still: still, in: size, fonts: FontBook()) { _ in preconditionFailure("a script has no image") }
    }
  }

  var scriptSeeds: [[UInt8]] {
    let head = """
      [Script Info]
      PlayResX: 64
      PlayResY: 36
      [V4+ Styles]
      Format: Name, Fontname, Fontsize, PrimaryColour, Bold, BorderStyle, Outline, Shadow, Alignment
      Style: Default,DejaVu Sans,9,&H0000FF&,-1,3,1,1,5
      [Events]
      Format: Layer, Start, End, Style, Effect, Text

      """
    return [
      "{\\k20}la{\\kf30\\pos(1,2)\\fad(9,9)}lo\\N{\\p1}m 0 0 l 9 9 b 1 2 3 4 5 6{\\p0}{\\fnDejaVu Sans\\r}x",
      "{\\move(0,0,9,9)\\t(0,99,2,\\frx9\\fry9\\frz9\\fscx200)\\clip(m 0 0 l 9 0 9 9)\\blur2\\be1}x\\{y}",
    ].map {
      Array(
        "\(head)Dialogue: 0,0:00:00.00,0:00:01.00,Default,,\($0)\nDialogue: 0,0:00:00.50,0:00:02.00,Default,Banner;9,z\n".utf8)
    }
  }
}
