internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads pictures and texts over the video, and volumes.
extension DocumentReader {
  func layers(_ node: DocumentNode) -> [Layer] {
    guard let nodes = node.elements(atMost: DocumentLimits.layers) else { return [] }
    let layers = nodes.compactMap(layer)
    // A list with some layers missing would shift the positions in the paths of later faults.
    return layers.count == nodes.count ? layers : []
  }

  private func layer(_ node: DocumentNode) -> Layer? {
    guard case .object(let members) = node.value else { return node.refuse("an object with \"image\" or \"text\"") }
    switch (members.contains { $0.key == "image" }, members.contains { $0.key == "text" }) {
    case (true, false): return DocumentObject(.imageLayer, node).flatMap { layer($0, imageContent($0).map { .image($0) }) }
    case (false, true): return DocumentObject(.textLayer, node).flatMap { layer($0, textContent($0).map { .text($0) }) }
    default: return node.refuse(because: "needs either \"image\" or \"text\"")
    }
  }

  private func layer(_ object: DocumentObject, _ content: Layer.Content?) -> Layer? {
    let shown = shownRange(object)
    let opacity = faded(envelope(object["opacity"], neutral: 1) { $0.number(in: 0...1) }, "opacity", over: shown, object)
    guard let content else { return nil }
    let isAlways = shown?.start == .zero && shown?.end == duration
    return Layer(content: content, opacity: opacity, timeRange: isAlways ? nil : shown)
  }

  /// The range in which the layer is shown: from `from` (else the edit's start) to `to` (else its end).
  private func shownRange(_ object: DocumentObject) -> MediaTimeRange? {
    let from = object["from"].map { time($0) } ?? .zero
    let to = object["to"].map { time($0, .positive) } ?? duration
    guard let from, let to else { return nil }
    guard from < to else {
      return (object["to"] ?? object["from"])?.refuse(because: "the layer is shown from \(from) to \(to), which is never")
    }
    return exact(object.node) { () throws(TimeError) in try MediaTimeRange(start: from, end: to) }
  }

  /// The envelope with the fades that `fadeIn` and `fadeOut` ask for: up from 0 at the start of `range`, and down to 0 at its
  /// end.
  private func faded(
    _ value: Envelope<Double>, _ name: String, over range: MediaTimeRange?, _ object: DocumentObject
  ) -> Envelope<Double> {
    let fadeIn = object["fadeIn"].map { time($0, .positive) } ?? .zero
    let fadeOut = object["fadeOut"].map { time($0, .positive) } ?? .zero
    guard let node = object["fadeIn"] ?? object["fadeOut"], let fadeIn, let fadeOut, let range else { return value }
    guard value == Envelope() || value.constant != nil else {
      node.note("\(name) has keyframes, which say it already: give one of them")
      return value
    }
    let (full, shape) = (
      value.constant ?? 1,
      exact(node) { () throws(TimeError) in
        try (up: range.start + fadeIn, down: range.end - fadeOut)
      }
    )
    guard let shape else { return value }
    guard shape.up <= shape.down else {
      node.note("fades take longer than the \(range.duration) s from \(range.start) to \(range.end)")
      return value
    }
    var keyframes = fadeIn > .zero ? [Envelope<Double>.Keyframe(range.start, 0)] : []
    keyframes.append(.init(shape.up, full))
    if shape.down > shape.up { keyframes.append(.init(shape.down, full)) }
    if fadeOut > .zero { keyframes.append(.init(range.end, 0)) }
    return Envelope(keyframes)
  }

  private func imageContent(_ object: DocumentObject) -> ImageContent? {
    let asset = object["image"].flatMap(stillPicture)
    let gravity = object["gravity"].map { self.gravity($0) } ?? .resizeAspect
    let frame = object["frame"].flatMap(rect)
    guard let asset, let gravity else { return nil }
    return ImageContent(asset: asset, frame: frame, gravity: gravity)
  }

  private func textContent(_ object: DocumentObject) -> TextContent? {
    let string = object["text"]?.string(atMost: DocumentLimits.textLength)
    let fonts = object["font"].flatMap(fonts)
    let language = object["language"].map(language)
    let size = object["size"]?.number(in: DocumentLimits.fontSize)
    let weight = object["weight"].map { $0.integer(in: 100...1000) } ?? 400
    let color = object["color"].map(color) ?? .white
    let alignment = object["align"].map { $0.choice(TextContent.Alignment.self) } ?? .center
    let frame = object["frame"].flatMap(rect)
    guard let string, let fonts, let size, let weight, let color, let alignment else { return nil }
    return TextContent(
      string: string, fonts: fonts, language: language ?? nil, size: size, weight: weight, color: color, alignment: alignment,
      frame: frame)
  }

  /// The families: one name, or several in order of preference.
  private func fonts(_ node: DocumentNode) -> [String]? {
    guard case .array = node.value else { return node.string(atMost: DocumentLimits.nameLength).map { [$0] } }
    guard let nodes = node.elements(atMost: DocumentLimits.fonts) else { return nil }
    guard !nodes.isEmpty else { return node.refuse(because: "names no font") }
    let names = nodes.compactMap { $0.string(atMost: DocumentLimits.nameLength) }
    guard names.count == nodes.count else { return nil }
    for (index, name) in names.enumerated() where names[..<index].contains(name) {
      nodes[index].note("'\(name)' stands in the list already")
    }
    return names
  }

  private func language(_ node: DocumentNode) -> String? {
    guard let text = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    guard TextContent.isLanguage(text) else {
      return node.refuse(because: "'\(text.prefix(100))' is not a language's tag (BCP 47), such as ja, ko, zh-Hans or zh-Hant")
    }
    return text
  }

  func audioMix(_ node: DocumentNode) -> AudioMix {
    var parameters: [TrackID: AudioMixInputParameters] = [:]
    for node in node.elements(atMost: DocumentLimits.tracks) ?? [] {
      guard let object = DocumentObject(.audioMixInput, node) else { continue }
      let constant = envelope(object["volume"], neutral: 1) { $0.number(in: DocumentLimits.volume) }
      guard let trackNode = object["track"], let track = trackID(trackNode, .audio) else { continue }
      let volume = faded(constant, "volume", over: extents[track], object)
      guard parameters.updateValue(AudioMixInputParameters(track: track, volume: volume), forKey: track) == nil else {
        trackNode.note("track '\(track)' has volumes already")
        continue
      }
    }
    return AudioMix(Array(parameters.values))
  }
}
