internal import Captions
internal import Drawing
package import Formats
package import Media
package import Scenes
package import Timeline

/// The findings about an edit's texts once they were laid out.
package struct TextFindings: Hashable, Sendable, Codable {
  /// The texts that cannot be drawn, at most `DocumentLimits.faults`.
  package var faults: [LayerFault]
  package var warnings: [DocumentWarning]
  /// The font faces in which the texts are drawn; empty where something is wrong.
  package var faces: [FontFace]

  package init(faults: [LayerFault], warnings: [DocumentWarning], faces: [FontFace]) {
    (self.faults, self.warnings) = (Array(faults.prefix(DocumentLimits.faults)), Array(warnings.prefix(DocumentLimits.faults)))
    self.faces = faces
  }
}

/// Checks the text layers of an edit against the fonts of its document and of this machine.
package struct EditTexts {
  private let book: FontBook
  /// The fonts whose texts are not checked.
  private let unknown: Set<String>

  /// - Parameter policy: says how the document's font files are read.
  package init(_ edit: ResolvedTimeline, _ policy: SourcePolicy) {
    (book, unknown) = (FontBook(of: DocumentFonts(of: edit, policy)), [])
  }

  /// Checks an edit that has other faults. Texts in the document's own fonts are left out.
  init(faulty timeline: Timeline) {
    book = FontBook()
    unknown = Set(timeline.treatments.filter { $0.value.font != nil }.keys.map(\.rawValue))
  }

  /// The edit with all captions in measured pages, and what was found about its texts.
  ///
  /// - Throws: `DocumentFaults` of an edit that the pages make.
  package func findings(in edit: ResolvedTimeline) throws(DocumentFaults) -> (edit: ResolvedTimeline, found: TextFindings) {
    let pages = pages(of: edit)
    let measured = try pages.timeline == edit.timeline ? edit : pages.timeline.resolved(with: edit.facts)
    var (faults, faces): ([LayerFault], [FontFace]) = (pages.faults, [])
    let nested = measured.nested.sorted { $0.key < $1.key }
    var more = self.faults(of: measured, at: "")
    for (id, edit) in nested { more += self.faults(of: edit, at: "compositions.\(id).") }
    if more.isEmpty {
      let edits = [measured] + nested.map(\.value)
      do throws(DrawingError) {
        faces = try book.faces(of: edits.flatMap(\.texts), scripts: edits.flatMap(\.scripts).flatMap(\.faces))
      } catch {
        more = [LayerFault(place: "layers", error)]
      }
    }
    faults += more
    return (measured, TextFindings(faults: faults, warnings: pages.warnings, faces: faults.isEmpty ? faces : []))
  }

  /// The timeline of an edit with all captions in measured pages, and what is wrong with them.
  private func pages(of edit: ResolvedTimeline) -> (timeline: Timeline, faults: [LayerFault], warnings: [DocumentWarning]) {
    var (timeline, faults, warnings): (Timeline, [LayerFault], [DocumentWarning]) = (edit.timeline, [], [])
    func measured(_ captions: [CaptionTrack], of edit: ResolvedTimeline, at place: String) -> [CaptionTrack] {
      guard !captions.isEmpty, let size = edit.videoComposition?.renderSize else { return captions }
      var pages = CaptionPages(in: size, book)
      let measured = captions.enumerated().map { index, track in
        track.drawsCues ? pages.measured(track, "\(place)captions[\(index)]") : track
      }
      faults += pages.faults
      warnings += pages.warnings
      return measured
    }
    // The file beside the movie has the cues as they are, so pages are made of a copy.
    let (files, drawn) = timeline.captions.dividingSidecars()
    timeline.captions = measured(drawn, of: edit, at: "") + files
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
    guard let composition = edit.videoComposition else { return [] }
    return faults(of: edit.timeline.layers, in: composition.renderSize, at: place, edit.timeline.sourceNames)
      + edit.timeline.captions.enumerated().flatMap { index, track in
        track.showing.isDrawn ? track.script.map { faults(of: $0.script, at: "\(place)captions[\(index)]") } ?? [] : []
      }
  }

  /// The fonts and letters that a script has not.
  private func faults(of script: CaptionScript, at place: String) -> [LayerFault] {
    script.letters.compactMap { letters in
      do throws(DrawingError) {
        try book.requireLetters(letters)
        return nil
      } catch { return LayerFault(place: "\(place) (line \(letters.number) of the script)", error) }
    }
  }

  /// - Parameter sources: the names of the sources that a track shows, which texts may tell.
  private func faults(
    of layers: [Layer], in size: PixelSize, at place: String, _ sources: (TrackID) -> [String] = { _ in [] }
  ) -> [LayerFault] {
    layers.enumerated().flatMap { faults(of: $1, on: Rect(size), at: "\(place)layers[\($0)]", sources) }
  }

  /// - Parameter ground: the rectangle of the layer that it stands on.
  private func faults(
    of layer: Layer, on ground: Rect, at place: String, _ sources: (TrackID) -> [String]
  ) -> [LayerFault] {
    let frame = layer.geometry.frame.map { Rect(0, 0, $0.width, $0.height) } ?? ground
    var faults: [LayerFault] = []
    if case .text(let written)? = layer.content, unknown.isDisjoint(with: written.spans.flatMap(\.typeface.families)) {
      let names = written.timestamp?.track.map(sources) ?? []
      do throws(DrawingError) {
        for name in names.isEmpty ? ["0"] : names {
          let text = written.withEveryDigit(source: name)
          for size in Set([text.sizes.lowerBound, text.sizes.upperBound]) {
            for frame in layer.geometry.boxes ?? [ground] {
              try PlacedPicture.check(text.sized(size), in: frame, lowerThird: layer.geometry.frame == nil, fonts: book)
            }
          }
        }
      } catch { faults.append(LayerFault(place: place, error)) }
    }
    for (index, sublayer) in layer.sublayers.enumerated() {
      faults += self.faults(of: sublayer, on: frame, at: "\(place).layers[\(index)]", sources)
    }
    if let mask = layer.mask { faults += self.faults(of: mask, on: frame, at: "\(place).mask", sources) }
    return faults
  }
}

