internal import Formats
internal import MediaTime
internal import Scenes
internal import Timeline

/// The cost of scripts that libass draws, in seconds of one core.
///
/// A picture that stays is drawn once. One that moves is drawn for each frame, by a renderer of its own (decision 0198). How many frames of a
/// span are of which kind is found by looking at some of them.
enum ScriptCost {
  /// The cost of a renderer, which reads the fonts. It was measured with four fonts.
  static let perRenderer = 6e-3
  /// The cost of a pixel of the frame, for each time that is drawn.
  static let perPixel = 0.5e-9
  /// The frames of a span that are looked at.
  private static let samples = 8
  /// The seconds of a piece of the edit within which one cost counts, and the most pieces.
  private static let pieceSeconds: Int64 = 10
  private static let mostPieces = 1_000

  /// The mean cost of a frame among `frames`.
  static func perFrame(_ frames: Range<Int>, _ reel: SceneReel) throws(TimeError) -> Double {
    guard reel.edit.timeline.drawsScripts, !frames.isEmpty else { return 0 }
    let count = min(frames.count, samples)
    var seconds = 0.0
    for number in 0..<count {
      let frame = frames.lowerBound + frames.count * (2 * number + 1) / (2 * count)
      let shown = try reel.scene(at: frame).scripts
      guard !shown.isEmpty else { continue }
      let before = frame > 0 ? Set(try reel.scene(at: frame - 1).scripts) : []
      for script in shown where !before.contains(script) { seconds += script.seconds }
    }
    return seconds / Double(count)
  }

  /// The frames between which the cost is found anew; none for an edit without scripts.
  static func borders(_ edit: ResolvedTimeline, _ frameCount: Int) throws(TimeError) -> [Int] {
    guard edit.timeline.drawsScripts, let frame = edit.videoComposition?.frameDuration else { return [] }
    let usual = try Int(MediaTime(seconds: pieceSeconds).coveringUnits(of: frame))
    let distance = max(usual, frameCount / mostPieces, 1)
    return Array(stride(from: distance, to: frameCount, by: distance))
  }
}

/// A script's picture as a scene has it, and the pixels of the frame that it lies over.
struct DrawnScript: Hashable {
  let script: Scene.Script
  let pixels: Double

  fileprivate var seconds: Double {
    ScriptCost.perRenderer + Double(script.before.count + 1) * pixels * ScriptCost.perPixel
  }
}

extension Timeline {
  /// Whether libass draws a script, also in a nested composition.
  fileprivate var drawsScripts: Bool {
    (captions + compositions.values.flatMap(\.captions)).contains { $0.script != nil && $0.showing.isDrawn }
  }
}

extension Scene {
  /// The scripts that are drawn, with those of nested scenes.
  fileprivate var scripts: [DrawnScript] {
    let pixels = Double(canvas.renderSize.width * canvas.renderSize.height)
    let nested = pictures.flatMap { picture in
      if case .nested(_, let scene) = picture.content { scene.scripts } else { [] as [DrawnScript] }
    }
    return nodes.flatMap(\.scripts).map { DrawnScript(script: $0, pixels: pixels) } + nested
  }
}

extension Scene.Node {
  fileprivate var scripts: [Scene.Script] {
    switch self {
    case .still(let still, _): if case .script(let script)? = still.drawing.content { [script] } else { [] }
    case .composed(let composed): composed.stills.flatMap(\.scripts)
    case .group(let group): (group.nodes + (group.mask?.nodes ?? [])).flatMap(\.scripts)
    case .video(let scene, _): scene.nodes.flatMap(\.scripts)
    case .woven(let woven): (woven.first.nodes + woven.second.nodes).flatMap(\.scripts)
    case .picture, .transition, .movingText, .backdrop: []
    }
  }
}
