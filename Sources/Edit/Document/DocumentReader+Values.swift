internal import Captions
internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads times, colours, geometry and values over time.
extension DocumentReader {
  enum TimeBound { case nonNegative, positive }

  /// The time in seconds: a string with a decimal, a fraction or a timecode, or a whole number.
  func time(_ node: DocumentNode, _ bound: TimeBound = .nonNegative) -> MediaTime? {
    guard let time = unboundedTime(node) else { return nil }
    switch bound {
    case .nonNegative where time < .zero: return node.refuse(because: "must not be negative")
    case .positive where time <= .zero: return node.refuse(because: "must be positive")
    default: break
    }
    guard time <= DocumentLimits.latest else { return node.refuse(because: "longer than \(DocumentLimits.hours) hours") }
    return time
  }

  /// A time that may be negative, or too long.
  func unboundedTime(_ node: DocumentNode) -> MediaTime? {
    do {
      switch node.value {
      case .string(let text) where text.contains(":"):
        guard let timecodeFrame else {
          return node.refuse(because: "a timecode counts frames of videoComposition.frameDuration, which is missing or faulty")
        }
        return try Timecode(frameDuration: timecodeFrame).time(parsing: String(text.prefix(100)))
      case .string(let text): return try MediaTime(parsing: String(text.prefix(100)))
      case .number(let text):
        guard let seconds = Int64(text) else {
          node.note(
            "\(text) is not a whole number of seconds: write an exact time as a string, such as \"12.5\"",
            suggestion: text.allSatisfy { $0.isNumber || $0 == "." } ? "\"\(text)\"" : nil)
          return nil
        }
        return try MediaTime(seconds)
      default: return node.refuse("a time such as \"12.5\", \"1001/30000\" or \"00:01:02:03\"")
      }
    } catch { return node.refuse(because: "\(error)") }
  }

  func timeRange(_ node: DocumentNode) -> MediaTimeRange? { timeRange(node, duration: .positive) }

  func timeRange(_ node: DocumentNode, duration bound: TimeBound) -> MediaTimeRange? {
    guard let object = DocumentObject(.timeRange, node) else { return nil }
    let start = object["start"].flatMap { time($0) }
    let duration = object["duration"].flatMap { time($0, bound) }
    guard let start, let duration else { return nil }
    return exact(node) { () throws(TimeError) in try MediaTimeRange(start: start, duration: duration) }
  }

  /// The result of exact arithmetic. Where it does not fit, that is a fault of `node`.
  func exact<Value>(_ node: DocumentNode, _ compute: () throws(TimeError) -> Value) -> Value? {
    do { return try compute() } catch { return node.refuse(because: "\(error)") }
  }

  /// The colour: `"#RRGGBB"`, `"#RRGGBBAA"`, `[r, g, b]` or `[r, g, b, a]`, with components 0...1 in the arrays.
  func color(_ node: DocumentNode) -> RGBAColor? {
    switch node.value {
    case .string(let text):
      let digits = text.dropFirst().utf8
      guard text.first == "#", digits.count == 6 || digits.count == 8, text.dropFirst().allSatisfy(\.isHexDigit),
        let bits = UInt32(text.dropFirst(), radix: 16)
      else {
        let code = Self.code(ofColor: text)
        let hint = code.map { " (that is said by \"\($0)\")" } ?? ""
        node.note("'\(text.prefix(100))' is not a colour: expected \"#RRGGBB\" or \"#RRGGBBAA\"\(hint)", suggestion: code)
        return nil
      }
      let rgba = digits.count == 8 ? bits : bits << 8 | 0xFF
      func component(_ shift: UInt32) -> Double { Double(rgba >> shift & 0xFF) / 255 }
      return RGBAColor(component(24), component(16), component(8), alpha: component(0))
    case .array(let elements) where elements.count == 4:
      return node.numbers(["red", "green", "blue", "alpha"], in: 0...1).map { RGBAColor($0[0], $0[1], $0[2], alpha: $0[3]) }
    default:
      return node.numbers(["red", "green", "blue"], in: 0...1).map { RGBAColor($0[0], $0[1], $0[2]) }
    }
  }

  /// The code of a colour that is written in another of CSS's forms; nil for what is none.
  private static func code(ofColor text: String) -> String? {
    guard text.first != "#" || text.utf8.count == 4, text.utf8.count <= 100, let color = NamedColor.color(text) else {
      return nil
    }
    let parts = [color.red, color.green, color.blue] + (color.alpha < 1 ? [color.alpha] : [])
    return "#"
      + parts.map { part in
        let digits = String(Int((part * 255).rounded()), radix: 16)
        return digits.utf8.count < 2 ? "0" + digits : digits
      }.joined()
  }

  func gravity(_ node: DocumentNode) -> Gravity? {
    guard case .string(let name) = node.value, let meant = DocumentForm.gravityHabits[name] else {
      return node.choice(Gravity.self)
    }
    let known = Gravity.allCases.map(\.rawValue).joined(separator: ", ")
    node.note("'\(name)' is not one of \(known) (that is said by \(meant))", .unknownName, suggestion: meant)
    return nil
  }

  /// The rectangle `[x, y, width, height]`. Width and height must be positive.
  func rect(_ node: DocumentNode) -> Rect? {
    guard let terms = node.numbers(["x", "y", "width", "height"], in: DocumentLimits.coordinate) else { return nil }
    guard terms[2] > 0, terms[3] > 0 else { return node.refuse(because: "has no area: width and height must be positive") }
    return Rect(terms[0], terms[1], terms[2], terms[3])
  }

