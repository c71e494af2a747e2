package import Captions
package import Formats
package import MediaTime

/// Captions over the video: cues, and how all of them look. They lie over the layers.
package struct CaptionTrack: Hashable, Sendable {
  /// The cues by their start; those that start together keep their order.
  package let cues: [CaptionCue]
  /// A text layer. Each cue has its looks, with the cue's own text, and stands in a rectangle of its own.
  package var style: Layer
  /// The distance from the text to the edge of its rectangle, in pixels.
  package var padding: Double
  package var place: CaptionPlace
  /// The distance that captions keep from the picture's edges, as a share of its sides.
  package var margin: Double
  /// The lines that are shown at once. A cue that needs more becomes pages.
  package var maxLines: Int
  package var highlight: Highlight?
  package var showing: Showing
  /// The file beside the movie that carries the captions; nil where there is none.
  package var sidecar: CaptionSidecar?
  /// The script that is drawn instead of the cues; nil where the cues are.
  package private(set) var script: Script?
  /// The latest end of each cue and those before it.
  private let reach: [MediaTime]

  /// - Precondition: `style` is a text layer.
  package init(
    cues: [CaptionCue], style: Layer, padding: Double = 0, place: CaptionPlace = .lowerThird, margin: Double = 0.05,
    maxLines: Int = 2, highlight: Highlight? = nil, showing: Showing = .picture
  ) {
    let sorted = cues.enumerated().sorted { ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset) }
    (self.cues, self.style, self.padding, self.place) = (sorted.map(\.element), style, padding, place)
    (self.margin, self.maxLines, self.highlight, self.showing) = (margin, maxLines, highlight, showing)
    var latest = MediaTime.zero
    reach = self.cues.map { cue in
      latest = max(latest, cue.range.end)
      return latest
    }
  }

  /// Makes the captions of a script that libass draws as it says.
  ///
  /// - Parameter cues: the script's cues, for a text track of the movie; empty where there is none.
  package init(_ script: Script, cues: [CaptionCue] = [], showing: Showing = .picture) {
    self.init(cues: cues, style: Self.unstyled, showing: showing)
    self.script = script
  }

  /// A style that nothing is drawn in.
  private static let unstyled = Layer(content: .text(TextContent(string: " ", fonts: [" "], size: 1)))

  /// A script as it lies in an edit.
  package struct Script: Hashable, Sendable {
    package let script: CaptionScript
    /// The time of the script's zero; negative where the script begins before the edit.
    package let offset: MediaTime
    package let opacity: Envelope<Double>

    package init(_ script: CaptionScript, offset: MediaTime = .zero, opacity: Envelope<Double> = Envelope()) {
      (self.script, self.offset, self.opacity) = (script, offset, opacity)
    }
  }

  /// Whether the cues are drawn as texts in the track's style.
  package var drawsCues: Bool { showing.isDrawn && script == nil }

  /// The way in which words are marked at their times.
  package struct Highlight: Hashable, Sendable, Encodable {
    package enum Kind: String, Hashable, Sendable, Encodable, CaseIterable {
      /// The word of the moment alone.
      case word
      /// The words up to that of the moment.
      case sung
      /// The words up to that of the moment, which is filled from its beginning to its end while it lasts.
      case fill
    }
    package var color: RGBAColor
    package var kind: Kind
    /// The way in which a word moves when it is marked; nil where it does not.
    package var animation: TextAnimation?

    package init(_ color: RGBAColor, _ kind: Kind = .word, animation: TextAnimation? = nil) {
      (self.color, self.kind, self.animation) = (color, kind, animation)
    }

    /// Whether the letters of marked words are drawn on their own.
    package var marksLetters: Bool { kind == .fill || animation != nil }
  }

  /// The same captions with other cues.
  package func with(_ cues: [CaptionCue]) -> CaptionTrack {
    var track = CaptionTrack(
      cues: cues, style: style, padding: padding, place: place, margin: margin, maxLines: maxLines, highlight: highlight,
      showing: showing)
    track.sidecar = sidecar
    return track
  }

  /// The ways in which captions reach those who see the movie.
  package enum Showing: String, Hashable, Sendable, CaseIterable {
    /// Text in its pictures.
    case picture
    /// A text track of the movie, which players show or not.
    case track
    case both
    /// A file beside the movie alone.
    case sidecar

    package var isDrawn: Bool { self == .picture || self == .both }
    package var isCarried: Bool { self == .track || self == .both }
  }

  /// The texts that are shown in a part of the edit, in the time of that part.
  package func texts(in part: MediaTimeRange) throws(TimeError) -> [(text: String, range: MediaTimeRange)] {
    try cues(in: part).map { ($0.text, $0.range) }
  }

  /// The language of the text as a BCP 47 tag; nil where nobody says it.
  package var language: String? { if case .text(let text)? = style.content { text.language } else { nil } }

  // MARK: - Cues

  /// The places of the cues that are shown at `time`, in their order. The search is binary: a film has thousands of cues.
  package func cues(at time: MediaTime) -> [Int] {
    let first = reach.partitioningIndex { $0 > time }
    let end = cues.partitioningIndex { $0.range.start > time }
    guard first < end else { return [] }
    return (first..<end).filter { cues[$0].range.contains(time) }
  }

  /// The text of a cue, as it is drawn.
  package func text(of cue: CaptionCue) -> TextContent {
    guard case .text(var text)? = style.content else { preconditionFailure("the style of captions is a text layer") }
    (text.string, text.language) = (cue.text, cue.language ?? text.language)
    (text.writingMode, text.direction) = (mode(of: cue), cue.direction ?? text.direction)
    if let align = cue.align { text.alignment = align.textAlignment }
    // A colour of the cue's own replaces whatever fills the letters.
    if let color = cue.color { (text.color, text.gradient, text.course.color) = (color, nil, Envelope()) }
    text.weight = cue.weight ?? text.weight
    if !cue.spans.isEmpty { text.runs = Self.runs(of: cue, isVertical: text.writingMode.isVertical) }
    return text
  }

  /// The text of a cue as it is measured: in the largest size that the style has at any time. So it has room at all times, and its
  /// lines stay as they are broken.
  package func measuredText(of cue: CaptionCue) -> TextContent {
    var text = text(of: cue)
    if changesSize { (text, text.course.size) = (text.sized(text.sizes.upperBound), Envelope()) }
    return text
  }

  /// Whether the size of the texts changes over time.
  private var changesSize: Bool {
    if case .text(let text)? = style.content { !text.course.size.keyframes.isEmpty } else { false }
  }

  /// The text of a cue in runs of one look.
  private static func runs(of cue: CaptionCue, isVertical: Bool) -> [TextContent.Run] {
    let bytes = Array(cue.text.utf8)
    var runs: [TextContent.Run] = []
    func add(_ range: Range<Int>, _ style: TextContent.Style) {
      if !range.isEmpty { runs.append(TextContent.Run(String(decoding: bytes[range], as: UTF8.self), style)) }
    }
    var place = 0
    for span in cue.spans {
      add(place..<span.bytes.lowerBound, TextContent.Style())
      let count = runs.count
      add(span.bytes, TextContent.Style(span.look))
      if count < runs.count { (runs[count].ruby, runs[count].isCombined) = (span.look.ruby, span.look.isCombined && isVertical) }
      place = span.bytes.upperBound
    }
    add(place..<bytes.count, TextContent.Style())
    return runs
  }

  /// The way in which the lines of a cue run.
  package func mode(of cue: CaptionCue) -> WritingMode { cue.writingMode ?? mode }

  /// The way in which lines run where a cue does not say it.
  package var mode: WritingMode { if case .text(let text)? = style.content { text.writingMode } else { .horizontal } }

  /// The place of captions that say none.
  package static func usualPlace(_ mode: WritingMode) -> CaptionPlace { mode.isVertical ? .right : .lowerThird }

  /// The part of the picture in which captions of a place stand.
  package func area(of place: CaptionPlace, in size: PixelSize) -> Rect {
    let (width, height) = (Double(size.width), Double(size.height))
    let top = place == .lowerThird ? height * 2 / 3 : height * margin
    return Rect(width * margin, top, width * (1 - 2 * margin), height * (1 - margin) - top)
  }

  // MARK: - Layers

  /// The part of the time that decides the captions' layers. Nothing else of it does.
  package struct Moment: Hashable, Sendable {
    /// The cues that are shown, each with the place among its words of the one that is marked last.
    fileprivate struct Shown: Hashable {
      let cue: Int
      let word: Int?
    }

    fileprivate let shown: [Shown]
  }

  /// The moment `time`, as far as it decides the layers.
  package func moment(at time: MediaTime) -> Moment {
    guard drawsCues else { return Moment(shown: []) }
    let marksWords = highlight.map { !$0.marksLetters } ?? false
    return Moment(
      shown: cues(at: time).map { cue in
        let words = cues[cue].words
        var word = marksWords ? words.lastIndex { $0.time <= time } : nil
        // The word alone is marked as long as it lasts.
        if highlight?.kind == .word, let end = word.flatMap({ words[$0].end }), end <= time { word = nil }
        return Moment.Shown(cue: cue, word: word)
      })
  }

  /// The layers that show the captions of a moment, bottommost first. Equal moments have equal layers.
  package func layers(at moment: Moment, in size: PixelSize) throws(TimeError) -> [Layer] {
    var layers: [Layer] = []
    for shown in moment.shown { layers.append(try layer(of: cues[shown.cue], word: shown.word, in: size)) }
    return layers
  }

  /// - Parameter word: the place among the cue's words of the one that is marked last; nil for none.
  private func layer(of cue: CaptionCue, word: Int?, in size: PixelSize) throws(TimeError) -> Layer {
    let text = text(of: cue)
    let place = cue.place ?? place
    let block = cue.frame ?? area(of: place, in: size)
    // A little more than the measured width, so that no rounding breaks a line.
    let slack = 2.0
    let shift = text.alignment == .left ? 0 : text.alignment == .right ? 2 * slack : slack
    let frame =
      text.writingMode.isVertical
      ? Rect(padding, padding - shift, block.width, block.height + 2 * slack)
      : Rect(padding - shift, padding, block.width + 2 * slack, block.height)
    // A text that is smaller than it was measured stays at its place in its rectangle.
    var parts = [textLayer(text, in: frame, cue.frame == nil || changesSize ? place : .top)]
    if let motion = try motion(of: cue, text) {
      parts[0].timeRange = cue.range
      if case .text(var moving)? = parts[0].content {
        moving.motion = motion
        parts[0].content = .text(moving)
      }
    } else if let marked = mark(cue, text, in: frame, upTo: word) {
      parts.append(marked)
    }
    let rect = Rect(block.x - padding, block.y - padding, block.width + 2 * padding, block.height + 2 * padding)
    var layer = Layer(
      content: nil, geometry: LayerGeometry(frame: rect, position: try way(of: cue, rect, in: size)),
      style: style.style, opacity: style.opacity, sublayers: parts)
    let fades = try fades(of: cue, to: style.opacity.constant ?? 1)
    if !fades.isEmpty, style.opacity.isSteady { layer.opacity = Envelope(fades) }
    layer = try clipped(layer, of: cue, rect, in: size)
    // Where the style's own opacity changes, the whole fades as a layer around it.
    return fades.isEmpty || style.opacity.isSteady ? layer : Layer(content: nil, opacity: Envelope(fades), sublayers: [layer])
  }

  /// The keyframes by which a cue appears and vanishes; none where it does so at once.
  private func fades(of cue: CaptionCue, to full: Double) throws(TimeError) -> [Envelope<Double>.Keyframe] {
    var fades: [Envelope<Double>.Keyframe] = []
    if cue.fadeIn > .zero { fades += [.init(cue.range.start, 0), .init(try cue.range.start + cue.fadeIn, full)] }
    if cue.fadeOut > .zero {
      let start = try cue.range.end - cue.fadeOut
      if fades.last.map({ $0.time < start }) ?? true { fades.append(.init(start, full)) }
      fades.append(.init(cue.range.end, 0))
    }
    return fades
  }

  /// A cue's layer, cut off at its region's rectangle, which is a layer of its own; the layer itself where the cue has no region.
  private func clipped(_ layer: Layer, of cue: CaptionCue, _ rect: Rect, in size: PixelSize) throws(TimeError) -> Layer {
    guard let clip = cue.clip else { return layer }
    var moved = layer
    moved.geometry = LayerGeometry(
      frame: Rect(rect.x - clip.x, rect.y - clip.y, rect.width, rect.height),
      position: try way(of: cue, Rect(rect.x - clip.x, rect.y - clip.y, rect.width, rect.height), in: size))
    return Layer(
      content: nil, geometry: LayerGeometry(frame: clip), style: LayerStyle(masksToBounds: true), sublayers: [moved])
  }

  /// The way of the middle of a cue's rectangle.
  private func way(of cue: CaptionCue, _ rect: Rect, in size: PixelSize) throws(TimeError) -> Envelope<Point> {
    if !cue.scrolls.isEmpty { return try scrolling(cue.scrolls, Point(rect.x + rect.width / 2, rect.y + rect.height / 2)) }
    guard let move = cue.move, let start = cue.position, move.range.duration > .zero else { return Envelope() }
    let middle = Point(rect.x + rect.width / 2, rect.y + rect.height / 2)
    let (x, y) = ((move.to.x - start.x) * Double(size.width), (move.to.y - start.y) * Double(size.height))
    return Envelope([.init(move.range.start, middle), .init(move.range.end, Point(middle.x + x, middle.y + y))])
  }

  /// The way of a point that moves up and down.
  private func scrolling(_ scrolls: [CaptionCue.Scroll], _ start: Point) throws(TimeError) -> Envelope<Point> {
    var (point, keyframes): (Point, [Envelope<Point>.Keyframe]) = (start, [])
    for scroll in scrolls {
      // A way that is not finished when the next one begins ends there.
      if let last = keyframes.last, last.time >= scroll.range.start { keyframes.removeLast() }
      if keyframes.last.map({ $0.time < scroll.range.start }) ?? true { keyframes.append(.init(scroll.range.start, point)) }
      point.y -= scroll.distance
      keyframes.append(.init(scroll.range.end, point))
    }
    return Envelope(keyframes)
  }

  private func textLayer(_ text: TextContent, in frame: Rect, _ place: CaptionPlace) -> Layer {
    var text = text
    let share = place.share(text.writingMode)
    // The first line of a vertical text may be at its right side.
    let begin = text.writingMode == .verticalRightToLeft ? 1.0 : 0
    text.verticalAlignment = share == begin ? .top : share == 0.5 ? .middle : .bottom
    return Layer(content: .text(text), geometry: LayerGeometry(frame: frame))
  }

  /// The motion of a cue: that of the style, with the words that are marked; nil where nothing does.
  private func motion(of cue: CaptionCue, _ text: TextContent) throws(TimeError) -> TextMotion? {
    // The measured places of words hold for one size.
    guard let highlight, text.motion != nil || highlight.marksLetters || changesSize, let ranges = cue.wordRanges else {
      return text.motion
    }
    var words: [TextMotion.Mark.Word] = []
    for (index, bytes) in ranges.enumerated() {
      let start = cue.words[index].time
      let end = cue.words[index].end ?? (index + 1 < ranges.count ? cue.words[index + 1].time : cue.range.end)
      words.append(.init(bytes, try MediaTimeRange(start: start, end: max(start, end))))
    }
    var motion = text.motion ?? TextMotion()
    motion.mark = words.isEmpty ? nil : TextMotion.Mark(highlight, words)
    return motion == TextMotion() ? nil : motion
  }

  /// The words up to one, or that one alone, in the colour that marks them; nil where there are none.
  private func mark(_ cue: CaptionCue, _ text: TextContent, in frame: Rect, upTo current: Int?) -> Layer? {
    guard let highlight, let block = cue.frame, let current else { return nil }
    let words = highlight.kind == .word ? cue.words[current...current] : cue.words[...current]
    let windows = words.compactMap(\.frame).map { word in
      Layer(
        content: nil,
        geometry: LayerGeometry(
          frame: Rect(
            word.x - block.x + padding - frame.x, word.y - block.y + padding - frame.y, word.width, word.height)),
        style: LayerStyle(backgroundColor: Envelope(constant: .white)))
    }
    guard !windows.isEmpty else { return nil }
    var marked = textLayer(text, in: frame, .top)
    if case .text(var text)? = marked.content {
      // Only the letters are marked: what lies around them is there already.
      (text.color, text.gradient, text.box, text.shadow, text.glow) = (highlight.color, nil, nil, nil, nil)
      text.course.color = Envelope()
      for index in text.runs.indices { text.runs[index].style.color = nil }
      marked.content = .text(text)
    }
    marked.mask = Layer(content: nil, sublayers: windows)
    return marked
  }
}

