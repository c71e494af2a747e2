internal import Formats
internal import JSON
internal import Timeline

/// A property of a Lottie file: one value throughout, or keyframes. Times are frames of its composition.
struct LottieValue {
  struct Key {
    var frame: Double
    var value: [Double]
    /// Whether the value stays until the next keyframe.
    var holds = false
    /// The easing to the next keyframe: one of all numbers, or one of each.
    var easings: [Easing] = [.linear]
    /// The control points of the way to the next keyframe, from this one's place and from that of the next; nil for a line.
    var tangents: (out: Point, into: Point)?
  }

  let path: JSONPath
  /// The keyframes in order of time. There is one at least.
  var keys: [Key]

  init(constant value: [Double], at path: JSONPath) {
    (keys, self.path) = ([Key(frame: 0, value: value)], path)
  }

  private init(_ keys: [Key], at path: JSONPath) { (self.keys, self.path) = (keys, path) }

  var isMoving: Bool { keys.count > 1 }
  var first: [Double] { keys[0].value }
  /// Whether all numbers are eased alike.
  var isUniform: Bool { keys.allSatisfy { $0.easings.count == 1 } }
  var hasWay: Bool { keys.contains { $0.tangents != nil } }

  /// The value with its numbers changed.
  func map(_ change: ([Double]) -> [Double]) -> LottieValue {
    LottieValue(
      keys.map { key in
        var key = key
        key.value = change(key.value)
        return key
      }, at: path)
  }

  // MARK: - Reading

  /// Reads a property.
  ///
  /// - Parameters:
  ///   - usual: the value of one that is missing; it says how many numbers there are, too.
  ///   - parse: reads a keyframe's value.
  init(_ node: LottieNode?, or usual: [Double], _ log: LottieLog, parse: ((LottieNode) throws(LottieFault) -> [Double])? = nil)
    throws(LottieFault)
  {
    func read(_ node: LottieNode) throws(LottieFault) -> [Double] {
      guard let parse else { return try node.numbers }
      return try parse(node)
    }
    guard let node else {
      self.init(constant: usual, at: .root)
      return
    }
    if node.text("x") != nil {
      log.lose(node.path["x"], "the expression is not computed: the value is the one that the file has without it")
    }
    guard let content = node["k"] ?? (node.isObject ? nil : node) else {
      self.init(constant: usual, at: node.path)
      return
    }
    guard let first = content.elements.first, first.isObject, first["t"] != nil else {
      self.init(constant: Self.filled(try read(content), usual), at: content.path)
      return
    }
    let elements = content.elements
    try log.count(keyframes: elements.count, content.path)
    var keys: [Key] = []
    var end: [Double]?
    for (index, element) in elements.enumerated() {
      guard let frame = try element.number("t") else { throw element.fault("a keyframe needs its time \"t\"") }
      if let last = keys.last, frame < last.frame {
        throw element.fault("the keyframe at \(JSONValue.text(frame)) comes after that at \(JSONValue.text(last.frame))")
      }
      let own = try element["s"].map { (node) throws(LottieFault) in Self.filled(try read(node), usual) }
      guard let value = own ?? end ?? keys.last?.value else { throw element.fault("the first keyframe has no value \"s\"") }
      if let end, own != nil, end != value, frame > keys[keys.count - 1].frame {
        keys.append(Key(frame: frame, value: end))
      }
      end = try element["e"].map { (node) throws(LottieFault) in Self.filled(try read(node), usual) }
      var key = Key(frame: frame, value: value, holds: element.flag("h"))
      if index + 1 < elements.count, !key.holds {
        key.easings = try Self.easings(element)
        key.tangents = try Self.tangents(element)
      }
      // The first of several at one time is the one that is come to, and the last is the one that is left.
      if keys.count > 1, keys[keys.count - 1].frame == frame, keys[keys.count - 2].frame == frame { keys.removeLast() }
      keys.append(key)
    }
    self.init(keys, at: content.path)
  }

  private static func filled(_ value: [Double], _ usual: [Double]) -> [Double] {
    value.count >= usual.count ? value : value + usual[value.count...]
  }

  private static func easings(_ key: LottieNode) throws(LottieFault) -> [Easing] {
    guard let out = key["o"], let into = key["i"], out.isObject, into.isObject else { return [.linear] }
    let terms = (
      try out["x"]?.numbers ?? [0], try out["y"]?.numbers ?? [0], try into["x"]?.numbers ?? [1], try into["y"]?.numbers ?? [1]
    )
    let count = max(terms.0.count, terms.1.count, terms.2.count, terms.3.count, 1)
    func term(_ list: [Double], _ index: Int, _ usual: Double) -> Double {
      list.isEmpty ? usual : list[min(index, list.count - 1)]
    }
    let easings = (0..<count).map { index in
      let (x1, y1, x2, y2) = (
        min(max(term(terms.0, index, 0), 0), 1), term(terms.1, index, 0), min(max(term(terms.2, index, 1), 0), 1),
        term(terms.3, index, 1)
      )
      let range = DocumentLimits.overshoot
      func bounded(_ y: Double) -> Double { min(max(y, range.lowerBound), range.upperBound) }
      return x1 == y1 && x2 == y2 ? Easing.linear : .bezier(x1: x1, y1: bounded(y1), x2: x2, y2: bounded(y2))
    }
    return easings.allSatisfy { $0 == easings[0] } ? [easings[0]] : easings
  }

  private static func tangents(_ key: LottieNode) throws(LottieFault) -> (out: Point, into: Point)? {
    let (out, into) = (try key["to"]?.numbers ?? [], try key["ti"]?.numbers ?? [])
    func point(_ list: [Double]) -> Point { Point(list.first ?? 0, list.count > 1 ? list[1] : 0) }
    let tangents = (point(out), point(into))
    return tangents.0 == .zero && tangents.1 == .zero ? nil : tangents
  }

  // MARK: - Values

  /// The value at a frame.
  func value(at frame: Double) -> [Double] {
    guard let index = keys.lastIndex(where: { $0.frame <= frame }) else { return first }
    let here = keys[index]
    guard !here.holds, index + 1 < keys.count else { return here.value }
    let next = keys[index + 1]
    guard next.frame > here.frame else { return next.value }
    let share = (frame - here.frame) / (next.frame - here.frame)
    if let tangents = here.tangents {
      let piece = Self.piece(here, next, tangents)
      let length = piece.length * min(max(here.easings[0].progress(at: share), 0), 1)
      if piece.length > 0, let point = piece.part(from: length, to: piece.length).first {
        return length >= piece.length ? next.value : [point.x, point.y] + here.value.dropFirst(2)
      }
    }
    return here.value.indices.map { number in
      let progress = here.easings[min(number, here.easings.count - 1)].progress(at: share)
      return here.value[number].interpolated(
        to: number < next.value.count ? next.value[number] : here.value[number], progress: progress)
    }
  }

  static func piece(_ here: Key, _ next: Key, _ tangents: (out: Point, into: Point)) -> PathPiece {
    let (from, to) = (Point(here.value[0], here.value[1]), Point(next.value[0], next.value[1]))
    return PathPiece([
      from, Point(from.x + tangents.out.x, from.y + tangents.out.y), Point(to.x + tangents.into.x, to.y + tangents.into.y), to,
    ])
  }
}
