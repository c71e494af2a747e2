internal import MediaTime

extension DocumentReader {
  /// - Parameter composition: nil when it has faults of its own, and nothing can be checked against it.
  func videoComposition(_ node: DocumentNode, of composition: Composition?) -> VideoComposition? {
    guard let object = DocumentObject(.videoComposition, node) else { return nil }
    let renderSize = object["renderSize"].flatMap(renderSize)
    let renderScale = object["renderScale"].map { $0.number(in: DocumentLimits.renderScale) } ?? 1
    let frameDuration = object["frameDuration"].flatMap(frameDuration)
    let color = object["color"].flatMap(colorTags)
    let toneMap = object["toneMap"].map { $0.choice(ToneMap.self) } ?? .bt2390
    let blending = object["blending"].map { $0.choice(Blending.self) } ?? .encoded
    let instructions =
      if let node = object["instructions"] { self.instructions(node) } else { defaultInstructions(of: composition, object) }
    guard let renderSize, let renderScale, let frameDuration, let toneMap, let blending else { return nil }
    return VideoComposition(
      renderSize: renderSize, renderScale: renderScale, frameDuration: frameDuration, color: color, toneMap: toneMap,
      blending: blending,
      instructions: instructions)
  }

  private func renderSize(_ node: DocumentNode) -> PixelSize? {
    guard case .array(let elements) = node.value, elements.count == 2 else { return node.refuse("[width, height]") }
    let sides = elements.enumerated().map { index, element -> Int? in
      let node = DocumentNode(value: element, path: node.path[index], log: log)
      guard let side = node.integer(in: DocumentLimits.renderSide) else { return nil }
      return side.isMultiple(of: 2) ? side : node.refuse(because: "\(side) is odd: 4:2:0 video has even sides")
    }
    guard let width = sides[0], let height = sides[1] else { return nil }
    return PixelSize(width, height)
  }

  private func frameDuration(_ node: DocumentNode) -> MediaTime? {
    guard let duration = time(node, .positive) else { return nil }
    guard Int128(duration.value) * Int128(DocumentLimits.framesPerSecond) >= Int128(duration.timescale) else {
      return node.refuse(because: "more than \(DocumentLimits.framesPerSecond) frames a second")
    }
    guard duration <= MediaTime(seconds: DocumentLimits.frameSeconds) else {
      return node.refuse(
        because: "a frame of \(duration) s is longer than \(DocumentLimits.frameSeconds) s; "
          + "for \(duration) frames a second write \"\(Self.duration(ofRate: duration))\"")
    }
    return duration
  }

  /// How long a frame lasts at a rate, the broadcast ones by their exact names.
  private static func duration(ofRate rate: MediaTime) -> String {
    switch rate.description {
    case "23.976", "2997/125", "23.98", "1199/50": "1001/24000"
    case "29.97", "2997/100": "1001/30000"
    case "59.94", "2997/50": "1001/60000"
    default: "\(rate.timescale)/\(rate.value)"
    }
  }

  /// One of the usual sets by name, or each tag by FFmpeg's name of it.
  private func colorTags(_ node: DocumentNode) -> ColorTags? {
    if case .string(let name) = node.value {
      let known = ColorTags.named.map(\.name)
      return ColorTags.named.first { $0.name == name }?.tags ?? node.refuse(because: DocumentNode.unknown(name, among: known))
    }
    guard let object = DocumentObject(.colorTags, node) else { return nil }
    let primaries = object["primaries"]?.choice(ColorTags.Primaries.self)
    let transfer = object["transfer"]?.choice(ColorTags.Transfer.self)
    let matrix = object["matrix"]?.choice(ColorTags.Matrix.self)
    let range = object["range"].map { $0.choice(ColorTags.Range.self) } ?? .limited
    if matrix == .rgb { object["matrix"]?.note("the output is 4:2:0 and cannot be RGB") }
    guard let primaries, let transfer, let matrix, let range else { return nil }
    return ColorTags(primaries, transfer, matrix, range)
  }

  // MARK: - Instructions

  /// Without instructions the first video track fills the frame, as in an edit without a video composition.
  private func defaultInstructions(of composition: Composition?, _ object: DocumentObject) -> [Instruction] {
    guard let composition else { return [] }
    let whole = exact(object.node) { () throws(TimeError) in try MediaTimeRange(start: .zero, duration: composition.duration) }
    guard let whole, let track = composition.tracks.first(where: { $0.media == .video }) else {
      log.note("missing, and there is no video track to show", at: object.node.path["instructions"])
      return []
    }
    return [Instruction(timeRange: whole, content: .layers([LayerInstruction(track: track.id, gravity: .resizeAspect)]))]
  }

  private func instructions(_ node: DocumentNode) -> [Instruction] {
    guard let nodes = node.elements(atMost: DocumentLimits.instructions) else { return [] }
    var instructions: [Instruction] = []
    // Nil after an instruction that could not be read, when the next one's place cannot be judged.
    var end: MediaTime? = .zero
    for node in nodes {
      let instruction = instruction(node)
      if let instruction, let end { checkJoint(instruction.timeRange.start, after: end, node) }
      end = instruction?.timeRange.end
      if let instruction { instructions.append(instruction) }
    }
    if let end, let duration, end != duration {
      node.note("the last one ends at \(end), but the edit ends at \(duration)")
    }
    return instructions
  }

  private func checkJoint(_ start: MediaTime, after end: MediaTime, _ node: DocumentNode) {
    let path = node.path["timeRange"]["start"]
    if start > end { log.note("\(start) leaves a gap: the instructions before it end at \(end)", at: path) }
    if start < end { log.note("\(start) overlaps the previous instruction, which ends at \(end)", at: path) }
  }

  private func instruction(_ node: DocumentNode) -> Instruction? {
    guard let object = DocumentObject(.instruction, node) else { return nil }
    let background = object["background"].flatMap(color) ?? .black
    let layers = object["layers"]?.elements(atMost: DocumentLimits.instructionLayers)?.compactMap(layerInstruction)
    let transition = object["transition"].flatMap(transition)
    let compositor = object["compositor"].flatMap(compositor)
    let contents = [("layers", "layers"), ("transition", "a transition"), ("compositor", "a compositor")]
    let given = contents.filter { object[$0.0] != nil }.map(\.1)
    if given.count > 1 { node.note("has \(given.joined(separator: " and ")): give one of them") }
    guard let timeRange = object["timeRange"].flatMap(timeRange) else { return nil }
    let content =
      transition.map { .transition($0) } ?? compositor.map { .compositor($0) } ?? Instruction.Content.layers(layers ?? [])
    return Instruction(timeRange: timeRange, backgroundColor: background, content: content)
  }

  /// An object, or the track's name alone when the rest is as usual.
  func layerInstruction(_ node: DocumentNode) -> LayerInstruction? {
    if case .string = node.value { return trackID(node, .video).map { LayerInstruction(track: $0) } }
    guard let object = DocumentObject(.layerInstruction, node) else { return nil }
    let track = object["track"].flatMap { trackID($0, .video) }
    let gravity = object["gravity"].map { $0.choice(Gravity.self) } ?? Gravity.none
    let opacity = envelope(object["opacity"], neutral: 1) { $0.number(in: 0...1) }
    let transform = envelope(object["transform"], neutral: .identity, transform)
    let crop = envelope(object["crop"], rect)
    guard let track, let gravity else { return nil }
    return LayerInstruction(track: track, gravity: gravity, opacity: opacity, transform: transform, crop: crop)
  }
}
