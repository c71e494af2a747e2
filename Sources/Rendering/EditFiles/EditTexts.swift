internal import Captions
internal import Drawing
internal import Formats
internal import Scenes
internal import Timeline

/// Checks the text layers of an edit against the fonts of this machine.
struct EditTexts {
  private let book = FontBook()

  /// The font faces in which the texts are drawn.
  ///
  /// - Parameter path: the document's path, as it was given.
  /// - Throws: `EditFileError.layers` with all layers that cannot be drawn.
  func faces(of edit: ResolvedTimeline, _ path: String) throws(EditFileError) -> [FontFace] {
    var faults = faults(of: edit, at: "")
    let nested = edit.nested.sorted { $0.key < $1.key }
    for (id, edit) in nested { faults += self.faults(of: edit, at: "compositions.\(id).") }
    guard faults.isEmpty else { throw .layers(path: path, faults) }
    do throws(DrawingError) {
      return try book.faces(of: ([edit] + nested.map(\.value)).flatMap(\.texts))
    } catch { throw .layers(path: path, [LayerFault(place: "layers", error)]) }
  }

  /// The timeline of an edit with all captions in measured pages, and what is wrong with them.
  func pages(of edit: ResolvedTimeline) -> (timeline: Timeline, faults: [LayerFault], warnings: [DocumentWarning]) {
    var (timeline, faults, warnings): (Timeline, [LayerFault], [DocumentWarning]) = (edit.timeline, [], [])
    func measured(_ captions: [CaptionTrack], of edit: ResolvedTimeline, at place: String) -> [CaptionTrack] {
      guard !captions.isEmpty, let size = edit.videoComposition?.renderSize else { return captions }
      var pages = CaptionPages(in: size, book)
      let measured = captions.enumerated().map { index, track in
        track.showing.isDrawn ? pages.measured(track, "\(place)captions[\(index)]") : track
      }
      faults += pages.faults
      warnings += pages.warnings
      return measured
    }
    timeline.captions = measured(timeline.captions, of: edit, at: "")
    for (id, nested) in edit.nested.sorted(by: { $0.key < $1.key }) {
      timeline.compositions[id]?.captions = measured(nested.timeline.captions, of: nested, at: "compositions.\(id).")
    }
    return (timeline, faults, warnings)
  }

  /// The faults of the texts of an edit that has other faults, as far as it could be read.
  func faults(of timeline: Timeline) -> [LayerFault] {
    // In a picture of unknown size, any text is taken to fit.
    let largest = PixelSize(DocumentLimits.renderSide.upperBound, DocumentLimits.renderSide.upperBound)
    var faults = faults(of: timeline.layers, in: timeline.videoComposition?.renderSize ?? largest, at: "")
    for (id, nested) in timeline.compositions.sorted(by: { $0.key < $1.key }) {
      faults += self.faults(of: nested.layers, in: nested.videoComposition?.renderSize ?? largest, at: "compositions.\(id).")
    }
    return faults
  }

  private func faults(of edit: ResolvedTimeline, at place: String) -> [LayerFault] {
    edit.videoComposition.map { faults(of: edit.timeline.layers, in: $0.renderSize, at: place) } ?? []
  }

  private func faults(of layers: [Layer], in size: PixelSize, at place: String) -> [LayerFault] {
    layers.enumerated().flatMap { faults(of: $1, on: Rect(size), at: "\(place)layers[\($0)]") }
  }

  /// - Parameter ground: the rectangle of the layer that it stands on.
  private func faults(of layer: Layer, on ground: Rect, at place: String) -> [LayerFault] {
    let frame = layer.geometry.frame.map { Rect(0, 0, $0.width, $0.height) } ?? ground
    var faults: [LayerFault] = []
    if case .text(let written)? = layer.content {
      let text = written.withEveryDigit
      do throws(DrawingError) {
        try PlacedPicture.check(text, in: frame, lowerThird: layer.geometry.frame == nil, fonts: book)
      } catch { faults.append(LayerFault(place: place, error)) }
    }
    for (index, sublayer) in layer.sublayers.enumerated() {
      faults += self.faults(of: sublayer, on: frame, at: "\(place).layers[\(index)]")
    }
    if let mask = layer.mask { faults += self.faults(of: mask, on: frame, at: "\(place).mask") }
    return faults
  }
}

extension ResolvedTimeline {
  /// The texts that are drawn. Without a picture none is drawn.
  fileprivate var texts: [TextContent] {
    guard videoComposition != nil else { return [] }
    return timeline.layers.flatMap(\.all).compactMap { found in
      if case .text(let text)? = found.layer.content { text.withEveryDigit } else { nil }
    }
      + timeline.captions.filter(\.showing.isDrawn).flatMap { track in
        // Fonts depend on the looks of cues and their parts alone, of which a track has few. They are counted in their order.
        var known: Set<[Typeface]> = []
        return track.cues.map(track.text).filter { known.insert($0.spans.map(\.typeface)).inserted }
      }
  }
}

/// A text layer that cannot be drawn with the fonts of this machine.
package struct LayerFault: Error, Sendable {
  /// The layer's path in the document.
  package var place: String
  package var reason: String
  /// Whether the fault is a missing font. Otherwise it is a character that no font has, a text that does not fit, or another
  /// error.
  package var isMissingFont: Bool
  /// The text to write instead; nil where there is none to suggest.
  package var suggestion: String?

  init(place: String, _ error: DrawingError) {
    (self.place, reason) = (place, error.description)
    switch error {
    case .fontNotInstalled(_, let near): (isMissingFont, suggestion) = (true, near)
    case .fontUnreadable, .fontElsewhere, .fontNotNamed: (isMissingFont, suggestion) = (true, nil)
    case .missingGlyphs(let fonts, _, let families):
      isMissingFont = false
      suggestion = families.first.map { family in "[\((fonts + [family]).map { "\"\($0)\"" }.joined(separator: ", "))]" }
    case .noOutlines, .doesNotFit, .doesNotFitFrame, .rubyBroken, .notVariable, .tooManyFonts,
      .tooLarge, .tooFar, .vector, .cairo, .outOfMemory:
      (isMissingFont, suggestion) = (false, nil)
    }
  }
}
