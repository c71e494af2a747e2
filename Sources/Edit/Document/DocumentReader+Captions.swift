internal import Captions
internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads captions: their cues, in the document or in files that were read before, and how they look.
extension DocumentReader {
  mutating func captions(_ node: DocumentNode) -> [CaptionTrack] {
    (node.elements(atMost: DocumentLimits.captionTracks) ?? []).compactMap { captionTrack($0) }
  }

  /// Notes captions that are too many or too long, with those of nested compositions.
  func checkCaptions(_ timeline: Timeline, _ root: DocumentNode) {
    // Captions that are drawn and written to a file are measured in pages for the one, and kept as they are for the other.
    let twice = timeline.captions.filter { $0.drawsCues && $0.sidecar != nil }
    let tracks = timeline.captions + twice + timeline.compositions.values.flatMap(\.captions)
    let cues = tracks.flatMap(\.cues)
    let words = cues.reduce(0) { $0 + $1.words.count }
    let length = cues.reduce(0) { $0 + $1.text.utf8.count + $1.words.reduce(0) { $0 + $1.text.utf8.count } }
    let path = root.path["captions"]
    for (index, track) in timeline.captions.enumerated() where track.showing.isCarried {
      let type = timeline.export.fileType
      if timeline.export.fragmentInterval != nil, type.holdsFragments, type != .cmaf {
        log.note("a movie in fragments carries no text tracks: leave export.fragmentInterval out", at: path[index]["as"])
        continue
      }
      guard !type.holdsCaptions else { continue }
      let holders = FileType.allCases.filter(\.holdsCaptions).list
      log.note("\(type) holds no captions as a track: use \(holders)", at: path[index]["as"])
    }
    for (id, nested) in timeline.compositions {
      for (index, track) in nested.captions.enumerated() where track.showing.isCarried {
        log.note(
          "only the edit's own captions become a track of the movie",
          at: root.path["compositions"][id.rawValue]["captions"][index]["as"])
      }
    }
    checkSidecars(timeline, root)
    if tracks.count > DocumentLimits.captionTracks {
      log.note("\(tracks.count) in all; at most \(DocumentLimits.captionTracks) are accepted", at: path)
    }
    if cues.count > CaptionLimits.cues { log.note("\(cues.count) cues; at most \(CaptionLimits.cues) are accepted", at: path) }
    if words > CaptionLimits.words {
      log.note("\(words) words with times; at most \(CaptionLimits.words) are accepted", at: path)
    }
    if length > CaptionLimits.textLength { log.note("the texts are longer than \(CaptionLimits.textLength >> 20) MiB", at: path) }
  }

  private mutating func captionTrack(_ node: DocumentNode) -> CaptionTrack? {
    guard let object = DocumentObject(.captionTrack, node) else { return nil }
    if object["script"] != nil || object["drawnBy"] != nil { return scriptTrack(object) }
    if object["style"] == nil { log.note("missing", at: node.path["style"], .missingKey) }
    object["opacity"]?.note("is that of a script that libass draws: give style.opacity")
    let style = object["style"].flatMap(captionStyle)
    let mode = style.flatMap { if case .text(let text)? = $0.content { text.writingMode } else { nil } } ?? .horizontal
    let offset = object["offset"].map(captionOffset) ?? .zero
    let cues = self.cues(of: object, mode)
    let padding = object["padding"].map { $0.number(in: DocumentLimits.lineWidth) } ?? 0
    let place = object["place"].map { captionPlace($0, mode) } ?? CaptionTrack.usualPlace(mode)
    let margin = object["margin"].map { $0.number(in: 0...0.45) } ?? 0.05
    let maxLines = object["maxLines"].map { $0.integer(in: 1...20) } ?? 2
    let highlight = object["highlight"].flatMap(highlight)
    let showing = object["as"].map { $0.choice(CaptionTrack.Showing.self) } ?? .picture
    guard let style, let offset, let cues, let padding, let place, let margin, let maxLines, let showing else { return nil }
    let sidecar = sidecar(object, showing)
    if let highlight, highlight.marksLetters, style.style.shadow != nil {
      object["style"]?.note("the shadow of a text whose words move would be that of its rectangle: give \"textShadow\"")
    }
    let shifted = exact(node) { () throws(TimeError) in try Self.shifted(cues, by: offset) }
    return shifted.map {
      var track = CaptionTrack(
        cues: $0, style: style, padding: padding, place: place, margin: margin, maxLines: maxLines, highlight: highlight,
        showing: showing)
      track.sidecar = sidecar
      return track
    }
  }