extension TextContent.Style {
  fileprivate init(_ look: CaptionCue.Span.Look) {
    self.init()
    (weight, slant, color) = (look.weight, look.isItalic ? .italic : nil, look.color)
    (isUnderlined, isStruckThrough) = (look.isUnderlined ? true : nil, look.isStruckThrough ? true : nil)
    (language, emphasis) = (look.language, look.emphasis)
  }
}

extension CaptionPlace {
  /// The share of the picture's height, or with vertical lines of its width, at which captions stand.
  package func share(_ mode: WritingMode) -> Double {
    switch (self, mode) {
    case (.top, .horizontal), (.left, .verticalLeftToRight), (.left, .verticalRightToLeft): 0
    case (.bottom, .horizontal), (.right, .verticalLeftToRight), (.right, .verticalRightToLeft): 1
    // The top of a vertical text is where its first line is, as if it were turned.
    case (.top, .verticalLeftToRight), (.bottom, .verticalRightToLeft): 0
    case (.bottom, .verticalLeftToRight), (.top, .verticalRightToLeft): 1
    case (.lowerThird, _), (.middle, _), (.left, .horizontal), (.right, .horizontal): 0.5
    }
  }
}

extension CaptionAlignment {
  fileprivate var textAlignment: TextContent.Alignment {
    switch self {
    case .left: .left
    case .center: .center
    case .right: .right
    }
  }
}

extension FileType {
  /// Whether files of this type hold captions as a track of text; cmaf as files in its folder.
  package var holdsCaptions: Bool { [.mp4, .mov, .mkv, .webm, .cmaf].contains(self) }
}
