internal import Formats

extension VectorPath {
  /// The reason why a text is no path.
  package struct Fault: Error, Hashable, Sendable {
    package let reason: String
  }

  /// Reads path data of SVG 1.1 (8.3): M, L, H, V, C, S, Q, T, A and Z, each with absolute or (in lower case) relative
  /// coordinates. Quadratic curves and arcs become cubic ones.
  ///
  /// - Parameter limit: the most elements of the path.
  package init(svg text: String, atMost limit: Int) throws(Fault) {
    var reader = PathReader(text, limit)
    elements = try reader.read()
  }
}

private struct PathReader {
  private let text: [UInt8]
  private let limit: Int
  private var place = 0
  private var elements: [VectorPath.Element] = []
  private var current = Point.zero
  /// The point at which the current part of the path began.
  private var start = Point.zero
  /// The last control point of the command before, for the smooth commands; nil where it had none of that degree.
  private var lastCubic: Point?
  private var lastQuadratic: Point?

  init(_ text: String, _ limit: Int) { (self.text, self.limit) = (Array(text.utf8), limit) }

  mutating func read() throws(VectorPath.Fault) -> [VectorPath.Element] {
    skipSpace()
    var command: UInt8?
    while place < text.count {
      if Self.commands.contains(text[place]) {
        command = text[place]
        place += 1
      } else if command == nil || command.map({ $0 | 0x20 }) == UInt8(ascii: "z") {
        throw fault("a command was expected, one of M L H V C S Q T A Z")
      }
      guard let letter = command else { throw fault("a command was expected") }
      if elements.isEmpty, letter | 0x20 != UInt8(ascii: "m") { throw fault("a path begins with M") }
      try run(letter)
      // Further pairs after a move are lines.
      if letter == UInt8(ascii: "M") { command = UInt8(ascii: "L") }
      if letter == UInt8(ascii: "m") { command = UInt8(ascii: "l") }
      skipSpace()
    }
    guard !elements.isEmpty else { throw fault("there is nothing in the path") }
    return elements
  }

  private static let commands = Array("MmLlHhVvCcSsQqTtAaZz".utf8)

  private mutating func run(_ letter: UInt8) throws(VectorPath.Fault) {
    let isRelative = letter & 0x20 != 0
    let origin = isRelative ? current : .zero
    var (cubic, quadratic): (Point?, Point?)
    switch Character(Unicode.Scalar(letter | 0x20)) {
    case "m":
      current = try point(origin)
      start = current
      try add(.move(current))
    case "l": try line(to: point(origin))
    case "h": try line(to: Point(number() + origin.x, current.y))
    case "v": try line(to: Point(current.x, number() + origin.y))
    case "c": cubic = try curve(point(origin), point(origin), to: point(origin))
    case "s": cubic = try curve(reflected(lastCubic), point(origin), to: point(origin))
    case "q": quadratic = try quadraticCurve(point(origin), to: point(origin))
    case "t": quadratic = try quadraticCurve(reflected(lastQuadratic), to: point(origin))
    case "a": try arc(origin)
    default:
      try add(.close)
      current = start
    }
    (lastCubic, lastQuadratic) = (cubic, quadratic)
  }

  private func reflected(_ control: Point?) -> Point {
    control.map { Point(2 * current.x - $0.x, 2 * current.y - $0.y) } ?? current
  }

  private mutating func line(to point: Point) throws(VectorPath.Fault) {
    current = point
    try add(.line(point))
  }

  private mutating func curve(_ first: Point, _ second: Point, to end: Point) throws(VectorPath.Fault) -> Point {
    current = end
    try add(.curve(first, second, to: end))
    return second
  }

  private mutating func quadraticCurve(_ control: Point, to end: Point) throws(VectorPath.Fault) -> Point {
    func raised(_ from: Point) -> Point {
      Point(from.x + (control.x - from.x) * 2 / 3, from.y + (control.y - from.y) * 2 / 3)
    }
    _ = try curve(raised(current), raised(end), to: end)
    return control
  }

  // MARK: - Arcs

