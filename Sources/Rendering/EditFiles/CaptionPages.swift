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
  /// The pages that may still be shown when the next one comes, also those of the captions before.
  private var standing: [Standing] = []
  /// The pages of the captions that are being measured, and of all before them, by their start.
  private var (placed, earlier): ([Standing], [Standing]) = ([], [])
  /// The language that the cues of the captions tell together; nil where they tell none.
  private var told: String?
  /// The numbers of the pages that stand in each region.
  private var stacks: [CaptionCue.Region: [Int]] = [:]
  private(set) var warnings: [DocumentWarning] = []
  private(set) var faults: [LayerFault] = []

  /// A page in its place.
  private struct Standing {
    let page: CaptionCue
    let frame: Rect
    let padding: Double
    let isVertical: Bool
    /// The place of its captions in the document.
    let path: String

    /// Whether other captions have the same text at the same time. Such texts are laid on each other on purpose.
    func isTwin(of other: CaptionCue, _ path: String) -> Bool {
      self.path != path && page.text == other.text && page.range == other.range
    }
  }

  /// - Parameter size: the size of the render frame.
  init(in size: PixelSize, _ book: FontBook) { (self.size, self.book) = (size, book) }

  /// - Parameter path: the captions' place in the document, for faults and warnings.
  mutating func measured(_ track: CaptionTrack, _ path: String) -> CaptionTrack {
    (standing, placed, stacks, told) = ([], [], [:], track.toldLanguage)
    var (pages, next): ([CaptionCue], Int) = ([], 0)
    for (number, cue) in track.cues.enumerated() {
      guard cue.frame == nil else {
        pages.append(cue)
        continue
      }
      // No later cue starts before this one.
      standing.removeAll { $0.page.range.end <= cue.range.start }
      while next < earlier.count, earlier[next].page.range.start < cue.range.end {
        standing.append(earlier[next])
        next += 1
      }
      do throws(DrawingError) {
        let own = try self.pages(of: cue, track, path)
        if let region = cue.region { stacks[region, default: []] += pages.count..<pages.count + own.count }
        pages += own
      } catch {
        // A font that is missing is missing for every cue. Few faults say it.
        guard faults.count < 20 else { break }
        faults.append(LayerFault(place: "\(path) (cue \(number + 1), at \(cue.range.start) s)", error))
      }
    }
    for (region, places) in stacks.sorted(by: { ($0.value.first ?? 0) < ($1.value.first ?? 0) }) {
      do throws(CaptionRegion.Fault) {
        let stacked = try CaptionRegion(region, in: size, padding: track.padding).stacked(places.map { pages[$0] })
        for (place, page) in zip(places, stacked) { pages[place] = page }
      } catch { faults.append(LayerFault(place: path, reason: error.description)) }
    }
    earlier = (earlier + placed).sorted { $0.page.range.start < $1.page.range.start }
    return track.with(pages)
  }

  // MARK: - Pages

  private mutating func pages(of cue: CaptionCue, _ track: CaptionTrack, _ path: String) throws(DrawingError) -> [CaptionCue] {
    let spot = spot(of: cue, track, path)
    let language = track.hanLanguage(of: cue, told: told)
    var whole = cue
    whole.language = cue.language ?? language
    let bytes = Array(cue.text.utf8)
    let measured = try CaptionMeasure.lines(
      of: track.measuredText(of: whole), width: spot.mode.length(of: spot.area), fonts: book)
    let lines = measured.indices.map { PageLine(measured, $0, bytes) }
    guard let wordRanges = cue.wordRanges else { preconditionFailure("the words were checked when they were read") }
    let words = Array(zip(cue.words, wordRanges))
    // A region shows as many lines as it holds, and hides the rest.
    let most = cue.region == nil ? track.maxLines : max(lines.count, 1)
    // A direction that is stated holds for each line.
    let isTold = track.text(of: cue).direction == .automatic
    let groups = stride(from: 0, to: lines.count, by: most).map { start in
      let page = Array(lines[start..<min(start + most, lines.count)])
      return isTold ? PageLine.page(page) : page
    }
    let total = lines.reduce(0) { $0 + $1.bytes.count }
    var pages: [CaptionCue] = []
    var (start, before) = (cue.range.start, 0)
    for (number, group) in groups.enumerated() {
      before += group.reduce(0) { $0 + $1.bytes.count }
      var page = CaptionCue(cue.range, group.map { $0.text(bytes) }.joined(separator: "\n"))
      (page.align, page.color, page.weight) = (cue.align, cue.color, cue.weight)
      (page.writingMode, page.direction, page.line, page.region) = (cue.writingMode, cue.direction, cue.line, cue.region)
      (page.position, page.move) = cue.move == nil ? (nil, nil) : (cue.position, cue.move)
      page.spans = cue.spans.flatMap { span in Self.all(of: span.bytes, in: group).map { CaptionCue.Span($0, span.look) } }
      // A page may not tell the language that the whole cue, or all cues, tell.
      page.language = cue.language ?? (page.toldLanguage == language ? nil : language)
      let next = number + 1 < groups.count ? groups[number + 1].first?.bytes.lowerBound : nil
      let sung = next.flatMap { next in words.first { $0.1.upperBound > next }?.0.time }
      let end = next == nil ? cue.range.end : sung ?? Self.share(of: cue.range, before, total)
      page.range = Self.range(from: start, to: end, within: cue.range)
      start = page.range.end
      var parts: [Range<Int>] = []
      for (word, range) in words {
        guard let part = Self.moved(range, into: group) else { continue }
        let time = max(word.time, page.range.start)
        let text = String(decoding: Array(page.text.utf8)[part], as: UTF8.self)
        page.words.append(.init(time, text, until: word.end.map { max($0, time) }))
        parts.append(part)
      }
      if number == 0 { page.fadeIn = min(cue.fadeIn, page.range.duration) }
      // A page that is too short for both fades appears slowly, and vanishes at once.
      if next == nil, let both = try? page.fadeIn + cue.fadeOut, both <= page.range.duration { page.fadeOut = cue.fadeOut }
      try place(&page, parts: parts, spot: spot, track: track)
      pages.append(page)
    }
    return pages
  }

  private static func range(from start: MediaTime, to end: MediaTime, within range: MediaTimeRange) -> MediaTimeRange {
    let end = min(max(end, start), range.end)
    // The end is not before the start, and no time is above 100 hours, so the range is one.
    return (try? MediaTimeRange(start: start, end: end)) ?? range
  }

  /// The range in the text of a page that these lines make. A word that a line break parts is marked in its first line only.
  private static func moved(_ range: Range<Int>, into lines: [PageLine]) -> Range<Int>? {
    all(of: range, in: lines).first
  }

  /// The ranges in the text of a page that these lines make, one in each line.
  private static func all(of range: Range<Int>, in lines: [PageLine]) -> [Range<Int>] {
    var (offset, found): (Int, [Range<Int>]) = (0, [])
    for line in lines {
      if let part = line.part(range) { found.append(part.lowerBound + offset..<part.upperBound + offset) }
      offset += line.length + 1
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
    var mode: WritingMode
    var align: TextContent.Alignment
    var place: CaptionPlace
    /// The point that the cue is laid at, as shares of the picture; nil for none.
    var point: Point?
    /// Whether the cue is moved where it would lie on another one.
    var isFree: Bool
    var padding: Double
    /// The place of the captions in the document.
    var path: String
  }

  private func spot(of cue: CaptionCue, _ track: CaptionTrack, _ path: String) -> Spot {
    let (place, mode) = (cue.place ?? track.place, track.mode(of: cue))
    var spot = Spot(
      area: track.area(of: place, in: size), mode: mode, align: track.text(of: cue).alignment, place: place, point: cue.position,
      isFree: cue.region == nil && (cue.position == nil || cue.makesRoom), padding: track.padding, path: path)
    if let region = cue.region { spot.area = CaptionRegion(region, in: size, padding: track.padding).column }
    let ground = cue.region == nil ? Rect(size) : spot.area
    let (whole, side, edge) = (mode.length(of: ground), spot.align.side, mode.isVertical ? ground.y : ground.x)
    var (start, length) = (mode.isVertical ? spot.area.y : spot.area.x, mode.length(of: spot.area))
    if let share = cue.width {
      let shorter = min(share * whole, length)
      (start, length) = (start + (length - shorter) * side, shorter)
    }
    if let share = cue.along ?? cue.position.map({ mode.isVertical ? $0.y : $0.x }) {
      let point = share * whole
      let room =
        switch spot.align {
        case .left, .justify: whole - point
        case .center: 2 * min(point, whole - point)
        case .right: point
        }
      // Text at the very edge has no room there. It gets a tenth of the picture.
      length = max(cue.width.map { min(room, $0 * whole) } ?? room, whole / 10)
      start = edge + max(0, min(point - length * side, whole - length))
    }
    if mode.isVertical {
      (spot.area.y, spot.area.height) = (start, length)
    } else {
      (spot.area.x, spot.area.width) = (start, length)
    }
    return spot
  }

  /// Gives a page and its words their rectangles.
  ///
  /// - Parameter parts: the places of the page's words in its text.
  private mutating func place(
    _ page: inout CaptionCue, parts: [Range<Int>], spot: Spot, track: CaptionTrack
  ) throws(DrawingError) {
    let (area, mode) = (spot.area, spot.mode)
    let block = try CaptionMeasure.block(
      of: track.measuredText(of: page), width: mode.length(of: area), parts: parts, fonts: book)
    let (width, height) = (block.size.x, block.size.y)
    let own = Rect(0, 0, width, height)
    guard mode.depth(of: own) <= mode.depth(of: Rect(size)) else { throw .doesNotFit(text: page.text) }
    let (along, across) = (spot.align == .justify ? 0.5 : spot.align.side, spot.place.share(mode))
    func start(_ start: Double, room: Double, side: Double, point: Double?, isAcross: Bool) -> Double {
      if isAcross, let point { return Self.rounded(point - side * across) }
      return Self.rounded(start + (room - side) * (isAcross ? across : along))
    }
    let point = spot.point.map { Point($0.x * Double(size.width), $0.y * Double(size.height)) }
    var frame = Rect(
      start(area.x, room: area.width, side: width, point: point?.x, isAcross: mode.isVertical),
      start(area.y, room: area.height, side: height, point: point?.y, isAcross: !mode.isVertical),
      width, height)
    if let line = page.line { frame = Self.moved(frame, by: line, of: page, spot) }
    page.line = nil
    if spot.isFree { frame = free(frame, page: page, spot: spot) }
    page.frame = frame
    for (index, part) in block.parts.enumerated() {
      let (x, y) = mode.isVertical ? (frame.x + part.x, area.y + part.y) : (area.x + part.x, frame.y + part.y)
      page.words[index].frame = Rect(x, y, part.width, part.height)
    }
    if spot.isFree {
      let own = Standing(page: page, frame: frame, padding: spot.padding, isVertical: mode.isVertical, path: spot.path)
      standing.append(own)
      placed.append(own)
    }
  }

  /// The place of a page that keeps some lines from its edge, as far as the picture has room for it.
  private static func moved(_ frame: Rect, by line: Int, of page: CaptionCue, _ spot: Spot) -> Rect {
    let (share, count) = (spot.place.share(spot.mode), page.text.utf8.count { $0 == 0x0a } + 1)
    let (depth, room) = (spot.mode.depth(of: frame), spot.mode.depth(of: spot.area))
    let step = depth / Double(count)
    // The first line of vertical lines may be at the right.
    let (isFromStart, begin) = (share == (spot.mode == .verticalRightToLeft ? 1 : 0), Double(line) * step)
    let start = isFromStart ? min(begin, room - depth) : min(room - begin - step, room - depth)
    let distance = max(start, 0)
    var moved = frame
    switch spot.mode {
    case .horizontal: moved.y = rounded(spot.area.y + distance)
    case .verticalLeftToRight: moved.x = rounded(spot.area.x + distance)
    case .verticalRightToLeft: moved.x = rounded(spot.area.maxX - distance - depth)
    }
    return moved
  }

  /// The place of a page that hides none that is shown at the same time: below those at the top, and above all others; of vertical
  /// ones, to the left of those at the right, and to the right of all others.
  private mutating func free(_ frame: Rect, page: CaptionCue, spot: Spot) -> Rect {
    var free = frame
    let isVertical = spot.mode.isVertical
    // Each step passes at least one page.
    for _ in 0..<standing.count + 1 {
      let hit = standing.first { other in
        guard other.page.range.overlaps(page.range), !other.isTwin(of: page, spot.path) else { return false }
        let (frame, gap) = (other.frame, spot.padding + other.padding)
        let isBeside = frame.x < free.maxX + gap && free.x < frame.maxX + gap
        let isOnLevel = frame.y < free.maxY + gap && free.y < frame.maxY + gap
        // Lines of one direction are never put beside each other along it.
        switch (isVertical, other.isVertical) {
        case (false, false): return isOnLevel
        case (true, true): return isBeside
        default: return isBeside && isOnLevel
        }
      }
      guard let hit else { return Rect(Self.rounded(free.x), Self.rounded(free.y), free.width, free.height) }
      let (other, gap) = (hit.frame, spot.padding + hit.padding)
      if isVertical {
        free.x = spot.place.share(spot.mode) == 1 ? other.x - gap - free.width : other.maxX + gap
      } else {
        free.y = spot.place == .top ? other.maxY + gap : other.y - gap - free.height
      }
      guard free.x >= 0, free.y >= 0, free.maxX <= Double(size.width), free.maxY <= Double(size.height) else { break }
    }
    warnings.append(
      DocumentWarning(
        path: spot.path,
        message: "the cue at \(page.range.start) s hides others: there is no room for all at that time", kind: .captions))
    return frame
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