  /// A place for lines that run so.
  private func captionPlace(_ node: DocumentNode, _ mode: WritingMode) -> CaptionPlace? {
    guard let place = node.choice(CaptionPlace.self) else { return nil }
    guard Self.places(mode).contains(place) else {
      let names = Self.places(mode).map(\.rawValue).joined(separator: ", ")
      return node.refuse(because: "\(mode.isVertical ? "vertical" : "horizontal") captions stand at one of \(names)")
    }
    return place
  }

  private static func places(_ mode: WritingMode) -> [CaptionPlace] {
    mode.isVertical ? [.left, .middle, .right] : [.lowerThird, .bottom, .middle, .top]
  }

  /// - Parameter mode: the way in which lines run where a cue does not say it.
  private mutating func cues(of object: DocumentObject, _ mode: WritingMode) -> [CaptionCue]? {
    switch (object["file"], object["cues"]) {
    case (let node?, nil):
      guard let path = node.string(atMost: DocumentLimits.pathLength) else { return nil }
      guard let place = captionFile(path, object, isDrawnAsScript: false) else { return nil }
      if let cues = captionCues[place] { return cues.map { $0.placed(mode) } }
      log.leaveUnjudged(node.path)
      return []
    case (nil, let node?):
      object["encoding"]?.note("only files have an encoding")
      let nodes = node.elements(atMost: CaptionLimits.cues) ?? []
      let cues = nodes.compactMap { cue($0, mode) }
      return cues.count == nodes.count ? cues : nil
    default: return object.node.refuse(because: "needs either \"file\" or \"cues\"")
    }
  }

  /// Notes a file that the captions name. Returns their place; nil where the encoding is faulty.
  mutating func captionFile(_ path: String, _ object: DocumentObject, isDrawnAsScript: Bool) -> String? {
    let encoding = object["encoding"].map { node in
      CaptionEncoding.names.contains(where: { node.value == .string($0) })
        ? node.string(atMost: DocumentLimits.nameLength)
        : node.refuse("one of these", Self.text(node), among: CaptionEncoding.names)
    }
    if object["encoding"] != nil, encoding == .some(nil) { return nil }
    let place = "\(object.node.path)"
    captionFiles.append(
      CaptionFileName(place: place, path: path, encoding: encoding ?? nil, isDrawnAsScript: isDrawnAsScript))
    return place
  }

  private static func text(_ node: DocumentNode) -> String { if case .string(let text) = node.value { text } else { "" } }

  // MARK: - Cues

  private func cue(_ node: DocumentNode, _ mode: WritingMode) -> CaptionCue? {
    guard let object = DocumentObject(.captionCue, node) else { return nil }
    let from = object["from"].flatMap { time($0) }
    let to = object["to"].flatMap { time($0) }
    let text = object["text"].flatMap(cueText)
    let words = object["words"].map { self.words($0) } ?? []
    guard let from, let to, let text, let words else { return nil }
    guard from <= to else { return node.refuse(because: "ends at \(to), before it starts at \(from)") }
    guard let range = exact(node, { () throws(TimeError) in try MediaTimeRange(start: from, end: to) }) else { return nil }
    var cue = CaptionCue(range, text.string, words: words)
    cue.spans = text.spans
    check(words, of: cue, object)
    cue.language = object["language"].flatMap(language)
    cue.writingMode = object["writingMode"].flatMap { $0.choice(WritingMode.self) }
    cue.direction = object["direction"].flatMap { $0.choice(TextDirection.self) }
    cue.place = object["place"].flatMap { captionPlace($0, cue.writingMode ?? mode) }
    cue.align = object["align"].flatMap { $0.choice(CaptionAlignment.self) }
    readPosition(object, &cue)
    cue.makesRoom = object["makesRoom"].flatMap { $0.bool() } ?? false
    if cue.position == nil { object["makesRoom"]?.note("only a text at a \"position\" of two shares stays where it is") }
    cue.width = object["width"].flatMap { $0.number(in: DocumentLimits.captionWidth) }
    cue.move = object["move"].flatMap { move($0, of: range) }
    if cue.position == nil { object["move"]?.note("needs \"position\", from which the text goes") }
    readRegion(object, &cue, cue.writingMode ?? mode)
    cue.color = object["color"].flatMap(color)
    cue.weight = object["weight"].flatMap { $0.integer(in: 100...1000) }
    cue.frame = object["frame"].flatMap(rect)
    let fadeIn = object["fadeIn"].map { time($0, .positive) } ?? .zero
    let fadeOut = object["fadeOut"].map { time($0, .positive) } ?? .zero
    guard let fadeIn, let fadeOut else { return nil }
    guard let fades = exact(node, { () throws(TimeError) in try fadeIn + fadeOut }), fades <= range.duration else {
      return node.refuse(because: "fades take longer than the cue")
    }
    (cue.fadeIn, cue.fadeOut) = (fadeIn, fadeOut)
    return cue
  }

