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
    let mode = apart { $0.pick(WritingMode.allCases) }
    for _ in 0..<int(0...4) {
      let range = try MediaTimeRange(start: MediaTime(Int64(int(0...900)), 1001), duration: MediaTime(Int64(int(0...9)), 4))
      var cue = CaptionCue(
        range, "la \u{e9}\nlo 歌", words: chance() ? [.init(range.start, "la", frame: rect()), .init(range.end, "歌")] : [])
      if !cue.words.isEmpty { cue.words[0].end = apart { $0.pick([nil, range.start]) } }
      cue.writingMode = apart { $0.pick([nil] + WritingMode.allCases) }
      cue.language = apart { $0.pick([nil, "ja", "zh-Hant"]) }
      cue.direction = apart { $0.pick([nil] + TextDirection.allCases) }
      let places = Self.places(cue.writingMode ?? mode)
      (cue.place, cue.align) = (pick([nil] + places), pick([nil] + CaptionAlignment.allCases))
      (cue.position, cue.color, cue.weight) = (pick([nil, Point(0.25, 1)]), chance() ? color() : nil, pick([nil, 700]))
      if chance() {
        var (look, italic) = (CaptionCue.Span.Look(), CaptionCue.Span.Look())
        italic.isItalic = true
        italic.ruby = apart { $0.pick([nil, "ri"]) }
        italic.language = apart { $0.pick([nil, "sr"]) }
        (look.isItalic, look.weight, look.color) = (chance(), pick([nil, 700]), color())
        cue.spans = [CaptionCue.Span(0..<2, look), CaptionCue.Span(3..<5, italic)]
        cue.width = pick([nil, 0.5])
        if cue.position != nil, range.duration > .zero { cue.move = CaptionCue.Move(to: Point(1, 0.5), range) }
        cue.makesRoom = cue.position != nil && look.isItalic
      }
      apart { $0.place(&cue, in: range, mode) }
      if chance() { (cue.fadeIn, cue.frame) = (range.duration, rect()) }
      cues.append(cue)
    }
    var words = text()
    (words.string, words.verticalAlignment) = (" ", .top)
    (words.tabs, words.wrapping, words.timestamp, words.writingMode) = ([], .word, nil, mode)
    words.motion = chance() ? TextMotion(entrance: try animation(), exit: chance() ? try animation() : nil) : nil
    let highlight = chance() ? CaptionTrack.Highlight(color(), pick(CaptionTrack.Highlight.Kind.allCases)) : nil
    let shadow = LayerStyle(
      backgroundColor: Envelope(constant: color()),
      shadow: words.motion == nil && highlight?.marksLetters != true ? LayerShadow(LayerStyle.Shadow(radius: double(0...9))) : nil
    )
    return [
      CaptionTrack(
        cues: cues, style: Layer(content: .text(words), style: chance() ? shadow : LayerStyle()), padding: double(0...20),
        place: pick(Self.places(mode)), margin: double(0...0.45), maxLines: int(1...20),
        highlight: highlight)
    ]
  }

  /// Gives a cue a line, or a region with what is measured of it.
  private mutating func place(_ cue: inout CaptionCue, in range: MediaTimeRange, _ mode: WritingMode) {
    if cue.position == nil { (cue.line, cue.along) = (pick([nil, 7]), apart { $0.pick([nil, 0.25]) }) }
    if chance(), !(cue.writingMode ?? mode).isVertical {
      (cue.line, cue.place, cue.position, cue.move, cue.along, cue.makesRoom) = (nil, nil, nil, nil, nil, false)
      var region = CaptionCue.Region()
      (region.width, region.lines, region.anchor, region.scroll) = (0.5, int(1...9), Point(0.25, 1), pick([.none, .up]))
      cue.region = region
    }
    if chance() { (cue.clip, cue.scrolls) = (rect(), [CaptionCue.Scroll(range, double(-9...9))]) }
  }

  private static func places(_ mode: WritingMode) -> [CaptionPlace] {
    mode.isVertical ? [.left, .middle, .right] : [.lowerThird, .bottom, .middle, .top]
  }

  private mutating func animation() throws -> TextAnimation {
    var (first, second) = (TextPose(), TextPose())
    (first.opacity, first.offset, first.blur) = (double(0...1), Point(double(-9...9), 0.5), pick([0, 0.25]))
    (second.scale, second.reveal, second.tint) = (Point(double(0...2), 1), double(0...1), pick([nil, TextTint(color())]))
    var animation = TextAnimation(
      duration: try MediaTime(Int64(int(0...90)), 100),
      steps: chance() ? [.init(0, first)] : [.init(0, first), .init(double(0.1...0.9), second)])
    (animation.unit, animation.order) = (pick(TextAnimation.Unit.allCases), pick(TextAnimation.Order.allCases))
    if animation.order == .random { animation.seed = int(0...9) }
    (animation.stagger, animation.easing) = (try MediaTime(Int64(int(0...9)), 30), pick([.linear, .easeOut, .spring(Spring())]))
    (animation.anchor, animation.alternates) = (pick([LayerGeometry.middle, Point(0, 1)]), chance())
    return animation
  }

  /// - Parameter level: 1 for a layer over the video.
  private mutating func layer(_ duration: MediaTime, level: Int) throws -> Layer {
    let start = try MediaTime(Rational(duration) / Rational(Int64(int(2...5))))
    let range = pick(try [nil, MediaTimeRange(start: start, end: duration), MediaTimeRange(start: .zero, end: start)])
    var layer = Layer(
      content: try content(), geometry: chance() ? LayerGeometry(frame: chance() ? rect() : nil) : try geometry(),
      style: chance() ? LayerStyle() : try style(), opacity: try moving { $0.double(0...1) }, timeRange: range)
    if layer.geometry.frame != nil, case .text(var text)? = layer.content {
      text.writingMode = apart { $0.pick(WritingMode.allCases) }
      if text.writingMode.isVertical { text.runs.append(combined()) }
      layer.content = .text(text)
    }
    let clock = try clock()
    layer.clock = chance() || clock == LayerClock() ? nil : clock
    layer.zPosition = Envelope(constant: pick([0, 0, -1.5, 3])).held(neutral: 0)
    layer.hidden = pick([Envelope(), Envelope(), Envelope(constant: true)])
    try lastly { try $0.change(&layer) }
    if chance(), chance() { layer.replicator = try replicator() }
    if level < 4 {
      for _ in 0..<int(0...2) {
        var sublayer = try self.layer(duration, level: level + 1)
        // A layer with moving pictures that is mixed itself cannot hold layers that are mixed.
        if !sublayer.holdsMoving { sublayer.style.blendMode = pick(BlendMode.allCases) }
        layer.sublayers.append(sublayer)
      }
      if chance(), chance() {
        let mask = try self.layer(duration, level: level + 1)
        (layer.mask, layer.maskMode) = (mask, pick(MaskMode.allCases))
        layer.mask?.style.blendMode = .normal
      }
    }
    if layer.content == nil, layer.sublayers.isEmpty { layer.style.backgroundColor = Envelope(constant: color()) }
    return layer
  }

  /// Gives a layer a size, an anchor point, a depth, and a text, that change.
  private mutating func change(_ layer: inout Layer) throws {
    guard chance(), chance() else { return }
    if layer.geometry.frame != nil { layer.geometry.bounds = try moving { Point($0.double(0...900), $0.double(1...9)) }.held() }
    let anchors = try moving { Point($0.double(-2...3), $0.double(0...1)) }
    if let first = anchors.keyframes.first?.value { layer.geometry.anchorPoint = first }
    if !anchors.isHeld { layer.geometry.anchorMotion = anchors }
    layer.zPosition = try moving { $0.double(-9...9) }.held(neutral: 0)
    let steps = try moving { $0.chance() }
    if layer.hidden.constant == true {
      layer.hidden = Envelope(steps.keyframes.map { .init($0.time, $0.value, holds: true) }).held(neutral: false)
    }
    guard case .text(var text)? = layer.content, text.minimumSize == nil, text.gradient == nil else { return }
    let (sizes, colors) = (try moving { $0.double(1...90) }, try moving { $0.color() })
    (text.size, text.color) = (sizes.keyframes.first?.value ?? text.size, colors.keyframes.first?.value ?? text.color)
    if !sizes.isHeld { text.course.size = sizes }
    if !colors.isHeld { text.course.color = colors }
    layer.content = .text(text)
  }

  private mutating func content() throws -> Layer.Content? {
    switch int(0...8) {
    case 0: .image(ImageContent(asset: AssetID("a"), gravity: pick(Gravity.allCases), contentsRect: try part()))
    case 7: .image(try images())
    case 8: .moving(MovingContent(.asset(AssetID("a"), loops: chance()), gravity: pick(Gravity.allCases)))
    case 5: .moving(MovingContent(.video, gravity: pick(Gravity.allCases)))
    case 6: .moving(MovingContent(.track(TrackID("t0")), gravity: pick(Gravity.allCases)))
    case 1: .text(text())
    case 2: .shape(try shape())
    case 3: .gradient(try movingGradient())
    default: nil
    }
  }

  private mutating func part() throws -> Envelope<Rect> {
    chance() ? Envelope() : try moving { Rect($0.double(0...0.5), $0.double(0...0.5), $0.double(0.1...0.5), 0.25) }
  }

  private mutating func clock() throws -> LayerClock {
    let cycle = LayerClock.Cycle(
      duration: try MediaTime(Int64(int(1...50)), 25), count: pick([nil, 1, 7]), autoreverses: chance())
    return LayerClock(
      begin: try MediaTime(Int64(int(0...9)), 10), speed: try Rational(Int128(int(1...9)), over: Int128(int(1...9))),
      offset: try MediaTime(Int64(int(0...3)), 3), cycle: chance() ? cycle : nil)
  }

  private mutating func text() -> TextContent {
    var text = TextContent(
      string: pick(["歌詞", "a\"b\\\n\u{1}", "🎵e\u{301}"]), fonts: pick([["Noto Sans"], ["Noto Sans", "Noto Sans CJK JP"]]),
      language: pick([nil, "zh-Hant"]), size: double(1...4_096), weight: int(100...1_000), color: color(),
      alignment: pick(TextContent.Alignment.allCases),
      outline: chance()
        ? TextContent.Outline(
          color: color(), width: double(0...20), position: pick(TextContent.Outline.Position.allCases),
          join: pick(ShapeContent.LineJoin.allCases)) : nil, letterSpacing: double(-9...9), lineSpacing: pick([1, 1.5]))
    if chance() { text.runs = TextContent.joined(text.runs + [run(), run()]) }
    (text.slant, text.stretch) = (pick(TextContent.Slant.allCases), pick([100, 62.5]))
    (text.axes, text.features) = (pick([[:], ["wght": 512.5, "opsz": -3]]), pick([[:], ["smcp": 1]]))
    (text.isUnderlined, text.isStruckThrough) = (chance(), chance())
    if chance() { (text.color, text.gradient) = (.white, gradient([.linear, .radial])) }
    if chance() { text.shadow = LayerStyle.Shadow(color: color(), offset: Point(double(-9...9), 3), radius: pick([3, 7.5])) }
    if chance() { text.glow = TextContent.Glow(color: color(), radius: double(0...9), strength: int(1...8)) }
    if chance() {
      text.box = TextContent.Box(
        color: color(), padding: pick([Point(0, 0), Point(3, 3), Point(4, 2)]), cornerRadius: pick([0, 6]),
        extent: pick(TextContent.Box.Extent.allCases))
    }
    if text.isUnderlined { text.emphasis = TextEmphasis(.shape(.dot, isOpen: text.isStruckThrough), side: .under) }
    (text.wordSpacing, text.tabs) = (pick([0, -2.5]), pick([[], [40, 90.5]]))
    text.wrapping = pick(TextContent.Wrapping.allCases)
    text.direction = apart { $0.pick(TextDirection.allCases) }
    if chance() { (text.lineSpacing, text.lineHeight) = (1, double(1...90)) }
    if chance() {
      text.runs = TextContent.joined(text.runs + [TextContent.Run("{frame} {time}")])
      text.timestamp = Timestamp(
        start: MediaTime(seconds: Int64(int(0...90))), decimals: int(0...6),
        date: pick([nil, CalendarDate("2026-11-24T14:03:00")]))
    }
    return text
  }

  private mutating func run() -> TextContent.Run {
    var style = TextContent.Style()
    if chance() { style.fonts = ["Noto Serif"] }
    if chance() { (style.size, style.weight, style.slant) = (double(1...90), int(100...1_000), .italic) }
    if chance() { (style.stretch, style.axes, style.features) = (75, ["wdth": 75], ["liga": 0]) }
    if chance() { (style.color, style.isUnderlined, style.isStruckThrough) = (color(), chance(), chance()) }
    if chance() { (style.letterSpacing, style.baselineOffset, style.language) = (double(-9...9), double(-9...9), "sr") }
    // No more random numbers, which would change all edits of a seed.
    if style.isUnderlined == true { style.emphasis = TextEmphasis(.none) }
    if style.isUnderlined == false { style.emphasis = TextEmphasis(.character("※"), color: style.color, side: .under) }
    return TextContent.Run(pick(["ab", "漢字"]), style, ruby: pick([nil, "かんじ"]))
  }

  private func combined() -> TextContent.Run {
    var run = TextContent.Run("12")
    run.isCombined = true
    return run
  }

  private mutating func shape() throws -> ShapeContent {
    let path = VectorPath([
      .move(Point(double(-9...9), 0)), .line(Point(7, double(-1e3...1e3))),
      .curve(Point(1, 2), Point(3, double(0...1)), to: Point(1e-7, -4)), .close,
    ])
    var shape = ShapeContent(
      outline: pick([.rectangle, .ellipse, .path(path)]), fillColor: chance() ? color() : nil,
      fillRule: pick(ShapeContent.FillRule.allCases), strokeColor: color(), lineWidth: double(0...50),
      lineCap: pick(ShapeContent.LineCap.allCases), lineJoin: pick(ShapeContent.LineJoin.allCases),
      dash: pick([[], [3, 0.5], [1]]), dashPhase: pick([0, -2.5]), strokeStart: try moving { $0.double(0...1) },
      strokeEnd: try moving { $0.double(0...1) })
    shape.motion.strokeColor = try Envelope([
      .init(.zero, color()), .init(MediaTime(1, 2), color()), .init(MediaTime(1), color()),
    ])
    shape.strokeColor = shape.motion.strokeColor.keyframes.first?.value
    return shape
  }

  private mutating func images() throws -> ImageContent {
    let sequence = try Envelope([
      .init(.zero, AssetID("a"), holds: true), .init(MediaTime(int64(1...9), 3), AssetID("a")),
    ])
    return ImageContent(
      asset: AssetID("a"), gravity: .resize, contentsCenter: chance() ? Rect(0.25, 0.25, 0.5, double(0.1...0.5)) : nil,
      sequence: chance() ? sequence : Envelope())
  }

  private mutating func replicator() throws -> Replicator {
    Replicator(
      count: int(1...2), offset: try moving { Point($0.double(-9...9), 2) }, rotation: try moving { $0.double(-90...90) },
      scale: try moving { Point($0.double(0...2), $0.double(0...2)) }, delay: try MediaTime(int64(0...3), 7),
      opacityStep: double(-1...0), color: color(), colorStep: pick([[0, 0, 0], [-0.5, 0, 0.25]]))
  }

  private mutating func filter() throws -> LayerFilter {
    if chance() { return .gaussianBlur(radius: Envelope(constant: double(0...9))) }
    return .colorControls(
      LayerFilter.ColorControls(
        brightness: try moving { $0.double(-1...1) }, contrast: try moving { $0.double(0...2) },
        saturation: try moving { $0.double(0...2) }))
  }

  private mutating func int64(_ range: ClosedRange<Int>) -> Int64 { Int64(int(range)) }

  private mutating func gradient(_ kinds: [GradientContent.Kind] = GradientContent.Kind.allCases) -> GradientContent {
    GradientContent(
      pick(kinds),
      stops: [.init(0, color()), .init(double(0...1), color()), .init(1, color())],
      start: Point(double(0...0.4), double(0...0.4)), end: Point(double(0.5...1), double(0.5...1)))
  }

  private mutating func movingGradient() throws -> GradientContent {
    // No more random numbers, which would change all edits of a seed.
    var gradient = gradient()
    if gradient.start.x > 0.2 {
      gradient.course.locations = try Envelope([
        .init(.zero, gradient.stops.map(\.location)), .init(MediaTime(1), [-gradient.end.x, 0.5, 1 + gradient.end.y]),
      ])
    }
    if gradient.start.y > 0.2 {
      gradient.course.end = try Envelope([.init(.zero, gradient.end), .init(MediaTime(1), Point(-3.5, gradient.start.x))])
    }
    return gradient
  }

  private mutating func geometry() throws -> LayerGeometry {
    let isSpatial = chance()
    let way = VectorPath([.move(Point(1, 2)), .curve(Point(3, 4), Point(5, 6), to: Point(double(7...9), 8))])
    let motion = chance() ? MotionPath(way, progress: try moving { $0.double(0...1) }, rotates: chance()) : nil
    return LayerGeometry(
      frame: chance() ? rect() : nil, anchorPoint: pick([LayerGeometry.middle, Point(0, 1), Point(-0.25, 2)]),
      position: motion == nil ? try moving { Point($0.double(-1e6...1e6), $0.double(0...1)) } : Envelope(),
      scale: try moving { random in
        let scale = random.double(-3...3)
        return random.chance() ? Point(scale, scale) : Point(scale, random.double(0...2))
      },
      rotation: try moving { $0.double(-720...720) },
      transform: try moving { AffineTransform(1, $0.double(0...1), 0, 1 + $0.double(0...2), 5, $0.double(-9...9)) },
      rotationX: isSpatial ? Envelope(constant: double(1...90)) : Envelope(),
      rotationY: isSpatial ? try moving { $0.double(-90...90) } : Envelope(),
      transform3D: isSpatial ? Envelope(constant: .rotationX(degrees: 12).then(.perspective(distance: 300))) : Envelope(),
      perspective: isSpatial ? Envelope(constant: double(1...900)) : Envelope(), isDoubleSided: chance(),
      motionPath: motion?.progress.keyframes.isEmpty ?? true ? nil : motion)
  }

  private mutating func style() throws -> LayerStyle {
    var style = LayerStyle(
      backgroundColor: try moving { $0.color() },
      cornerRadius: try moving { $0.chance() ? Corners($0.double(0...90)) : Corners(1, 2, 3, $0.double(0...9)) },
      borderWidth: try moving { $0.double(0...9) }, borderColor: Envelope(constant: color()), masksToBounds: chance(),
      shadow: chance() ? try shadow() : nil, filters: chance() ? try [filter(), filter()] : [],
      backdropFilters: chance() ? try [filter()] : [])
    if style.masksToBounds {
      let first = style.borderColor.keyframes.first?.value ?? .black
      style.borderColor = try Envelope([.init(.zero, first), .init(MediaTime(1), .white)])
    }
    return style
  }

  private mutating func shadow() throws -> LayerShadow {
    let path = VectorPath([.move(Point(0, 0)), .line(Point(9, double(0...9))), .line(Point(0, 9)), .close])
    let isOfContent = chance()
    return LayerShadow(
      color: Envelope(constant: color()), offset: Envelope(constant: Point(double(-9...9), 3)),
      radius: try Envelope([.init(.zero, 3), .init(MediaTime(1), double(0...9)), .init(MediaTime(2), 1)], isCubic: chance()),
      path: !isOfContent && chance() ? path : nil, isOfContent: isOfContent)
  }
}
