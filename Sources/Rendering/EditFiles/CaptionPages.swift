internal import Captions
internal import Drawing
internal import Formats
internal import MediaTime
internal import Scenes
internal import Timeline

/// Breaks captions into lines and pages by their measured width, and finds the place of each.
///
/// The result is the same captions with frames. Cues that have a frame are left as they are, so measuring them again changes
/// nothing.
struct CaptionPages {
  private let size: PixelSize
  private let book: FontBook
  /// The pages that may still be shown when the next one comes.
  private var standing: [CaptionCue] = []
  private(set) var warnings: [DocumentWarning] = []
  private(set) var faults: [LayerFault] = []

  /// - Parameter size: the size of the render frame.
  init(in size: PixelSize, _ book: FontBook) { (self.size, self.book) = (size, book) }

  /// - Parameter path: the captions' place in the document, for faults and warnings.
  mutating func measured(_ track: CaptionTrack, _ path: String) -> CaptionTrack {
    standing = []
    var pages: [CaptionCue] = []
    for (number, cue) in track.cues.enumerated() {
      guard cue.frame == nil else {
        pages.append(cue)
        continue
      }
      // No later cue starts before this one.
      standing.removeAll { $0.range.end <= cue.range.start }
      do throws(DrawingError) { pages += try self.pages(of: cue, track, path) } catch {
        // A font that is missing is missing for every cue. Few faults say it.
        guard faults.count < 20 else { break }
        faults.append(LayerFault(place: "\(path) (cue \(number + 1), at \(cue.range.start) s)", error))
      }
    }
    return track.with(pages)
  }

  // MARK: - Pages

  private mutating func pages(of cue: CaptionCue, _ track: CaptionTrack, _ path: String) throws(DrawingError) -> [CaptionCue] {
    let spot = spot(of: cue, track, path)
    let bytes = Array(cue.text.utf8)
    let lines = try CaptionMeasure.lines(of: track.text(of: cue), width: spot.area.width, fonts: book)
      .map { Self.trimmed($0, bytes) }
    guard let ranges = cue.wordRanges else { preconditionFailure("the words were checked when they were read") }
    let words = Array(zip(cue.words, ranges))
    let groups = stride(from: 0, to: lines.count, by: track.maxLines).map { lines[$0..<min($0 + track.maxLines, lines.count)] }
    let total = lines.reduce(0) { $0 + $1.count }
    var pages: [CaptionCue] = []
    var (start, before) = (cue.range.start, 0)
    for (number, group) in groups.enumerated() {
      before += group.reduce(0) { $0 + $1.count }
      var page = CaptionCue(cue.range, group.map { String(decoding: bytes[$0], as: UTF8.self) }.joined(separator: "\n"))
      (page.align, page.color, page.weight) = (cue.align, cue.color, cue.weight)
      (page.position, page.move) = cue.move == nil ? (nil, nil) : (cue.position, cue.move)
      page.spans = cue.spans.flatMap { span in Self.all(of: span.bytes, in: group).map { CaptionCue.Span($0, span.look) } }
      let next = number + 1 < groups.count ? groups[number + 1].first?.lowerBound : nil
      let sung = next.flatMap { next in words.first { $0.1.upperBound > next }?.0.time }
      let end = next == nil ? cue.range.end : sung ?? Self.share(of: cue.range, before, total)
      page.range = Self.range(from: start, to: end, within: cue.range)
      start = page.range.end
      var parts: [Range<Int>] = []
      for (word, range) in words {
        guard let part = Self.moved(range, into: group) else { continue }
        page.words.append(.init(max(word.time, page.range.start), String(decoding: Array(page.text.utf8)[part], as: UTF8.self)))
        parts.append(part)
      }
      if number == 0 { page.fadeIn = min(cue.fadeIn, page.range.duration) }
      // A page that is too short for both fades appears slowly, and vanishes at once.
      if next == nil, let both = try? page.fadeIn + cue.fadeOut, both <= page.range.duration { page.fadeOut = cue.fadeOut }
      try place(&page, parts, spot, track)
      pages.append(page)
    }
    return pages
  }

  private static func range(from start: MediaTime, to end: MediaTime, within range: MediaTimeRange) -> MediaTimeRange {
    let end = min(max(end, start), range.end)
    // The end is not before the start, and no time is above 100 hours, so the range is one.
    return (try? MediaTimeRange(start: start, end: end)) ?? range
  }