  /// The text: a string, or an array of strings and runs with looks of their own.
  private func cueText(_ node: DocumentNode) -> (string: String, spans: [CaptionCue.Span])? {
    guard case .array = node.value else { return node.string(atMost: CaptionLimits.cueLength).map { ($0, []) } }
    guard let nodes = node.elements(atMost: DocumentLimits.textRuns) else { return nil }
    guard !nodes.isEmpty else { return node.refuse(because: "must not be empty") }
    var (string, spans): (String, [CaptionCue.Span]) = ("", [])
    for node in nodes {
      var (own, look): (String?, CaptionCue.Span.Look) = (nil, CaptionCue.Span.Look())
      if case .string = node.value {
        own = node.string(atMost: CaptionLimits.cueLength)
      } else if let object = DocumentObject(.captionRun, node) {
        own = object["text"]?.string(atMost: CaptionLimits.cueLength)
        look.weight = object["weight"].flatMap { $0.integer(in: 100...1000) }
        look.isItalic = object["italic"]?.bool() ?? false
        look.isUnderlined = object["underline"]?.bool() ?? false
        look.isStruckThrough = object["strikethrough"]?.bool() ?? false
        look.color = object["color"].flatMap(color)
        look.ruby = object["ruby"].flatMap { $0.string(atMost: CaptionLimits.rubyLength) }
        look.isCombined = object["textCombine"]?.bool() ?? false
        look.emphasis = object["textEmphasis"].flatMap(emphasis)
        look.language = object["language"].flatMap(language)
        checkRuby(object, own, look)
      }
      guard let own else { return nil }
      let start = string.utf8.count
      string += own
      if look != CaptionCue.Span.Look() { spans.append(CaptionCue.Span(start..<start + own.utf8.count, look)) }
    }
    guard string.utf8.count <= CaptionLimits.cueLength else {
      return node.refuse(because: "longer than \(CaptionLimits.cueLength) bytes in all")
    }
    return (string, spans)
  }

  /// Notes small texts that cannot be laid beside their own.
  private func checkRuby(_ object: DocumentObject, _ text: String?, _ look: CaptionCue.Span.Look) {
    guard look.ruby != nil || look.isCombined else { return }
    for (key, text) in [("text", text), ("ruby", look.ruby)] where text?.contains(where: \.isNewline) ?? false {
      object[key]?.note("has a line break, and stands in one line")
    }
    if look.isCombined { object["ruby"]?.note("stands beside letters that follow each other: leave \"textCombine\" out") }
  }

  private func move(_ node: DocumentNode, of range: MediaTimeRange) -> CaptionCue.Move? {
    guard let object = DocumentObject(.captionMove, node) else { return nil }
    let to = object["to"].flatMap { $0.numbers(["x", "y"], in: 0...1) }.map { Point($0[0], $0[1]) }
    let (from, until) = (object["from"].map { time($0) } ?? range.start, object["until"].map { time($0) } ?? range.end)
    guard let to, let from, let until else { return nil }
    guard from < until else { return node.refuse(because: "ends at \(until), and begins at \(from)") }
    return exact(node) { () throws(TimeError) in CaptionCue.Move(to: to, try MediaTimeRange(start: from, end: until)) }
  }

  private func words(_ node: DocumentNode) -> [CaptionCue.Word]? {
    let nodes = node.elements(atMost: CaptionLimits.words) ?? []
    let words = nodes.compactMap { node -> CaptionCue.Word? in
      guard let object = DocumentObject(.captionWord, node), let time = object["at"].flatMap({ self.time($0) }),
        let text = object["text"]?.string(atMost: CaptionLimits.cueLength)
      else { return nil }
      return CaptionCue.Word(time, text, until: object["until"].flatMap { self.time($0) }, frame: object["frame"].flatMap(rect))
    }
    return words.count == nodes.count ? words : nil
  }

