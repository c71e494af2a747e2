import Captions
import FarmTesting
import Formats
import MediaTime
import Timeline

extension RandomEdit {
  mutating func layers(_ duration: MediaTime) throws -> [Layer] {
    try (0..<int(0...3)).map { _ in try layer(duration, level: 1) }
  }

  mutating func captions() throws -> [CaptionTrack] {
    guard chance() else { return [] }
    var cues: [CaptionCue] = []
    for _ in 0..<int(0...4) {
      let range = try MediaTimeRange(start: MediaTime(Int64(int(0...900)), 1001), duration: MediaTime(Int64(int(0...9)), 4))
      var cue = CaptionCue(
        range, "la \u{e9}\nlo 歌", words: chance() ? [.init(range.start, "la", frame: rect()), .init(range.end, "歌")] : [])
      (cue.place, cue.align) = (pick([nil] + CaptionPlace.allCases), pick([nil] + CaptionAlignment.allCases))
      (cue.position, cue.color, cue.weight) = (pick([nil, Point(0.25, 1)]), chance() ? color() : nil, pick([nil, 700]))
      if chance() { (cue.fadeIn, cue.frame) = (range.duration, rect()) }
      cues.append(cue)
    }
    var words = text()
    (words.string, words.verticalAlignment) = (" ", .top)
    let shadow = LayerStyle(backgroundColor: Envelope(constant: color()), shadow: LayerStyle.Shadow(radius: double(0...9)))
    return [
      CaptionTrack(
        cues: cues, style: Layer(content: .text(words), style: chance() ? shadow : LayerStyle()), padding: double(0...20),
        place: pick(CaptionPlace.allCases), margin: double(0...0.45), maxLines: int(1...20),
        highlight: pick([nil, CaptionTrack.Highlight(color(), pick(CaptionTrack.Highlight.Kind.allCases))]))
    ]
  }

  /// - Parameter level: 1 for a layer over the video.
  private mutating func layer(_ duration: MediaTime, level: Int) throws -> Layer {
    let start = try MediaTime(Rational(duration) / Rational(Int64(int(2...5))))
    let range = pick(try [nil, MediaTimeRange(start: start, end: duration), MediaTimeRange(start: .zero, end: start)])
    var layer = Layer(
      content: try content(), geometry: chance() ? LayerGeometry(frame: chance() ? rect() : nil) : try geometry(),
      style: chance() ? LayerStyle() : try style(), opacity: try moving { $0.double(0...1) }, timeRange: range)
    if level < 4 {
      for _ in 0..<int(0...2) {
        var sublayer = try self.layer(duration, level: level + 1)
        sublayer.style.blendMode = pick(BlendMode.allCases)
        layer.sublayers.append(sublayer)
      }
      if chance(), chance() { layer.mask = try self.layer(duration, level: level + 1) }
    }
    if layer.content == nil, layer.sublayers.isEmpty { layer.style.backgroundColor = Envelope(constant: color()) }
    return layer
  }

  private mutating func content() throws -> Layer.Content? {
    switch int(0...4) {
    case 0: .image(ImageContent(asset: AssetID("a"), gravity: pick(Gravity.allCases)))
    case 1: .text(text())
    case 2: .shape(try shape())
    case 3: .gradient(gradient())
    default: nil
    }
  }

  private mutating func text() -> TextContent {
    TextContent(
      string: pick(["歌詞", "a\"b\\\n\u{1}", "🎵e\u{301}"]), fonts: pick([["Noto Sans"], ["Noto Sans", "Noto Sans CJK JP"]]),
      language: pick([nil, "zh-Hant"]), size: double(1...4_096), weight: int(100...1_000), color: color(),
      alignment: pick(TextContent.Alignment.allCases),
      outline: chance() ? TextContent.Outline(color: color(), width: double(0...20)) : nil, letterSpacing: double(-9...9),
      lineSpacing: pick([1, 1.5]))
  }

  private mutating func shape() throws -> ShapeContent {
    let path = VectorPath([
      .move(Point(double(-9...9), 0)), .line(Point(7, double(-1e3...1e3))),
      .curve(Point(1, 2), Point(3, double(0...1)), to: Point(1e-7, -4)), .close,
    ])
    return ShapeContent(
      outline: pick([.rectangle, .ellipse, .path(path)]), fillColor: chance() ? color() : nil,
      fillRule: pick(ShapeContent.FillRule.allCases), strokeColor: color(), lineWidth: double(0...50),
      lineCap: pick(ShapeContent.LineCap.allCases), lineJoin: pick(ShapeContent.LineJoin.allCases),
      dash: pick([[], [3, 0.5], [1]]), dashPhase: pick([0, -2.5]), strokeStart: try moving { $0.double(0...1) },
      strokeEnd: try moving { $0.double(0...1) })
  }

  private mutating func gradient() -> GradientContent {
    GradientContent(
      pick(GradientContent.Kind.allCases),
      stops: [.init(0, color()), .init(double(0...1), color()), .init(1, color())],
      start: Point(double(0...0.4), double(0...0.4)), end: Point(double(0.5...1), double(0.5...1)))
  }

  private mutating func geometry() throws -> LayerGeometry {
    LayerGeometry(
      frame: chance() ? rect() : nil, anchorPoint: pick([LayerGeometry.middle, Point(0, 1), Point(-0.25, 2)]),
      position: try moving { Point($0.double(-1e6...1e6), $0.double(0...1)) },
      scale: try moving { random in
        let scale = random.double(-3...3)
        return random.chance() ? Point(scale, scale) : Point(scale, random.double(0...2))
      },
      rotation: try moving { $0.double(-720...720) },
      transform: try moving { AffineTransform(1, $0.double(0...1), 0, 1 + $0.double(0...2), 5, $0.double(-9...9)) })
  }

  private mutating func style() throws -> LayerStyle {
    LayerStyle(
      backgroundColor: try moving { $0.color() }, cornerRadius: try moving { $0.double(0...90) },
      borderWidth: try moving { $0.double(0...9) }, borderColor: color(), masksToBounds: chance(),
      shadow: chance() ? LayerStyle.Shadow(color: color(), offset: Point(double(-9...9), 3), radius: pick([3, 7.5])) : nil)
  }
}