  /// The range without spaces at its ends.
  private static func trimmed(_ range: Range<Int>, _ bytes: [UInt8]) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, bytes[start] == 0x20 { start += 1 }
    while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x0a { end -= 1 }
    return start..<end
  }

  /// The range in the text of a page that these lines make. A word that a line break parts is marked in its first line only.
  private static func moved(_ range: Range<Int>, into lines: ArraySlice<Range<Int>>) -> Range<Int>? {
    all(of: range, in: lines).first
  }

  /// The ranges in the text of a page that these lines make, one in each line.
  private static func all(of range: Range<Int>, in lines: ArraySlice<Range<Int>>) -> [Range<Int>] {
    var (offset, found): (Int, [Range<Int>]) = (0, [])
    for line in lines {
      let part = range.clamped(to: line)
      let shift = offset - line.lowerBound
      if !part.isEmpty { found.append(part.lowerBound + shift..<part.upperBound + shift) }
      offset += line.count + 1
    }
    return found
  }

  /// The time at which `count` of `total` bytes were read, in whole milliseconds where the cue is long enough.
  private static func share(of range: MediaTimeRange, _ count: Int, _ total: Int) -> MediaTime {
    do throws(TimeError) {
      let passed = try Rational(range.duration) * Rational(Int128(count), over: Int128(max(total, 1)))
      return try range.start + MediaTime(Rational((passed * Rational(1000)).floor, over: 1000))
    } catch { return range.end }  // The times of cues are below 100 hours, so none is too large.
  }

  // MARK: - Places

  /// The part of the picture that a cue may stand in, and its place there.
  private struct Spot {
    var area: Rect
    var align: TextContent.Alignment
    var place: CaptionPlace
    /// The point that the cue is laid at, as shares of the picture; nil for none.
    var point: Point?
    var padding: Double
    /// The place of the captions in the document.
    var path: String
  }

  private func spot(of cue: CaptionCue, _ track: CaptionTrack, _ path: String) -> Spot {
    let place = cue.place ?? track.place
    var spot = Spot(
      area: track.area(of: place, in: size), align: track.text(of: cue).alignment, place: place, point: cue.position,
      padding: track.padding, path: path)
    if let share = cue.width {
      let width = min(share * Double(size.width), spot.area.width)
      spot.area.x += (spot.area.width - width) * spot.align.side
      spot.area.width = width
    }
    guard let position = cue.position else { return spot }
    let (x, width) = (position.x * Double(size.width), Double(size.width))
    let room =
      switch spot.align {
      case .left, .justify: width - x
      case .center: 2 * min(x, width - x)
      case .right: x
      }
    // Text at the very edge has no room there. It gets a tenth of the picture.
    let wide = max(cue.width.map { min(room, $0 * width) } ?? room, width / 10)
    let left = x - wide * spot.align.side
    (spot.area.x, spot.area.width) = (max(0, min(left, width - wide)), wide)
    return spot
  }

  /// Gives a page and its words their rectangles.
  ///
  /// - Parameter parts: the places of the page's words in its text.
  private mutating func place(
    _ page: inout CaptionCue, _ parts: [Range<Int>], _ spot: Spot, _ track: CaptionTrack
  ) throws(DrawingError) {
    let area = spot.area
    let block = try CaptionMeasure.block(of: track.text(of: page), width: area.width, parts: parts, fonts: book)
    let (width, height) = (block.size.x, block.size.y)
    guard height <= Double(size.height) else { throw .doesNotFit(text: page.text) }
    let across = spot.align == .justify ? 0.5 : spot.align.side
    let down = spot.place == .top ? 0 : spot.place == .bottom ? 1 : 0.5
    let top = spot.point.map { $0.y * Double(size.height) - height * down } ?? (area.y + (area.height - height) * down)
    var frame = Rect(Self.rounded(area.x + (area.width - width) * across), Self.rounded(top), width, height)
    if spot.point == nil { frame.y = free(frame, page, spot) }
    page.frame = frame
    for (index, part) in block.parts.enumerated() {
      page.words[index].frame = Rect(area.x + part.x, frame.y + part.y, part.width, part.height)
    }
    if spot.point == nil { standing.append(page) }
  }

  /// The top of a page that hides none that is shown at the same time: below those at the top, and above all others.
  private mutating func free(_ frame: Rect, _ page: CaptionCue, _ spot: Spot) -> Double {
    var free = frame
    let gap = 2 * spot.padding
    // Each step passes at least one page.
    for _ in 0..<standing.count + 1 {
      let hit = standing.first { other in
        guard let frame = other.frame, other.range.overlaps(page.range) else { return false }
        return frame.y < free.maxY + gap && free.y < frame.maxY + gap
      }
      guard let other = hit?.frame else { return Self.rounded(free.y) }
      free.y = spot.place == .top ? other.maxY + gap : other.y - gap - free.height
      guard free.y >= 0, free.maxY <= Double(size.height) else { break }
    }
    warnings.append(
      DocumentWarning(
        path: spot.path,
        message: "the cue at \(page.range.start) s hides others: there is no room for all at that time", kind: .captions))
    return frame.y
  }

  private static func rounded(_ value: Double) -> Double { (value * 4).rounded() / 4 }
}

extension TextContent.Alignment {
  /// The share of a width at which lines are laid: 0 at the left.
  fileprivate var side: Double {
    switch self {
    case .left, .justify: 0
    case .center: 0.5
    case .right: 1
    }
  }
}