  private func check(_ words: [CaptionCue.Word], of cue: CaptionCue, _ object: DocumentObject) {
    let path = object.node.path["words"]
    var last = cue.range.start
    for (index, word) in words.enumerated() {
      if word.time < last || word.time > cue.range.end {
        log.note("\(word.time) is not between the times around it", at: path[index]["at"])
      }
      last = word.time
      let next = index + 1 < words.count ? words[index + 1].time : cue.range.end
      if let end = word.end, end < word.time || end > next {
        log.note("\(end) is not between the word's own time and the one after it", at: path[index]["until"])
      }
    }
    guard cue.wordRanges == nil else { return }
    log.note("the words do not stand in the text in their order", at: path)
  }

  /// The time by which cues are later; a negative one begins with a minus.
  func captionOffset(_ node: DocumentNode) -> MediaTime? {
    guard case .string(let text) = node.value, text.hasPrefix("-") else { return time(node) }
    guard let time = time(DocumentNode(value: .string(String(text.dropFirst())), path: node.path, log: log)) else { return nil }
    return exact(node) { () throws(TimeError) in try MediaTime.zero - time }
  }

  /// The cues at later times, or earlier ones. What comes before the edit's start is cut off.
  static func shifted(_ cues: [CaptionCue], by offset: MediaTime) throws(TimeError) -> [CaptionCue] {
    guard offset != .zero else { return cues }
    var shifted: [CaptionCue] = []
    for var cue in cues {
      let (start, end) = try (cue.range.start + offset, cue.range.end + offset)
      guard end >= .zero, end > .zero || start == end else { continue }
      cue.range = try MediaTimeRange(start: max(start, .zero), end: end)
      for index in cue.words.indices {
        cue.words[index].time = try max(cue.words[index].time + offset, .zero)
        if let end = cue.words[index].end { cue.words[index].end = try max(end + offset, .zero) }
      }
      if let move = cue.move {
        let (from, until) = try (move.range.start + offset, move.range.end + offset)
        // A text whose way began before the edit is where the way ends.
        cue.move = from < .zero ? nil : CaptionCue.Move(to: move.to, try MediaTimeRange(start: from, end: until))
        if from < .zero { cue.position = move.to }
      }
      // What began before the edit has its end.
      for index in cue.scrolls.indices {
        let range = cue.scrolls[index].range
        let (from, until) = try (max(range.start + offset, .zero), max(range.end + offset, .zero))
        cue.scrolls[index].range = try MediaTimeRange(start: from, end: until)
      }
      if start < .zero { (cue.fadeIn, cue.fadeOut) = (.zero, .zero) }
      shifted.append(cue)
    }
    return shifted
  }

  // MARK: - Looks

  /// The style: the keys of a text layer that say how it looks.
  private func captionStyle(_ node: DocumentNode) -> Layer? {
    let faultsBefore = log.count
    guard DocumentObject(.captionStyle, node) != nil, log.count == faultsBefore, case .object(let members) = node.value else {
      return nil
    }
    // The looks are those of any text layer, so they are read as one.
    let text = JSONValue.Member(key: "text", value: .string(" "))
    // Each cue has a place of its own, so any frame will do for the text.
    let frame = JSONValue.Member(key: "frame", value: .array([.integer(0), .integer(0), .integer(1), .integer(1)]))
    let layer = layer(DocumentNode(value: .object(members + [text, frame]), path: node.path, log: log), level: 1)
    guard var layer, layer.style.blendMode == .normal else { return nil }
    layer.geometry = LayerGeometry()
    return layer
  }

  private func highlight(_ node: DocumentNode) -> CaptionTrack.Highlight? {
    guard let object = DocumentObject(.captionHighlight, node) else { return nil }
    let color = object["color"].flatMap(color)
    let kind = object["kind"].map { $0.choice(CaptionTrack.Highlight.Kind.self) } ?? .word
    let animation = object["animation"].flatMap { textAnimation($0, .word) }
    guard let color, let kind else { return nil }
    return CaptionTrack.Highlight(color, kind, animation: animation)
  }
}

extension CaptionCue {
  /// The cue at a place for the way in which its lines run. A file may say another one, which is meant as if the lines were turned.
  fileprivate func placed(_ mode: WritingMode) -> CaptionCue {
    let mode = writingMode ?? mode
    var cue = self
    // A region has horizontal lines, whatever the others have.
    if region != nil, mode.isVertical { cue.writingMode = .horizontal }
    guard region == nil, mode.isVertical, let place, place != .middle else { return cue }
    cue.place = place.share(mode) == 0.5 ? .middle : place.share(mode) == 1 ? .right : .left
    return cue
  }
}
