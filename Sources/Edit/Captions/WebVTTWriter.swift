package import Formats
internal import MediaTime

/// Writes cues as a WebVTT file: their times, texts, places and looks, as far as WebVTT can say them.
package struct WebVTTWriter {
  /// The place, the way in which lines run and the alignment of cues that do not say them.
  private let (place, mode, align): (CaptionPlace, WritingMode, CaptionAlignment?)

  package init(place: CaptionPlace = .bottom, mode: WritingMode = .horizontal, align: CaptionAlignment? = nil) {
    (self.place, self.mode, self.align) = (place, mode, align)
  }

  /// The text of the file. Times are rounded to milliseconds; a cue that is shorter than half of one is left out.
  ///
  /// - Parameter cues: the cues by their start, without frames.
  package func text(of cues: [CaptionCue]) -> String {
    var looks = Set<WebVTTMarkup.Class>()
    var regions: [CaptionCue.Region: Int] = [:]
    var blocks: [String] = []
    for cue in cues {
      let (start, end) = (Self.milliseconds(cue.range.start), Self.milliseconds(cue.range.end))
      guard start < end else { continue }
      if let region = cue.region, regions[region] == nil { regions[region] = regions.count + 1 }
      let markup = WebVTTMarkup(of: cue)
      looks.formUnion(markup.classes)
      let settings = settings(of: cue, regions).map { " " + $0 }.joined()
      blocks.append("\(Self.clock(start)) --> \(Self.clock(end))\(settings)\n\(markup.text)")
    }
    let styles = looks.sorted { $0.name < $1.name }.map { "::cue(.\($0.name)) { \($0.declaration) }" }
    let head =
      ["WEBVTT"] + (styles.isEmpty ? [] : ["STYLE\n" + styles.joined(separator: "\n")])
      + regions.sorted { $0.value < $1.value }.map { Self.block(of: $0.key, number: $0.value) }
    return (head + blocks).joined(separator: "\n\n") + "\n"
  }

  // MARK: - Places

  private func settings(of cue: CaptionCue, _ regions: [CaptionCue.Region: Int]) -> [String] {
    let mode = cue.writingMode ?? mode
    let align = (cue.align ?? align).flatMap { $0 == .center ? nil : "align:\($0.rawValue)" }
    let along = cue.along.map { ["position:\(Self.percent($0))"] } ?? []
    var settings: [String] = []
    switch mode {
    case .horizontal: break
    case .verticalRightToLeft: settings.append("vertical:rl")
    case .verticalLeftToRight: settings.append("vertical:lr")
    }
    if !mode.isVertical, let number = cue.region.flatMap({ regions[$0] }) {
      return ["region:r\(number)"] + along + [align].compactMap(\.self)
    }
    settings += lines(of: cue, mode) + along
    if let width = cue.width { settings.append("size:\(Self.percent(width))") }
    return settings + [align].compactMap(\.self)
  }

  /// The settings that say where a cue stands.
  private func lines(of cue: CaptionCue, _ mode: WritingMode) -> [String] {
    let place = cue.place ?? place
    if let position = cue.position {
      let (along, across) = mode.isVertical ? (position.y, position.x) : (position.x, position.y)
      // A share counts from the left, also where the first line is at the right.
      let side =
        switch place {
        case .top, .left: ""
        case .lowerThird, .middle: ",center"
        case .bottom, .right: ",end"
        }
      return ["line:\(Self.percent(across))\(side)", "position:\(Self.percent(along))"]
    }
    let places = WebVTTSettings.places(mode)
    if place == places[0] { return ["line:\(cue.line ?? 0)"] }
    if place == places[2] { return ["line:\(-(cue.line ?? 0) - 1)"] }
    // The lower third is where players put captions anyway.
    return place == .middle ? ["line:50%,center"] : []
  }

  private static func block(of region: CaptionCue.Region, number: Int) -> String {
    func point(_ point: Point) -> String { "\(percent(point.x)),\(percent(point.y))" }
    var lines = ["REGION", "id:r\(number)", "width:\(percent(region.width))", "lines:\(region.lines)"]
    lines += ["regionanchor:\(point(region.anchor))", "viewportanchor:\(point(region.viewportAnchor))"]
    if region.scroll == .up { lines.append("scroll:up") }
    return lines.joined(separator: "\n")
  }

  // MARK: - Numbers

  /// A share of 0...1 as a percentage, to a thousandth of a percent.
  private static func percent(_ share: Double) -> String {
    let thousandths = Int((min(max(share, 0), 1) * 100_000).rounded())
    guard thousandths % 1000 != 0 else { return "\(thousandths / 1000)%" }
    var digits = String(String(thousandths % 1000 + 1000).dropFirst())
    while digits.last == "0" { digits.removeLast() }
    return "\(thousandths / 1000).\(digits)%"
  }

  /// A time in milliseconds, rounded to the nearest.
  static func milliseconds(_ time: MediaTime) -> Int64 {
    let (twice, scale) = (Int128(time.value) * 2000, Int128(time.timescale))
    return Int64((twice + scale) / (2 * scale))
  }

  /// Milliseconds as `HH:MM:SS.mmm`.
  static func clock(_ milliseconds: Int64) -> String {
    func padded(_ number: Int64, _ width: Int) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
    }
    let seconds = milliseconds / 1000
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
    return "\(clock).\(padded(milliseconds % 1000, 3))"
  }
}
