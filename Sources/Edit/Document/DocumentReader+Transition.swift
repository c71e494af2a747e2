internal import Formats
internal import JSON
internal import Timeline

extension DocumentReader {
  func transition(_ node: DocumentNode) -> Transition? {
    guard let object = DocumentObject(.transition, node) else { return nil }
    let kind = object["kind"]?.choice(Transition.Kind.self)
    let effect = kind.flatMap { self.effect($0, object) }
    let from = object["from"].flatMap(layerInstruction)
    let to = object["to"].flatMap(layerInstruction)
    let easing = object["easing"].map { self.easing($0) } ?? .linear
    guard let effect, let from, let to, let easing else { return nil }
    return Transition(effect, from: from, to: to, easing: easing)
  }

  private func effect(_ kind: Transition.Kind, _ object: DocumentObject) -> Transition.Effect? {
    for key in DocumentForm.transition.optional where !(kind.keys + ["easing", "comment"]).contains(key) {
      object[key]?.note("says nothing of a \(kind.rawValue)")
    }
    switch kind {
    case .dissolve: return .dissolve
    case .dipToColor: return (object["color"].map(color) ?? .black).map { .dip($0) }
    case .push: return motion(.push, object)
    case .slide: return motion(.slide, object)
    case .swipe: return motion(.swipe, object)
    case .zoom: return (object["subtype"].map { $0.choice(Transition.Zoom.self) } ?? .in).map { .zoom($0) }
    case .blurDissolve:
      let radius = object["radius"].map { $0.number(in: DocumentLimits.blurRadius) } ?? Transition.usualBlurRadius
      return radius.map { .blurDissolve(radius: $0) }
    case .lumaWipe:
      if object["map"] == nil { object.node.log.note("missing", at: object.node.path["map"], .missingKey) }
      return wipe(object["map"].flatMap(stillPicture).map { .image($0) }, object)
    default: return wipe(smpteWipe(kind, object["subtype"]).map { .smpte($0) }, object)
    }
  }

  private func motion(_ motion: Transition.Motion, _ object: DocumentObject) -> Transition.Effect? {
    (object["subtype"].map { $0.choice(Transition.Side.self) } ?? .fromLeft).map { .motion(motion, $0) }
  }

  /// The wipe of this type and subtype. Where no subtype is named, it is the first of the type.
  private func smpteWipe(_ kind: Transition.Kind, _ subtype: DocumentNode?) -> SMPTEWipe? {
    guard let subtype else { return SMPTEWipe.allCases.first { $0.type == kind.rawValue } }
    guard case .string(let name) = subtype.value else { return subtype.refuse("a string") }
    return SMPTEWipe(rawValue: "\(kind.rawValue) \(name)")
      ?? subtype.refuse(name, among: kind.subtypes)
  }

  private func wipe(_ wipe: Transition.Wipe?, _ object: DocumentObject) -> Transition.Effect? {
    var edge = Transition.WipeEdge()
    if let softness = object["softness"]?.number(in: 0...1) { edge.softness = softness }
    if let border = object["border"].flatMap({ DocumentObject(.border, $0) }) {
      if let width = border["width"]?.number(in: DocumentLimits.borderWidth) { edge.borderWidth = width }
      if let color = border["color"].flatMap(color) { edge.borderColor = color }
    }
    if let isReversed = object["reverse"]?.bool() { edge.isReversed = isReversed }
    return wipe.map { .wipe($0, edge) }
  }
}
