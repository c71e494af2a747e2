internal import Captions
internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentWriter {
  /// The captions with their cues, also where these came from a file.
  func captions(_ track: CaptionTrack) -> JSONValue {
    if let script = track.script { return captions(script, track) }
    return .object([
      "cues": .array(track.cues.map(cue)),
      "style": captionStyle(track.style),
      "padding": unless(track.padding, 0, JSONValue.double),
      "place": unless(track.place, CaptionTrack.usualPlace(track.mode)) { .string($0.rawValue) },
      "margin": unless(track.margin, 0.05, JSONValue.double),
      "as": unless(track.showing, .picture) { .string($0.rawValue) },
      "sidecar": sidecar(of: track),
      "maxLines": unless(track.maxLines, 2, JSONValue.integer),
      "highlight": track.highlight.map { highlight in
        .object([
          "color": color(highlight.color), "kind": unless(highlight.kind, .word) { .string($0.rawValue) },
          "animation": highlight.animation.map { animation($0, isWord: true) },
        ])
      },
    ])
  }

  /// The name of the file beside the movie, or that there is one.
  private func sidecar(of track: CaptionTrack) -> JSONValue? {
    guard let sidecar = track.sidecar else { return nil }
    return sidecar.name.map(JSONValue.string) ?? (track.showing == .sidecar ? nil : .bool(true))
  }

  private func captions(_ script: CaptionTrack.Script, _ track: CaptionTrack) -> JSONValue {
    .object([
      "script": .string(script.script.text), "offset": unless(script.offset, .zero, time),
      "opacity": envelope(script.opacity, neutral: 1, JSONValue.double),
      "as": unless(track.showing, .picture) { .string($0.rawValue) }, "sidecar": sidecar(of: track),
    ])
  }

  private func captionStyle(_ style: Layer) -> JSONValue {
    guard case .object(let members) = layer(style) else { preconditionFailure("a layer is an object") }
    return .object(members.filter { $0.key != "text" })
  }

  private func cue(_ cue: CaptionCue) -> JSONValue {
    .object([
      "from": time(cue.range.start), "to": time(cue.range.end), "text": text(of: cue),
      "words": unlessEmpty(cue.words) { words in
        .array(
          words.map {
            .object(["at": time($0.time), "text": .string($0.text), "until": $0.end.map(time), "frame": $0.frame.map(rect)])
          })
      },
      "language": cue.language.map(JSONValue.string),
      "writingMode": cue.writingMode.map { .string($0.rawValue) }, "direction": cue.direction.map { .string($0.rawValue) },
      "place": cue.place.map { .string($0.rawValue) },
      "position": cue.along.map(JSONValue.double) ?? cue.position.map { .array([.double($0.x), .double($0.y)]) },
      "makesRoom": unless(cue.makesRoom, false, JSONValue.bool), "width": cue.width.map(JSONValue.double),
      "move": cue.move.map { move($0, of: cue.range) },
      "align": cue.align.map { .string($0.rawValue) }, "color": cue.color.map(color),
      "weight": cue.weight.map(JSONValue.integer), "fadeIn": unless(cue.fadeIn, .zero, time),
      "fadeOut": unless(cue.fadeOut, .zero, time), "frame": cue.frame.map(rect), "line": cue.line.map(JSONValue.integer),
      "region": cue.region.map(region), "clip": cue.clip.map(rect),
      "scrolls": unlessEmpty(cue.scrolls) { scrolls in
        .array(scrolls.map { .object(["from": time($0.range.start), "until": time($0.range.end), "up": .double($0.distance)]) })
      },
    ])
  }

  private func region(_ region: CaptionCue.Region) -> JSONValue {
    let usual = CaptionCue.Region()
    func shares(_ point: Point) -> JSONValue { .array([.double(point.x), .double(point.y)]) }
    return .object([
      "width": unless(region.width, usual.width, JSONValue.double), "lines": unless(region.lines, usual.lines, JSONValue.integer),
      "regionAnchor": unless(region.anchor, usual.anchor, shares),
      "viewportAnchor": unless(region.viewportAnchor, usual.viewportAnchor, shares),
      "scroll": unless(region.scroll, usual.scroll) { .string($0.rawValue) },
    ])
  }

  private func move(_ move: CaptionCue.Move, of range: MediaTimeRange) -> JSONValue {
    .object([
      "to": .array([.double(move.to.x), .double(move.to.y)]), "from": unless(move.range.start, range.start, time),
      "until": unless(move.range.end, range.end, time),
    ])
  }

  private func text(of cue: CaptionCue) -> JSONValue {
    guard !cue.spans.isEmpty else { return .string(cue.text) }
    let bytes = Array(cue.text.utf8)
    var (place, runs): (Int, [JSONValue]) = (0, [])
    func plain(to end: Int) {
      if place < end { runs.append(.string(String(decoding: bytes[place..<end], as: UTF8.self))) }
    }
    for span in cue.spans {
      plain(to: span.bytes.lowerBound)
      place = span.bytes.upperBound
      let look = span.look
      runs.append(
        .object([
          "text": .string(String(decoding: bytes[span.bytes], as: UTF8.self)), "weight": look.weight.map(JSONValue.integer),
          "italic": unless(look.isItalic, false, JSONValue.bool), "underline": unless(look.isUnderlined, false, JSONValue.bool),
          "strikethrough": unless(look.isStruckThrough, false, JSONValue.bool), "color": look.color.map(color),
          "ruby": look.ruby.map(JSONValue.string), "textCombine": unless(look.isCombined, false, JSONValue.bool),
          "textEmphasis": look.emphasis.map(emphasis), "language": look.language.map(JSONValue.string),
        ]))
    }
    plain(to: bytes.count)
    return .array(runs)
  }
}
