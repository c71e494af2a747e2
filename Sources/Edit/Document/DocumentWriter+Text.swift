internal import Formats
internal import JSON
internal import Timeline

extension DocumentWriter {
  func members(of text: TextContent) -> [JSONValue.Member] {
    members([
      "text": runs(text.runs), "font": fonts(text.fonts), "language": text.language.map(JSONValue.string),
      "size": changing(text.course.size, text.size, JSONValue.double), "weight": unless(text.weight, 400, JSONValue.integer),
      "slant": unless(text.slant, .normal) { .string($0.rawValue) }, "stretch": unless(text.stretch, 100, JSONValue.double),
      "axes": unlessEmpty(text.axes) { settings($0, JSONValue.double) },
      "features": unlessEmpty(text.features) { settings($0, JSONValue.integer) },
      "color": envelope(text.course.color, neutral: nil, color) ?? unless(text.color, .white, color),
      "underline": unless(text.isUnderlined, false, JSONValue.bool),
      "strikethrough": unless(text.isStruckThrough, false, JSONValue.bool),
      "writingMode": unless(text.writingMode, .horizontal) { .string($0.rawValue) },
      "direction": unless(text.direction, .automatic) { .string($0.rawValue) },
      "textOrientation": unless(text.orientation, .mixed) { .string($0.rawValue) }, "textEmphasis": text.emphasis.map(emphasis),
      "align": unless(text.alignment, .center) { .string($0.rawValue) },
      "verticalAlign": unless(text.verticalAlignment, .top) { .string($0.rawValue) },
      "letterSpacing": unless(text.letterSpacing, 0, JSONValue.double),
    ]) + looks(of: text) + lines(of: text)
  }

  private func looks(of text: TextContent) -> [JSONValue.Member] {
    members([
      "fillGradient": text.gradient.map(gradient), "outline": text.outline.map(outline), "textShadow": text.shadow.map(shadow),
      "glow": text.glow.map { glow in
        .object([
          "color": unless(glow.color, .white, color), "radius": .double(glow.radius),
          "strength": unless(glow.strength, 2, JSONValue.integer),
        ])
      },
      "box": text.box.map { box in
        .object([
          "color": color(box.color), "cornerRadius": unless(box.cornerRadius, 0, JSONValue.double),
          "padding": unless(box.padding, Point(0, 0)) { $0.x == $0.y ? .double($0.x) : point($0) },
          "around": unless(box.extent, .text) { .string($0.rawValue) },
        ])
      },
    ])
  }

  private func lines(of text: TextContent) -> [JSONValue.Member] {
    members([
      "wordSpacing": unless(text.wordSpacing, 0, JSONValue.double), "lineSpacing": unless(text.lineSpacing, 1, JSONValue.double),
      "lineHeight": text.lineHeight.map(JSONValue.double), "tabs": unlessEmpty(text.tabs) { .array($0.map(JSONValue.double)) },
      "wrap": unless(text.wrapping, .word) { .string($0.rawValue) }, "maxLines": text.maxLines.map(JSONValue.integer),
      "truncate": text.truncation.map { .string($0.rawValue) }, "minSize": text.minimumSize.map(JSONValue.double),
      "timestamp": text.timestamp.map(timestamp), "animation": text.motion.map(motion),
    ])
  }

  private func timestamp(_ timestamp: Timestamp) -> JSONValue {
    let usual = Timestamp()
    return .object([
      "start": unless(timestamp.start, usual.start, time), "dropFrame": unless(timestamp.dropsFrames, false, JSONValue.bool),
      "decimals": unless(timestamp.decimals, usual.decimals, JSONValue.integer), "date": timestamp.date.map { .string($0.text) },
      "track": timestamp.track.map { .string($0.rawValue) },
    ])
  }

  private func runs(_ runs: [TextContent.Run]) -> JSONValue {
    if runs.count == 1, runs[0].isPlain { return .string(runs[0].string) }
    return .array(runs.map { $0.isPlain ? .string($0.string) : run($0) })
  }

  private func run(_ run: TextContent.Run) -> JSONValue {
    let style = run.style
    return .object([
      "text": .string(run.string), "ruby": run.ruby.map(JSONValue.string),
      "textCombine": unless(run.isCombined, false, JSONValue.bool),
      "font": style.fonts.map(fonts),
      "language": style.language.map(JSONValue.string), "size": style.size.map(JSONValue.double),
      "weight": style.weight.map(JSONValue.integer), "slant": style.slant.map { .string($0.rawValue) },
      "stretch": style.stretch.map(JSONValue.double), "axes": style.axes.map { settings($0, JSONValue.double) },
      "features": style.features.map { settings($0, JSONValue.integer) }, "color": style.color.map(color),
      "underline": style.isUnderlined.map(JSONValue.bool), "strikethrough": style.isStruckThrough.map(JSONValue.bool),
      "letterSpacing": style.letterSpacing.map(JSONValue.double), "baselineOffset": style.baselineOffset.map(JSONValue.double),
      "textOrientation": style.orientation.map { .string($0.rawValue) }, "textEmphasis": style.emphasis.map(emphasis),
    ])
  }

  /// The marks: a name alone where all else is as usual.
  func emphasis(_ emphasis: TextEmphasis) -> JSONValue {
    let (mark, isOpen): (String, Bool) =
      switch emphasis.mark {
      case .none: ("none", false)
      case .character(let string): (string, false)
      case .shape(let shape, let isOpen): (shape.rawValue, isOpen)
      }
    if !isOpen, emphasis.color == nil, emphasis.side == .over { return .string(mark) }
    return .object([
      "mark": .string(mark), "fill": unless(isOpen, false) { _ in .string("open") }, "color": emphasis.color.map(color),
      "side": unless(emphasis.side, .over) { .string($0.rawValue) },
    ])
  }

  private func fonts(_ fonts: [String]) -> JSONValue {
    fonts.count == 1 ? .string(fonts[0]) : .array(fonts.map(JSONValue.string))
  }

  private func settings<Value>(_ settings: [String: Value], _ write: (Value) -> JSONValue) -> JSONValue {
    .object(settings.map { JSONValue.Member(key: $0.key, value: write($0.value)) })
  }

  private func outline(_ outline: TextContent.Outline) -> JSONValue {
    .object([
      "color": unless(outline.color, .black, color), "width": .double(outline.width),
      "position": unless(outline.position, .outside) { .string($0.rawValue) },
      "join": unless(outline.join, .round) { .string($0.rawValue) },
    ])
  }
}
