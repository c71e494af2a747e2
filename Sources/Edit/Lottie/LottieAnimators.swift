internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// The animators of a text, which change its characters as far as their selectors say.
struct LottieAnimators {
  /// A character in its place, and the point that it turns and grows about.
  struct Letter {
    let line: Int
    /// The place of its outline's zero, on the line.
    let place: Point
    let pivot: Point
    /// The numbers of its units, one for each animator.
    let units: [Int]
  }

  /// The look of a character at a moment.
  struct Look {
    var map = AffineTransform.identity
    var opacity = 1.0
    var fill: RGBAColor?
    var stroke: RGBAColor?
    var lineWidth = 0.0
  }

  struct Animator {
    let selector: LottieSelector
    var anchor, place, scale, rotation, skew, skewAxis, opacity, tracking: LottieValue?
    var fill, fillOpacity, stroke, strokeOpacity, lineWidth: LottieValue?

    fileprivate var values: [LottieValue] {
      selector.values
        + [
          anchor, place, scale, rotation, skew, skewAxis, opacity, tracking, fill, fillOpacity, stroke, strokeOpacity, lineWidth,
        ].compactMap(\.self)
    }
  }

  private let animators: [Animator]
  /// The numbers of units that there are, for each animator.
  private let counts: [Int]
  /// The letters, with spaces.
  let letters: [Letter]
  /// 0 left, 1 right, 2 centred.
  private let side: Int

  /// - Parameters:
  ///   - nodes: the animators.
  ///   - more: the file's word about how characters are grouped.
  ///   - lines: the characters of each line, with their places and widths.
  init?(
    _ nodes: [LottieNode], _ more: LottieNode?, lines: [[(character: Character, place: Point, width: Double)]], side: Int,
    _ log: LottieLog
  ) throws(LottieFault) {
    guard !nodes.isEmpty else { return nil }
    var animators: [Animator] = []
    for node in nodes { animators.append(try Self.animator(node, log)) }
    let characters = lines.map { $0.map(\.character) }
    let units = animators.map { Self.units($0.selector.unit, characters) }
    let pivots = try Self.pivots(lines, more, log)
    var letters: [Letter] = []
    for (line, row) in lines.enumerated() {
      for letter in row {
        let index = letters.count
        letters.append(Letter(line: line, place: letter.place, pivot: pivots[index], units: units.map { $0.numbers[index] }))
      }
    }
    (self.animators, self.letters, self.side, counts) = (animators, letters, side, units.map(\.count))
  }

  static func animator(_ node: LottieNode, _ log: LottieLog) throws(LottieFault) -> Animator {
    var animator = Animator(selector: try LottieSelector(node["s"], log))
    guard case .object(let members)? = node["a"]?.value else { return animator }
    for member in members {
      guard let value = node["a"]?[member.key] else { continue }
      func read(_ usual: [Double]) throws(LottieFault) -> LottieValue { try LottieValue(value, or: usual, log) }
      switch member.key {
      case "p": animator.place = try read([0, 0])
      case "a": animator.anchor = try read([0, 0])
      case "s": animator.scale = try read([100, 100])
      case "r", "rz": animator.rotation = try read([0])
      case "sk": animator.skew = try read([0])
      case "sa": animator.skewAxis = try read([0])
      case "o": animator.opacity = try read([100])
      case "t": animator.tracking = try read([0])
      case "fc": animator.fill = try read([0, 0, 0])
      case "fo": animator.fillOpacity = try read([100])
      case "sc": animator.stroke = try read([0, 0, 0])
      case "so": animator.strokeOpacity = try read([100])
      case "sw": animator.lineWidth = try read([0])
      case "nm": break
      default: log.lose(value.path, "characters are not animated by \"\(member.key.prefix(20))\"")
      }
    }
    return animator
  }

  var values: [LottieValue] { animators.flatMap(\.values) }

  // MARK: - Units

  /// The number of each character's unit, line by line, and how many units there are.
  static func units(_ unit: LottieSelector.Unit, _ lines: [[Character]]) -> (numbers: [Int], count: Int) {
    var (numbers, next): ([Int], Int) = ([], 0)
    for (row, line) in lines.enumerated() {
      for (index, character) in line.enumerated() {
        numbers.append(next)
        let isLast = row + 1 == lines.count && index + 1 == line.count
        let ends =
          switch unit {
          case .character: true
          case .visible: character != " "
          case .word: character == " " || isLast
          case .line: isLast
          }
        if ends { next += 1 }
      }
      if unit == .word || unit == .line, row + 1 < lines.count { next += 1 }
    }
    return (numbers, next)
  }

