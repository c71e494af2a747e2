package import Captions
internal import Formats
internal import MediaTime
internal import Timeline

extension Scene {
  /// A script of captions at one time, with all that libass needs to draw it: the lines that are shown and those that were there
  /// when they came. Frames between which nothing changes have equal ones (decision 0198).
  package struct Script: Hashable, Sendable, Encodable {
    /// The script's properties, styles and the names of its fields.
    package let setup: String
    /// The events' lines in the script's order.
    package let events: [String]
    /// The milliseconds at which frames before are drawn, rising.
    package let before: [Int64]
    package let time: Int64
    /// The faces of the whole script.
    package let faces: [CaptionScript.Face]

    package init(
      setup: String, events: [String], before: [Int64] = [], time: Int64, faces: [CaptionScript.Face]
    ) {
      (self.setup, self.events, self.before, self.time, self.faces) = (setup, events, before, time, faces)
    }
  }
}

extension LayerMaker {
  /// The node of a script of captions; nil where none is drawn, or nothing of it is shown at the moment.
  func scriptNode(of track: CaptionTrack) throws(TimeError) -> Scene.Node? {
    guard track.showing.isDrawn, let shown = track.script else { return nil }
    let opacity = try min(max(shown.opacity.value(at: time, neutral: 1), 0), 1)
    guard opacity > 0 else { return nil }
    let script = shown.script
    let frames = CaptionScript.Frames(offset: shown.offset, duration: try pictures.momentDuration)
    guard let moment = try script.moment(at: time, frames) else { return nil }
    let drawn = Scene.Script(
      setup: script.setup, events: moment.events.map { script.events[$0].line }, before: moment.before, time: moment.time,
      faces: script.faces)
    let size = Point(Double(composition.renderSize.width), Double(composition.renderSize.height))
    let (steady, moving) = shown.opacity.isSteady ? (opacity, 1) : (1, opacity)
    return .still(Scene.Still(Scene.Drawing(.script(drawn), size: size), opacity: steady), Scene.Placement(opacity: moving))
  }
}
