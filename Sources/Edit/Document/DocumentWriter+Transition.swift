internal import Formats
internal import JSON
internal import Timeline

extension DocumentWriter {
  func transition(_ transition: Transition) -> JSONValue {
    guard case .object(let effect) = effect(transition.effect) else { preconditionFailure("effects are written as objects") }
    let sides = [("from", transition.from), ("to", transition.to)].map { JSONValue.Member(key: $0, value: layerInstruction($1)) }
    let easing = unless(transition.easing, .linear, easing).map { [JSONValue.Member(key: "easing", value: $0)] } ?? []
    return .object(effect + sides + easing)
  }

  /// The members of the transition's object, without its sides and its easing.
  private func effect(_ effect: Transition.Effect) -> JSONValue {
    func named(_ kind: Transition.Kind) -> JSONValue { .string(kind.rawValue) }
    switch effect {
    case .dissolve: return .object(["kind": named(.dissolve)])
    case .dip(let color):
      return .object(["kind": named(.dipToColor), "color": unless(color, .black, self.color)])
    case .motion(let motion, let side):
      return .object(["kind": .string(motion.rawValue), "subtype": unless(side, .fromLeft) { .string($0.rawValue) }])
    case .zoom(let zoom): return .object(["kind": named(.zoom), "subtype": unless(zoom, .in) { .string($0.rawValue) }])
    case .blurDissolve(let radius):
      return .object(["kind": named(.blurDissolve), "radius": unless(radius, Transition.usualBlurRadius, JSONValue.double)])
    case .wipe(let wipe, let edge):
      let (kind, subtype, map): (String, String?, JSONValue?) =
        switch wipe {
        case .smpte(let wipe): (wipe.type, wipe.subtype, nil)
        case .image(let asset): (Transition.Kind.lumaWipe.rawValue, nil, .string(asset.rawValue))
        }
      let usual = Transition.Kind(rawValue: kind)?.subtypes.first
      return .object([
        "kind": .string(kind), "subtype": subtype == usual ? nil : subtype.map { .string($0) }, "map": map,
        "softness": unless(edge.softness, 0, JSONValue.double),
        "border": unless(edge.borderWidth, 0) { width in
          .object(["width": .double(width), "color": unless(edge.borderColor, .white, color)])
        },
        "reverse": unless(edge.isReversed, false, JSONValue.bool),
      ])
    }
  }
}