  /// The points that characters turn and grow about: the middle of their group, on its line.
  private static func pivots(
    _ lines: [[(character: Character, place: Point, width: Double)]], _ more: LottieNode?, _ log: LottieLog
  ) throws(LottieFault) -> [Point] {
    let grouping = try more?.integer("g") ?? 1
    let alignment = try LottieValue(more?["a"], or: [0, 0], log)
    if alignment.isMoving || alignment.first[1] != 0, let more {
      log.approximate(more.path["a"], "characters turn about points on their line, which stay")
    }
    if grouping == 4, lines.count > 1, let more {
      log.approximate(more.path["g"], "characters turn about the middle of their line, not of the whole text")
    }
    var pivots: [Point] = []
    for line in lines {
      var start = 0
      for index in line.indices {
        let isEnd =
          switch grouping {
          case 2: line[index].character == " " || index + 1 == line.count
          case 3, 4: index + 1 == line.count
          default: true
          }
        guard isEnd else { continue }
        let last = grouping == 2 && line[index].character == " " && index > start ? index - 1 : index
        let (left, right) = (line[start].place.x, line[last].place.x + line[last].width)
        let pivot = Point(left + (right - left) / 2 * (1 + alignment.first[0] / 100), line[start].place.y)
        pivots += Array(repeating: pivot, count: index + 1 - start)
        start = index + 1
      }
    }
    return pivots
  }

  // MARK: - Looks

  /// The looks of all letters at a frame.
  ///
  /// - Parameter rest: that of a letter that no animator changes.
  func looks(_ rest: Look, at frame: Double) -> [Look] {
    let shares = letters.map { letter in
      animators.indices.map { animators[$0].selector.share(of: letter.units[$0], count: counts[$0], at: frame) }
    }
    let shifts = shifts(shares, at: frame)
    return letters.indices.map { look(of: $0, rest, shares[$0], shift: shifts[$0], at: frame) }
  }

  /// The distances that tracking moves letters along their lines, which stay at their side or about their middle.
  private func shifts(_ shares: [[Double]], at frame: Double) -> [Double] {
    let own = shares.map { shares in
      zip(animators, shares).reduce(0) { $0 + ($1.0.tracking?.value(at: frame)[0] ?? 0) * $1.1 }
    }
    var (shifts, start) = ([Double](), 0)
    while start < letters.count {
      let end = letters[start...].firstIndex { $0.line != letters[start].line } ?? letters.count
      let whole = own[start..<end].reduce(0, +)
      var shift = side == 1 ? -whole : side == 2 ? -whole / 2 : 0
      for index in start..<end {
        shift += own[index]
        shifts.append(shift)
      }
      start = end
    }
    return shifts
  }

  private func look(of index: Int, _ rest: Look, _ shares: [Double], shift: Double, at frame: Double) -> Look {
    let letter = letters[index]
    var look = rest
    var map = AffineTransform.translation(letter.place.x - letter.pivot.x, letter.place.y - letter.pivot.y)
    for (animator, share) in zip(animators, shares) {
      if let anchor = animator.anchor?.value(at: frame) { map = map.then(.translation(-anchor[0] * share, -anchor[1] * share)) }
    }
    for (animator, share) in zip(animators, shares) {
      guard let scale = animator.scale?.value(at: frame) else { continue }
      map = map.then(.scale(1 + (scale[0] / 100 - 1) * share, 1 + (scale[1] / 100 - 1) * share))
    }
    for (animator, share) in zip(animators, shares) {
      if let skew = animator.skew?.value(at: frame) {
        map = map.then(LottieTransform.skew(skew[0] * share, (animator.skewAxis?.value(at: frame)[0] ?? 0) * share))
      }
      if let rotation = animator.rotation?.value(at: frame) { map = map.then(.rotation(degrees: rotation[0] * share)) }
      if let opacity = animator.opacity?.value(at: frame) { look.opacity *= 1 + (opacity[0] / 100 - 1) * share }
      paint(&look, animator, share, at: frame)
    }
    for (animator, share) in zip(animators, shares) {
      if let place = animator.place?.value(at: frame) { map = map.then(.translation(place[0] * share, place[1] * share)) }
    }
    look.map = LottieTransform.lasting(map.then(.translation(letter.pivot.x + shift, letter.pivot.y)))
    look.opacity = min(max(look.opacity, 0), 1)
    return look
  }

  private func paint(_ look: inout Look, _ animator: Animator, _ share: Double, at frame: Double) {
    func mixed(_ own: RGBAColor?, _ color: LottieValue?, _ opacity: LottieValue?) -> RGBAColor? {
      guard let own else { return nil }
      let other = color?.value(at: frame) ?? [own.red, own.green, own.blue]
      let alpha = own.alpha * (1 + ((opacity?.value(at: frame)[0] ?? 100) / 100 - 1) * share)
      return RGBAColor(
        own.red.interpolated(to: other[0], progress: share), own.green.interpolated(to: other[1], progress: share),
        own.blue.interpolated(to: other[2], progress: share), alpha: alpha
      ).bounded
    }
    look.fill = mixed(look.fill, animator.fill, animator.fillOpacity)
    look.stroke = mixed(look.stroke, animator.stroke, animator.strokeOpacity)
    if let width = animator.lineWidth?.value(at: frame) {
      look.lineWidth = min(max(look.lineWidth + width[0] * share, 0), DocumentLimits.lineWidth.upperBound)
    }
  }
}
