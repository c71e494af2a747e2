internal import Formats
internal import JSON
internal import MediaTime
internal import Scenes
internal import Timeline

extension DocumentReader {
  /// Reads a video composition; nil after a fault in its own values.
  ///
  /// - Parameter composition: the tracks that it composes; nil when they have faults, and nothing can be checked against them.
  func videoComposition(_ node: DocumentNode, of composition: Composition?) -> VideoComposition? {
    guard let object = DocumentObject(.videoComposition, node) else { return nil }
    let isUsual = object["renderSize"] == nil || object["frameDuration"] == nil
    let usual = isUsual ? firstPicture(of: composition, object) : nil
    let renderSize = if let node = object["renderSize"] { renderSize(node) } else { usual?.size }
    let renderScale = object["renderScale"].map { $0.number(in: DocumentLimits.renderScale) } ?? 1
    let frameDuration = if let node = object["frameDuration"] { frameDuration(node) } else { usual?.frameDuration }
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

  /// The size and the rate of the first video clip. A video composition that does not state them takes them from there.
  private func firstPicture(of composition: Composition?, _ object: DocumentObject) -> FirstPicture? {
    guard let composition else { return nil }  // The composition has faults, or is not known yet.
    guard let source = composition.firstPictureSource else {
      for key in ["renderSize", "frameDuration"] where object[key] == nil {
        log.note("missing, and there is no video clip to take it from", at: object.node.path[key], .missingKey)
      }
      return nil
    }
    guard let picture = firstPicture(source) else {
      log.leaveUnjudged(object.node.path)
      return nil
    }
    return picture
  }

  /// The size and the rate of a source's picture; nil when they are not known yet, and where the source has faults.
  func firstPicture(_ source: SegmentSource) -> FirstPicture? {
    switch source {
    case .composition(let id): return nesting.picture(of: id)
    case .asset(let id, let position):
      guard let tracks = facts[id]?.playableTracks(.video), tracks.indices.contains(position),
        case .video(let video) = tracks[position].detail
      else { return nil }
      // A rate that a time cannot hold is noted later, when the whole edit is resolved.
      guard let frameDuration = try? TimelineResolver.frameDuration(of: video) else { return nil }
      return FirstPicture(size: TimelineResolver.renderSize(for: video.displaySize), frameDuration: frameDuration)
    }
  }

  func renderSize(_ node: DocumentNode) -> PixelSize? {
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
      let meant = Self.duration(ofRate: duration)
      node.note(
        "a frame of \(duration) s is longer than \(DocumentLimits.frameSeconds) s; "
          + "for \(duration) frames a second write \"\(meant)\"", suggestion: meant)
      return nil
    }
    return duration
  }

  /// The duration of a frame at a rate, as text. Broadcast rates that were rounded get their exact durations.
  private static func duration(ofRate rate: MediaTime) -> String {
    switch rate.description {
    case "23.976", "2997/125", "23.98", "1199/50": "1001/24000"
    case "29.97", "2997/100": "1001/30000"
    case "59.94", "2997/50": "1001/60000"
    default: "\(rate.timescale)/\(rate.value)"
    }
  }

