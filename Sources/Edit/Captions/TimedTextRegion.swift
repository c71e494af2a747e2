internal import Formats

/// A region of timed text: the part of the picture in which its paragraphs stand, and the style that they have from it.
struct TimedTextRegion {
  /// The measures of a document, in which its lengths count.
  struct Measures {
    /// The size of the picture in pixels, where the document says it.
    var size: Point?
    /// The columns and rows of cells into which the picture is divided.
    var cells = Point(32, 15)

    init(_ attributes: [String: String] = [:]) {
      func pair(_ text: String?, without unit: String) -> Point? {
        let numbers = (text ?? "").split(separator: " ").map { part in
          part.hasSuffix(unit) ? Double(part.dropLast(unit.utf8.count)) : nil
        }
        guard numbers.count == 2, let x = numbers[0], let y = numbers[1], 1...1e6 ~= x, 1...1e6 ~= y else { return nil }
        return Point(x, y)
      }
      size = pair(attributes["extent"], without: "px")
      cells = pair(attributes["cellResolution"], without: "") ?? cells
    }

    /// The two lengths as shares of the picture's sides; nil for others than percentages, pixels and cells.
    func shares(_ value: some StringProtocol) -> Point? {
      let parts = value.split(separator: " ")
      guard parts.count == 2, let x = Self.share(parts[0], [("px", size?.x), ("c", cells.x), ("rw", 100)]),
        let y = Self.share(parts[1], [("px", size?.y), ("c", cells.y), ("rh", 100)])
      else { return nil }
      return Point(x, y)
    }

    /// - Parameter units: the units, each with its number in the picture's side.
    private static func share(_ text: some StringProtocol, _ units: [(name: String, whole: Double?)]) -> Double? {
      if let share = WebVTT.share(text) { return share }
      guard let unit = units.first(where: { text.hasSuffix($0.name) }), let whole = unit.whole,
        let number = Double(text.dropLast(unit.name.utf8.count)), 0...whole ~= number
      else { return nil }
      return number / whole
    }
  }

  private(set) var style = TimedTextStyle()
  private var mode: WritingMode?
  /// The side at which lines begin, the middle or the other side, as a share: 0, 0.5 or 1.
  private var side: Double?
  private var origin: Point?
  private var extent: Point?
  /// Whether what stands in it is left out.
  private(set) var isLeftOut = false

  /// - Parameter attributes: those of the region, of the styles in it and of those that it refers to.
  init(_ attributes: [String: String], _ measures: Measures, line: Int, _ log: inout CaptionLog) {
    style.take(attributes, line, &log)
    isLeftOut = TimedTextStyle.isLeftOut(attributes)
    switch attributes["writingMode"] {
    case "tbrl", "tb": mode = .verticalRightToLeft
    case "tblr": mode = .verticalLeftToRight
    default: break
    }
    switch attributes["displayAlign"] {
    case "before": side = 0
    case "center": side = 0.5
    case "after": side = 1
    default: break
    }
    func shares(_ name: String, _ read: (String) -> Point?) -> Point? {
      guard let value = attributes[name], value != "auto" else { return nil }
      let shares = read(value)
      if shares == nil { log.note(line, "\(name) \"\(value.prefix(40))\" cannot be read, and is not used") }
      return shares
    }
    origin = shares("origin", measures.shares)
    extent = shares("extent", measures.shares)
    if origin == nil, let extent { origin = shares("position") { Self.corner($0, of: extent, measures) } }
  }

  /// The top left corner of a rectangle that lies at a position in the picture (TTML2's `position`): words, or percentages, of which 100 %
  /// is the rectangle's far side at the picture's.
  private static func corner(_ text: String, of extent: Point, _ measures: Measures) -> Point? {
    let words = text.split(separator: " ").map(String.init)
    guard let first = words.first else { return nil }
    func share(_ word: String) -> Double? {
      switch word {
      case "left", "top": 0
      case "center": 0.5
      case "right", "bottom": 1
      default: WebVTT.share(word)
      }
    }
    var ordered = words
    if words.count == 1 { ordered.append("center") }
    if ["top", "bottom"].contains(first) || ["left", "right"].contains(ordered[ordered.count - 1]) { ordered.reverse() }
    guard ordered.count == 2, !["top", "bottom"].contains(ordered[0]), !["left", "right"].contains(ordered[1]),
      let x = share(ordered[0]), let y = share(ordered[1])
    else { return nil }
    return Point(x * (1 - extent.x), y * (1 - extent.y))
  }

  /// Places a cue whose lines are set to a side.
  func place(_ cue: inout CaptionCue, _ align: CaptionAlignment?) {
    let mode = mode ?? .horizontal
    let places: [CaptionPlace] =
      switch mode {
      case .horizontal: [.top, .middle, .bottom]
      case .verticalRightToLeft: [.right, .middle, .left]
      case .verticalLeftToRight: [.left, .middle, .right]
      }
    (cue.writingMode, cue.align) = (self.mode, align)
    guard let origin else { return cue.place = side.map { places[Int($0 * 2)] } }
    let extent = extent ?? Point(1 - origin.x, 1 - origin.y)
    // The point is that of one alignment, so the cue has it, whatever the track's style says.
    let own = align ?? .center
    let along = own == .left ? 0.0 : own == .right ? 1 : 0.5
    let across = mode == .verticalRightToLeft ? 1 - (side ?? 0) : side ?? 0
    let (x, y) = mode.isVertical ? (across, along) : (along, across)
    (cue.align, cue.place) = (own, places[Int((side ?? 0) * 2)])
    cue.position = Point(min(origin.x + extent.x * x, 1), min(origin.y + extent.y * y, 1))
    let width = mode.isVertical ? extent.y : extent.x
    if width < 1 { cue.width = max(width, 0.01) }
  }
}
