internal import Captions
internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentWriter {
  /// The captions with their cues, also where these came from a file.
  func captions(_ track: CaptionTrack) -> JSONValue {
    .object([
      "cues": .array(track.cues.map(cue)),
      "style": captionStyle(track.style),
      "padding": unless(track.padding, 0, JSONValue.double),
      "place": unless(track.place, .lowerThird) { .string($0.rawValue) },
      "margin": unless(track.margin, 0.05, JSONValue.double),
      "maxLines": unless(track.maxLines, 2, JSONValue.integer),
      "highlight": track.highlight.map { highlight in
        .object(["color": color(highlight.color), "kind": unless(highlight.kind, .word) { .string($0.rawValue) }])
      },
    ])
  }

  private func captionStyle(_ style: Layer) -> JSONValue {
    guard case .object(let members) = layer(style) else { preconditionFailure("a layer is an object") }
    return .object(members.filter { $0.key != "text" })
  }

  private func cue(_ cue: CaptionCue) -> JSONValue {
    .object([
      "from": time(cue.range.start), "to": time(cue.range.end), "text": .string(cue.text),
      "words": unlessEmpty(cue.words) { words in
        .array(words.map { .object(["at": time($0.time), "text": .string($0.text), "frame": $0.frame.map(rect)]) })
      },
      "place": cue.place.map { .string($0.rawValue) },
      "position": cue.position.map { .array([.double($0.x), .double($0.y)]) },
      "align": cue.align.map { .string($0.rawValue) }, "color": cue.color.map(color),
      "weight": cue.weight.map(JSONValue.integer), "fadeIn": unless(cue.fadeIn, .zero, time),
      "fadeOut": unless(cue.fadeOut, .zero, time), "frame": cue.frame.map(rect),
    ])
  }
}