  /// The colour tags: the name of a usual set, or each tag by FFmpeg's name for it.
  private func colorTags(_ node: DocumentNode) -> ColorTags? {
    if case .string(let name) = node.value {
      let known = ColorTags.named.map(\.name)
      return ColorTags.named.first { $0.name == name }?.tags ?? node.refuse(name, among: known)
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

  /// The instructions where the document has none: the first video track fills the frame, as in an edit without a video
  /// composition.
  private func defaultInstructions(of composition: Composition?, _ object: DocumentObject) -> [Instruction] {
    guard let composition else { return [] }
    let whole = exact(object.node) { () throws(TimeError) in try MediaTimeRange(start: .zero, duration: composition.duration) }
    guard let whole, let track = composition.tracks.first(where: { $0.media == .video }) else {
      log.note("missing, and there is no video track to show", at: object.node.path["instructions"])
      return []
    }
    return [
      Instruction(timeRange: whole, content: .layerInstructions([LayerInstruction(track: track.id, gravity: .resizeAspect)]))
    ]
  }

  private func instructions(_ node: DocumentNode) -> [Instruction] {
    guard let nodes = node.elements(atMost: DocumentLimits.instructions) else { return [] }
    var instructions: [Instruction] = []
    // The end is nil after an instruction that could not be read, since the next one's place cannot be judged then.
    var end: MediaTime? = .zero
    for node in nodes {
      let instruction = instruction(node, after: end)
      if let instruction, let end { checkJoint(instruction.timeRange.start, after: end, node) }
      end = instruction?.timeRange.end
      if let instruction { instructions.append(instruction) }
    }
    // A list with some instructions missing would shift the positions in the paths of later faults.
    guard instructions.count == nodes.count else { return [] }
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

  private func instruction(_ node: DocumentNode, after end: MediaTime?) -> Instruction? {
    guard let object = DocumentObject(.instruction, node) else { return nil }
    let background = object["background"].flatMap(color) ?? usualBackground
    let layers = object["layerInstructions"]?.elements(atMost: DocumentLimits.layerInstructions)?.compactMap(layerInstruction)
    let transition = object["transition"].flatMap(transition)
    let compositor = object["compositor"].flatMap(compositor)
    let contents = [("layerInstructions", "layer instructions"), ("transition", "a transition"), ("compositor", "a compositor")]
    let given = contents.filter { object[$0.0] != nil }.map(\.1)
    if given.count > 1 {
      let isMixed = object["layerInstructions"] != nil && object["transition"] != nil
      let advice =
        isMixed ? ". What a layer instruction says can stand in its \"from\" and \"to\": {\"track\": …, \"gravity\": …}" : ""
      node.note("has \(given.joined(separator: " and ")): give one of them\(advice)")
    }
    let timeRange = if let node = object["timeRange"] { timeRange(node) } else { rest(after: end, node) }
    guard let timeRange else { return nil }
    let content =
      transition.map { .transition($0) } ?? compositor.map { .compositor($0) }
      ?? Instruction.Content.layerInstructions(layers ?? [])
    return Instruction(timeRange: timeRange, backgroundColor: background, content: content)
  }

  /// The rest of the edit. It is the range of an instruction that states none, which must be the last one.
  private func rest(after end: MediaTime?, _ node: DocumentNode) -> MediaTimeRange? {
    guard let end, let duration else { return nil }
    guard end < duration else {
      return node.refuse(because: "without timeRange it holds to the edit's end, \(duration), which the ones before it reach")
    }
    return exact(node) { () throws(TimeError) in try MediaTimeRange(start: end, end: duration) }
  }

  /// The layer instruction: an object, or the track's name alone where the rest is usual.
  func layerInstruction(_ node: DocumentNode) -> LayerInstruction? {
    if case .string = node.value { return trackID(node, .video).map { LayerInstruction(track: $0) } }
    guard let object = DocumentObject(.layerInstruction, node) else { return nil }
    let track = object["track"].flatMap { trackID($0, .video) }
    let gravity = object["gravity"].map { self.gravity($0) } ?? Gravity.none
    let opacity = envelope(object["opacity"], neutral: 1) { $0.number(in: 0...1) }
    let transform = envelope(object["transform"], neutral: .identity, transform)
    let crop = envelope(object["crop"] ?? object["cropTo"], rect)
    if object["crop"] != nil { object["cropTo"]?.note("crop is given too: give one of them") }
    guard let track, let gravity else { return nil }
    return LayerInstruction(
      track: track, gravity: gravity, opacity: opacity, transform: transform, crop: crop,
      laysCropAlone: object["cropTo"] != nil && !crop.keyframes.isEmpty)
  }
}

extension Composition {
  /// The source of the first clip of the first video track that has a clip.
  var firstPictureSource: SegmentSource? {
    tracks.lazy.filter { $0.media == .video }.compactMap { $0.clips.first?.source }.first
  }
}