  /// An elliptical arc, as curves of at most a quarter turn each (SVG 1.1, F.6).
  private mutating func arc(_ origin: Point) throws(VectorPath.Fault) {
    var (rx, ry) = (abs(try number()), abs(try number()))
    let turn = try number()
    let (isLarge, isClockwise) = (try flag(), try flag())
    let (from, to) = (current, try point(origin))
    guard from != to else { return }
    guard rx > 0, ry > 0 else { return try line(to: to) }
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: turn)
    // Half the chord, in the ellipse's own axes.
    let half = Point((from.x - to.x) / 2, (from.y - to.y) / 2)
    let (x, y) = (cosine * half.x + sine * half.y, cosine * half.y - sine * half.x)
    let excess = x * x / (rx * rx) + y * y / (ry * ry)
    // Radii that are too small are enlarged until the arc reaches.
    if excess > 1 { (rx, ry) = (rx * excess.squareRoot(), ry * excess.squareRoot()) }
    let squares = rx * rx * y * y + ry * ry * x * x
    let factor = max((rx * rx * ry * ry - squares) / squares, 0).squareRoot() * (isLarge == isClockwise ? -1 : 1)
    let middle = Point(factor * rx * y / ry, -factor * ry * x / rx)
    let centre = Point(
      cosine * middle.x - sine * middle.y + (from.x + to.x) / 2, sine * middle.x + cosine * middle.y + (from.y + to.y) / 2)
    let first = Trigonometry.degrees(y: (y - middle.y) / ry, x: (x - middle.x) / rx)
    var sweep = Trigonometry.degrees(y: (-y - middle.y) / ry, x: (-x - middle.x) / rx) - first
    if isClockwise, sweep < 0 { sweep += 360 }
    if !isClockwise, sweep > 0 { sweep -= 360 }

    let count = max(Int((abs(sweep) / 90).rounded(.up)), 1)
    let step = sweep / Double(count)
    // The control points' distance that makes a curve touch the ellipse: 4/3 tan(step / 4).
    let (quarterSine, quarterCosine) = Trigonometry.sineAndCosine(degrees: step / 4)
    let reach = 4.0 / 3 * quarterSine / quarterCosine
    func place(_ x: Double, _ y: Double) -> Point {
      Point(centre.x + cosine * rx * x - sine * ry * y, centre.y + sine * rx * x + cosine * ry * y)
    }
    for index in 0..<count {
      let (s0, c0) = Trigonometry.sineAndCosine(degrees: first + step * Double(index))
      let (s1, c1) = Trigonometry.sineAndCosine(degrees: first + step * Double(index + 1))
      let end = index + 1 == count ? to : place(c1, s1)
      _ = try curve(place(c0 - reach * s0, s0 + reach * c0), place(c1 + reach * s1, s1 - reach * c1), to: end)
    }
  }

  // MARK: - Text

  private mutating func add(_ element: VectorPath.Element) throws(VectorPath.Fault) {
    guard elements.count < limit else { throw fault("the path has more than \(limit) elements") }
    let points: [Point] =
      switch element {
      case .move(let point), .line(let point): [point]
      case .curve(let first, let second, let end): [first, second, end]
      case .close: []
      }
    let range = DocumentLimits.coordinate
    guard points.allSatisfy({ range.contains($0.x) && range.contains($0.y) }) else {
      throw fault("the path leads out of -1000000...1000000")
    }
    elements.append(element)
  }

  private mutating func point(_ origin: Point) throws(VectorPath.Fault) -> Point {
    let (x, y) = (try number(), try number())
    return Point(x + origin.x, y + origin.y)
  }

  /// A flag of an arc. It need not be followed by a space.
  private mutating func flag() throws(VectorPath.Fault) -> Bool {
    skipSpace()
    guard place < text.count, text[place] == UInt8(ascii: "0") || text[place] == UInt8(ascii: "1") else {
      throw fault("a flag was expected, 0 or 1")
    }
    place += 1
    return text[place - 1] == UInt8(ascii: "1")
  }

  private mutating func number() throws(VectorPath.Fault) -> Double {
    skipSpace()
    let begin = place
    func at(_ index: Int) -> UInt8 { index < text.count ? text[index] : 0 }
    if at(place) == UInt8(ascii: "-") || at(place) == UInt8(ascii: "+") { place += 1 }
    while 0x30...0x39 ~= at(place) { place += 1 }
    if at(place) == UInt8(ascii: ".") {
      place += 1
      while 0x30...0x39 ~= at(place) { place += 1 }
    }
    if at(place) | 0x20 == UInt8(ascii: "e") {
      let sign = at(place + 1) == UInt8(ascii: "-") || at(place + 1) == UInt8(ascii: "+") ? 1 : 0
      if 0x30...0x39 ~= at(place + 1 + sign) {
        place += 1 + sign
        while 0x30...0x39 ~= at(place) { place += 1 }
      }
    }
    let word = String(decoding: text[begin..<place], as: UTF8.self)
    guard let value = Double(word.hasPrefix("+") ? String(word.dropFirst()) : word) else {
      place = begin
      throw fault("a number was expected")
    }
    guard DocumentLimits.coordinate.contains(value) else {
      place = begin
      throw fault("\(word) is not in -1000000...1000000")
    }
    return value
  }

  private mutating func skipSpace() {
    while place < text.count, [0x20, 0x09, 0x0a, 0x0c, 0x0d, UInt8(ascii: ",")].contains(text[place]) { place += 1 }
  }

  private func fault(_ reason: String) -> VectorPath.Fault {
    let near = String(decoding: text[place..<min(place + 20, text.count)], as: UTF8.self)
    return VectorPath.Fault(reason: near.isEmpty ? "\(reason), at the end" : "\(reason), at '\(near)'")
  }
}