  /// The transform `[a, b, c, d, tx, ty]`, which must be invertible.
  func transform(_ node: DocumentNode) -> AffineTransform? {
    guard let terms = node.numbers(["a", "b", "c", "d", "tx", "ty"], in: DocumentLimits.coordinate) else { return nil }
    let transform = AffineTransform(terms[0], terms[1], terms[2], terms[3], terms[4], terms[5])
    guard transform.inverse != nil else { return node.refuse(because: "is singular: it maps the picture onto a line or a point") }
    return transform
  }

  /// The easing between keyframes: one that transitions have too, or a spring.
  func keyframeEasing(_ node: DocumentNode) -> Easing? {
    guard case .object = node.value else { return easing(node) }
    guard let object = DocumentObject(.spring, node) else { return nil }
    let (usual, bounds) = (Spring(), DocumentLimits.spring)
    let mass = object["mass"].map { $0.number(in: bounds) } ?? usual.mass
    let stiffness = object["stiffness"].map { $0.number(in: bounds) } ?? usual.stiffness
    let damping = object["damping"].map { $0.number(in: bounds) } ?? usual.damping
    let velocity = object["velocity"].map { $0.number(in: DocumentLimits.springVelocity) } ?? usual.velocity
    guard let mass, let stiffness, let damping, let velocity else { return nil }
    return .spring(Spring(mass: mass, stiffness: stiffness, damping: damping, velocity: velocity))
  }

  /// The easing: a name, or a curve's control points `[x1, y1, x2, y2]`.
  func easing(_ node: DocumentNode) -> Easing? {
    if case .string(let name) = node.value {
      let known = Easing.named.map(\.name)
      return Easing.named.first { $0.name == name }?.easing ?? node.refuse(name, among: known)
    }
    guard let points = node.numbers(["x1", "y1", "x2", "y2"], in: DocumentLimits.overshoot) else { return nil }
    guard (0...1).contains(points[0]), (0...1).contains(points[2]) else {
      return node.refuse(because: "x1 and x2 are times between the keyframes, 0...1")
    }
    let easing = Easing.bezier(x1: points[0], y1: points[1], x2: points[2], y2: points[3])
    return easing == .bezier(x1: 0, y1: 0, x2: 1, y2: 1) ? .linear : easing
  }

  /// The envelope: a constant, or an array of keyframes `{"at", "value", "hold", "easing"}`. An envelope that is `neutral`
  /// throughout gets no keyframes.
  ///
  /// Keyframes may also stand in an object that says how the value moves between them: `{"keyframes", "calculation"}`. Such a value
  /// is run through once, and nothing is added to it; `sum` reads those that may be.
  func envelope<Value: Interpolable>(
    _ node: DocumentNode?, neutral: Value? = nil, _ read: (DocumentNode) -> Value?
  ) -> Envelope<Value> {
    guard let node else { return Envelope() }
    let envelope: Envelope<Value>
    if Self.isCurve(node.value) {
      envelope = DocumentObject(.keyframeCurve, node).map { curve($0, read) } ?? Envelope()
    } else if case .array(let elements) = node.value, let first = elements.first, Self.isCurve(first) {
      return node.refuse(because: "such values are not added to each other: give one list of keyframes") ?? Envelope()
    } else if case .array(let elements) = node.value, case .object? = elements.first {
      envelope = Envelope(keyframes(node, read))
    } else {
      envelope = read(node).map { Envelope(constant: $0) } ?? Envelope()
    }
    if let neutral, envelope == Envelope(constant: neutral) { return Envelope() }
    return envelope
  }

  static func isCurve(_ value: JSONValue) -> Bool { member("keyframes", of: value) != nil }

  static func member(_ key: String, of value: JSONValue) -> JSONValue? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.key == key }?.value
  }

  func curve<Value: Interpolable>(_ object: DocumentObject, _ read: (DocumentNode) -> Value?) -> Envelope<Value> {
    guard let list = object["keyframes"] else { return Envelope() }
    let keyframes = keyframes(list, read)
    guard let calculation = object["calculation"].map({ $0.choice(Calculation.self) }) ?? .linear else { return Envelope() }
    let envelope = Envelope(keyframes, isCubic: calculation == .cubic || calculation == .cubicPaced)
    guard calculation == .paced || calculation == .cubicPaced else { return envelope }
    if let index = keyframes.firstIndex(where: { $0.holds || $0.easing != .linear }) {
      DocumentNode(value: .null, path: list.path[index], log: log).note(
        "a paced value moves evenly: it has no \"easing\" or \"hold\"")
    }
    return exact(object.node) { () throws(TimeError) in try envelope.paced() } ?? Envelope()
  }

  /// The ways in which a value moves between keyframes (calculationMode).
  private enum Calculation: String, CaseIterable { case linear, cubic, paced, cubicPaced }

  func keyframes<Value>(_ node: DocumentNode, _ read: (DocumentNode) -> Value?) -> [Envelope<Value>.Keyframe] {
    var keyframes: [Envelope<Value>.Keyframe] = []
    for node in node.elements(atMost: DocumentLimits.keyframes) ?? [] {
      guard let object = DocumentObject(.keyframe, node) else { continue }
      let time = object["at"].flatMap { self.time($0) }
      let value = object["value"].flatMap(read)
      let holds = object["hold"].map { $0.bool() } ?? false
      let easing = object["easing"].map { keyframeEasing($0) } ?? .linear
      if holds == true { object["easing"]?.note("a value that is held does not move") }
      guard let time, let value, let holds, let easing else { continue }
      if let last = keyframes.last, time < last.time {
        object["at"]?.note("\(time) is before the previous keyframe's, \(last.time)")
        continue
      }
      if keyframes.suffix(2).count(where: { $0.time == time }) == 2 {
        object["at"]?.note("a third keyframe at \(time): two at one time are a jump from the first to the second")
        continue
      }
      keyframes.append(.init(time, value, holds: holds, easing: easing))
    }
    return keyframes
  }
}
