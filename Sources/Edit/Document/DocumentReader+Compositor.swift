internal import Formats
internal import JSON
internal import Timeline

extension DocumentReader {
  func compositor(_ node: DocumentNode) -> CompositorInstruction? {
    guard let object = DocumentObject(.compositor, node) else { return nil }
    let name = object["name"].flatMap(compositorName)
    let required = object["requiredTracks"].flatMap(requiredTracks)
    let passthrough = object["passthrough"].flatMap(layerInstruction)
    if let passthrough, let required, !required.contains(passthrough.track) {
      object["passthrough"]?.note("track '\(passthrough.track)' is not one of requiredTracks")
    }
    let parameters = object["parameters"].map(parameters) ?? .object([])
    let containsTweening = object["containsTweening"].map { $0.bool() } ?? true
    let enablePostProcessing = object["enablePostProcessing"].map { $0.bool() } ?? true
    guard let name, let required, let parameters, let containsTweening, let enablePostProcessing else { return nil }
    var compositor = CompositorInstruction(
      name: name, requiredTracks: required, passthrough: passthrough, containsTweening: containsTweening,
      enablePostProcessing: enablePostProcessing)
    compositor.parameters = parameters
    return compositor
  }

  private func compositorName(_ node: DocumentNode) -> String? {
    guard case .string(let name) = node.value else { return node.refuse("a string") }
    guard CompositorInstruction.isName(name) else {
      return node.refuse(because: "'\(name.prefix(100))' is not 1 to 64 letters, digits, '-', '_' and '.'")
    }
    return name
  }

  private func requiredTracks(_ node: DocumentNode) -> [TrackID]? {
    guard let nodes = node.elements(atMost: DocumentLimits.layerInstructions) else { return nil }
    var tracks: [TrackID] = []
    for node in nodes {
      guard let track = trackID(node, .video) else { continue }
      if tracks.contains(track) { node.note("'\(track)' is required already") }
      tracks.append(track)
    }
    return tracks.count == nodes.count ? tracks : nil
  }

  private func parameters(_ node: DocumentNode) -> JSONValue? {
    guard case .object = node.value else { return node.refuse("an object") }
    let count = node.value.canonicalBytes().count
    guard count <= DocumentLimits.compositorParameters else {
      return node.refuse(because: "\(count) bytes; at most \(DocumentLimits.compositorParameters) are accepted")
    }
    return node.value.sorted
  }
}

extension JSONValue {
  /// The same value with the members of its objects in canonical order, so that values with the same members are equal.
  fileprivate var sorted: JSONValue {
    switch self {
    case .object(let members):
      .object(
        members.map { Member(key: $0.key, value: $0.value.sorted) }
          .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    case .array(let elements): .array(elements.map(\.sorted))
    case .null, .bool, .number, .string: self
    }
  }
}