extension [CaptionTrack] {
  /// The tracks with those that are drawn apart from their files, which become tracks of their own.
  fileprivate func dividingSidecars() -> (files: [CaptionTrack], others: [CaptionTrack]) {
    var (files, others) = ([CaptionTrack](), self)
    for index in others.indices where others[index].drawsCues && others[index].sidecar != nil {
      files.append(others[index])
      files[files.count - 1].showing = .sidecar
      others[index].sidecar = nil
    }
    return (files, others)
  }
}

extension ResolvedTimeline {
  /// The texts that are drawn. Without a picture none is drawn.
  fileprivate var texts: [TextContent] {
    guard videoComposition != nil else { return [] }
    return timeline.layers.flatMap(\.all).compactMap { found in
      guard case .text(let text)? = found.layer.content else { return nil }
      return text.withEveryDigit(source: text.timestamp?.track.map { timeline.sourceNames(of: $0).joined() } ?? "")
    }
      + timeline.captions.filter(\.drawsCues).flatMap { track in
        // Fonts depend on the looks of cues and their parts alone, of which a track has few. They are counted in their order.
        var known: Set<[Typeface]> = []
        return track.cues.map(track.text).filter { known.insert($0.spans.map(\.typeface)).inserted }
      }
  }

  /// The scripts that are drawn.
  fileprivate var scripts: [CaptionScript] {
    guard videoComposition != nil else { return [] }
    return timeline.captions.filter(\.showing.isDrawn).compactMap { $0.script?.script }
  }
}

extension LayerGeometry {
  /// The smallest and the largest rectangle of the layer; one where its size does not change, and nil without a frame.
  fileprivate var boxes: Set<Rect>? {
    guard let (least, largest) = extremes else { return nil }
    // A layer without any area shows no text, and one has hardly any on its way there.
    let hardly = 1.0 / 16
    return Set([least, largest].map { Rect(0, 0, max($0.x, hardly), max($0.y, hardly)) })
  }
}

/// A text layer that cannot be drawn with the fonts of this machine.
package struct LayerFault: Error, Hashable, Sendable, Codable {
  /// The layer's path in the document.
  package var place: String
  package var reason: String
  /// Whether the fault is a missing font. Otherwise it is a character that no font has, a text that does not fit, or another
  /// error.
  package var isMissingFont: Bool
  /// The text to write instead; nil where there is none to suggest.
  package var suggestion: String?

  init(place: String, reason: String) { (self.place, self.reason, isMissingFont, suggestion) = (place, reason, false, nil) }

  init(place: String, _ error: DrawingError) {
    (self.place, reason) = (place, error.description)
    switch error {
    case .fontNotInstalled(_, let near): (isMissingFont, suggestion) = (true, near)
    case .fontUnreadable, .fontElsewhere, .fontNotNamed, .fontIsMedium, .documentFont, .documentFontChanged:
      (isMissingFont, suggestion) = (true, nil)
    case .missingGlyphs(let fonts, _, let families):
      isMissingFont = false
      suggestion = families.first.map { family in "[\((fonts + [family]).map { "\"\($0)\"" }.joined(separator: ", "))]" }
    case .noOutlines, .brokenLetters, .doesNotFit, .doesNotFitFrame, .rubyBroken, .notVariable, .tooManyFonts,
      .tooLarge, .tooFar, .vector, .cairo, .outOfMemory:
      (isMissingFont, suggestion) = (false, nil)
    }
  }
}
