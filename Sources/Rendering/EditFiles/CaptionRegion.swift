internal import Captions
internal import Formats
internal import MediaTime

/// A part of the picture whose cues stand on each other, the latest one at the bottom: a region of WebVTT.
struct CaptionRegion {
  /// The reason why cues cannot stand in a region.
  enum Fault: Error, CustomStringConvertible {
    case tooMany(MediaTime)
    case tooBusy(MediaTime)
    case time(TimeError)

    var description: String {
      switch self {
      case .tooMany(let time): "more than \(CaptionLimits.regionCues) cues stand in one region at \(time) s"
      case .tooBusy(let time): "the cue at \(time) s makes room for others more than \(CaptionLimits.scrolls) times in its region"
      case .time(let error): "a cue of a region: \(error)"
      }
    }
  }

  private let region: CaptionCue.Region
  private let picture: Rect
  /// The distance from a text to the edge of its rectangle.
  private let padding: Double

  init(_ region: CaptionCue.Region, in size: PixelSize, padding: Double) {
    (self.region, picture, self.padding) = (region, Rect(size), padding)
  }

  /// The columns that a text may have, as high as the picture.
  var column: Rect {
    let width = picture.width * region.width
    let left = picture.width * region.viewportAnchor.x - width * region.anchor.x
    return Rect(left + padding, 0, max(width - 2 * padding, width / 10), picture.height)
  }

  /// The pages in their places, each with its ways up.
  ///
  /// - Parameter pages: measured pages by their start.
  func stacked(_ pages: [CaptionCue]) throws(Fault) -> [CaptionCue] {
    var pages = pages
    let before = pages.map { $0.frame?.y ?? 0 }
    let heights = pages.map { ($0.frame?.height ?? 0) + 2 * padding }
    let lines = pages.map { ($0.frame?.height ?? 0) / Double($0.text.utf8.count { $0 == 0x0a } + 1) }
    let height = (lines.min() ?? 0) * Double(region.lines) + 2 * padding
    let column = column
    let clip = Rect(
      column.x - padding, picture.height * region.viewportAnchor.y - height * region.anchor.y, column.width + 2 * padding, height)
    let starts = pages.indices.filter { !pages[$0].range.isEmpty }
    let ends = starts.sorted { (pages[$0].range.end, $0) < (pages[$1].range.end, $1) }
    var (shown, next, gone): ([Int], Int, Int) = ([], 0, 0)
    for index in pages.indices {
      pages[index].clip = clip
      pages[index].frame?.y = clip.maxY - heights[index] + padding
      pages[index].region = nil
    }
    while next < starts.count {
      let time = pages[starts[next]].range.start
      while gone < ends.count, pages[ends[gone]].range.end <= time {
        try leave(ends[gone], shown: &shown, pages: &pages, heights: heights)
        gone += 1
      }
      var coming: [Int] = []
      while next < starts.count, pages[starts[next]].range.start == time {
        coming.append(starts[next])
        next += 1
      }
      try come(coming, at: time, shown: &shown, pages: &pages, heights: heights)
    }
    while gone < ends.count {
      try leave(ends[gone], shown: &shown, pages: &pages, heights: heights)
      gone += 1
    }
    return zip(pages, before).map { page, before in
      var page = page
      for index in page.words.indices { page.words[index].frame?.y += (page.frame?.y ?? 0) - before }
      return page
    }
  }

  /// Lets cues come that begin together, the first one on top.
  private func come(
    _ coming: [Int], at time: MediaTime, shown: inout [Int], pages: inout [CaptionCue], heights: [Double]
  ) throws(Fault) {
    guard shown.count + coming.count <= CaptionLimits.regionCues else { throw .tooMany(time) }
    let (isSlow, all) = (region.scroll == .up && !shown.isEmpty, coming.reduce(0) { $0 + heights[$1] })
    let range: MediaTimeRange
    do throws(TimeError) {
      // The time in which they slide, by WebVTT's style sheet.
      range = try MediaTimeRange(start: time, duration: isSlow ? MediaTime(433, 1000) : .zero)
    } catch { throw .time(error) }
    for index in shown { try scroll(index, by: all, over: range, pages: &pages) }
    var below = all
    for index in coming {
      below -= heights[index]
      pages[index].frame?.y -= below
      guard isSlow else { continue }
      // It slides into the region from below.
      pages[index].frame?.y += all
      try scroll(index, by: all, over: range, pages: &pages)
    }
    shown += coming
  }

  /// Lets a cue go. Those above it sink.
  private func leave(
    _ index: Int, shown: inout [Int], pages: inout [CaptionCue], heights: [Double]
  ) throws(Fault) {
    guard let place = shown.firstIndex(of: index) else { return }
    let time = pages[index].range.end
    let range: MediaTimeRange
    do throws(TimeError) { range = try MediaTimeRange(start: time, end: time) } catch { throw .time(error) }
    for above in shown[..<place] where pages[above].range.end > time {
      try scroll(above, by: -heights[index], over: range, pages: &pages)
    }
    shown.remove(at: place)
  }

  private func scroll(
    _ index: Int, by distance: Double, over range: MediaTimeRange, pages: inout [CaptionCue]
  ) throws(Fault) {
    guard pages[index].scrolls.count < CaptionLimits.scrolls else { throw .tooBusy(pages[index].range.start) }
    pages[index].scrolls.append(CaptionCue.Scroll(range, distance))
  }
}
