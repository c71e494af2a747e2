internal import Formats

/// The settings of a WebVTT cue, which say where it stands, and those of a region.
struct WebVTTSettings {
  /// The margins that a cue at the picture's edge keeps, as shares of its sides.
  private static let (near, far) = (0.05, 0.95)

  private var mode: WritingMode?
  private var align: CaptionAlignment?
  /// Whether the alignment is meant in the order of reading.
  private var isByReading = false
  /// Along the lines.
  private var position: Double?
  /// The point of the cue's box that lies at the position, as a share of its length; nil for that of its alignment.
  private var anchor: Double?
  private var size: Double?
  private var line: Line?
  private var region: CaptionCue.Region?
  private var lost: [Substring] = []

  private enum Line {
    /// A number of lines from the first edge, or from the last one where it is below 0.
    case number(Int)
    /// A share of the picture's height, or of its width with vertical lines, and the side of the cue that lies there: 0, 0.5 or 1.
    case share(Double, side: Double)
  }

  /// - Parameter regions: those that the file has up to this cue.
  init(_ settings: [Substring], _ regions: [String: CaptionCue.Region]) {
    for setting in settings {
      let pair = setting.split(separator: ":", maxSplits: 1)
      let values = pair.count == 2 ? pair[1].split(separator: ",") : []
      guard let value = values.first else {
        lost.append(setting)
        continue
      }
      switch (pair[0], value) {
      case ("vertical", "rl"): mode = .verticalRightToLeft
      case ("vertical", "lr"): mode = .verticalLeftToRight
      case ("align", _) where Self.alignment(value) != nil:
        (align, isByReading) = (Self.alignment(value), value == "start" || value == "end")
      case ("position", _) where WebVTT.share(value) != nil && (values.count == 1 || Self.anchors[values[1]] != nil):
        (position, anchor) = (WebVTT.share(value), values.count == 1 ? nil : Self.anchors[values[1]])
      case ("line", _) where Self.line(values) != nil: line = Self.line(values)
      case ("size", _) where (WebVTT.share(value) ?? 0) > 0: size = WebVTT.share(value).flatMap { $0 < 1 ? max($0, 0.01) : nil }
      case ("region", _) where regions[String(pair[1])] != nil: region = regions[String(pair[1])]
      default: lost.append(setting)
      }
    }
    // A cue that is vertical, or says its line or its size, stands in no region.
    if mode != nil || line != nil || size != nil { region = nil }
  }

  /// Places a cue.
  func apply(to cue: inout CaptionCue, _ number: Int, _ log: inout CaptionLog) {
    (cue.writingMode, cue.width, cue.region) = (mode, size, region)
    let mode = mode ?? .horizontal
    if let align {
      cue.align = isByReading && !mode.isVertical && cue.text.isReadFromRightToLeft ? align.opposite : align
    }
    let places = Self.places(mode)
    let position = anchored(&cue)
    var across: Double?
    switch line {
    case .number(let lines)?:
      cue.place = lines < 0 ? places[2] : places[0]
      let count = lines < 0 ? -(lines + 1) : lines
      if count > 0 { cue.line = min(count, CaptionLimits.line.upperBound) }
    case .share(let share, let side)?:
      across = share
      // A share counts from the left, also where the first line is at the right.
      let sides = mode.isVertical ? [.left, .middle, .right] : places
      cue.place = sides[Int(side * 2)]
    case nil: if mode.isVertical { cue.place = places[2] }
    }
    if let across { lay(&cue, along: position, across: across, mode: mode) } else { cue.along = position }
    if !lost.isEmpty { log.note(number, "not used, or not exactly: \(lost.joined(separator: " ").prefix(100))") }
  }

  /// The places at the edge where lines begin, in the middle and at the other edge.
  static func places(_ mode: WritingMode) -> [CaptionPlace] {
    switch mode {
    case .horizontal: [.top, .middle, .bottom]
    case .verticalRightToLeft: [.right, .middle, .left]
    case .verticalLeftToRight: [.left, .middle, .right]
    }
  }

  /// The words for the points of a cue's box, also those of earlier drafts of the standard.
  private static let anchors: [Substring: Double] = [
    "line-left": 0, "center": 0.5, "line-right": 1, "start": 0, "middle": 0.5, "end": 1,
  ]

  /// The share along the lines at which the side lies to which the text is set. If another point of the cue's box lies at the position, the
  /// box has the length that WebVTT gives it, and the side is where it is then.
  private func anchored(_ cue: inout CaptionCue) -> Double? {
    let align = cue.align ?? .center
    let side = align == .left ? 0 : align == .right ? 1 : 0.5
    guard let position, let anchor, anchor != side else { return position }
    let room = anchor == 0 ? 1 - position : anchor == 1 ? position : 2 * min(position, 1 - position)
    let length = max(min(size ?? 1, room), 0.01)
    (cue.align, cue.width) = (align, length < 1 ? length : nil)
    return min(max(position + length * (side - anchor), 0), 1)
  }

  /// Lays a cue at a point.
  private func lay(_ cue: inout CaptionCue, along: Double?, across: Double, mode: WritingMode) {
    let align = cue.align ?? .center
    let along = along ?? (align == .left ? Self.near : align == .right ? Self.far : 0.5)
    (cue.position, cue.makesRoom) = (mode.isVertical ? Point(across, along) : Point(along, across), true)
  }

  private static func alignment(_ value: Substring) -> CaptionAlignment? {
    switch value {
    case "start", "left": .left
    case "center", "middle": .center
    case "end", "right": .right
    default: nil
    }
  }

  private static func line(_ values: [Substring]) -> Line? {
    if let share = WebVTT.share(values[0]) {
      return .share(share, side: values.count == 1 ? 0 : values[1] == "center" ? 0.5 : values[1] == "end" ? 1 : 0)
    }
    guard values[0].utf8.count <= 9, let number = Int(values[0]) else { return nil }
    return .number(number)
  }

  // MARK: - Regions

  /// A region and its name; an empty name where it has none.
  static func region(_ settings: [Substring], _ number: Int, _ log: inout CaptionLog) -> (name: String, CaptionCue.Region) {
    var (name, region, lost): (String, CaptionCue.Region, [Substring]) = ("", CaptionCue.Region(), [])
    for setting in settings {
      let pair = setting.split(separator: ":", maxSplits: 1)
      let value = pair.count == 2 ? pair[1] : ""
      switch pair.first {
      case "id" where !value.isEmpty: name = String(value)
      case "width" where (WebVTT.share(value) ?? 0) >= 0.01: region.width = WebVTT.share(value) ?? 1
      case "lines" where Int(value).map(CaptionLimits.regionLines.contains) == true: region.lines = Int(value) ?? 3
      case "regionanchor" where point(value) != nil: region.anchor = point(value) ?? region.anchor
      case "viewportanchor" where point(value) != nil: region.viewportAnchor = point(value) ?? region.viewportAnchor
      case "scroll" where value == "up": region.scroll = .up
      default: lost.append(setting)
      }
    }
    if name.isEmpty { log.note(number, "the region has no id, and no cue can stand in it") }
    if !lost.isEmpty { log.note(number, "of the region, not used: \(lost.joined(separator: " ").prefix(100))") }
    return (name, region)
  }

  private static func point(_ value: Substring) -> Point? {
    let shares = value.split(separator: ",").map { WebVTT.share($0) }
    guard shares.count == 2, let x = shares[0], let y = shares[1] else { return nil }
    return Point(x, y)
  }
}
