internal import Captions
package import Formats
internal import JSON
package import MediaTime
internal import Timeline

/// The still pictures that are made of a movie's frames: its poster and its thumbnails. They follow from the edit alone.
package struct StillPlan: Hashable, Sendable {
  /// Some frames of the movie, in one size.
  package struct Track: Hashable, Sendable {
    /// The numbers of the frames in the movie, ascending.
    package let frames: [Int]
    /// The size in pixels, which is even. The whole frame becomes it.
    package let size: PixelSize

    /// The places in `frames` of those that lie in a part of the movie.
    package func places(in part: Range<Int>) -> Range<Int> {
      let first = frames.partitioningIndex { $0 >= part.lowerBound }
      return first..<frames.partitioningIndex { $0 >= part.upperBound }
    }
  }

  /// The poster, which is one frame; nil for none.
  package let poster: Track?
  package let thumbnails: Track?
  /// The places of the thumbnails; nil without any.
  package let sheets: ThumbnailSheets?

  /// The tracks that there are, in the order in which they lie in segment files.
  package var tracks: [Track] { [poster, thumbnails].compactMap(\.self) }

  /// The number of the pictures' files.
  package var fileCount: Int { (poster == nil ? 0 : 1) + (sheets?.sheetCount ?? 0) }

  /// The names of the pictures' files in their order: the poster, then the sheets.
  package func files(_ names: StillNames) -> [String] {
    (poster == nil ? [] : [names.poster]) + (0..<(sheets?.sheetCount ?? 0)).map { names.sheet($0 + 1) }
  }

  /// The file that tells where which thumbnail is, with its name; nil without thumbnails.
  package func times(_ names: StillNames) throws(TimeError) -> (name: String, text: String)? {
    guard let sheets else { return nil }
    return (names.times, try sheets.webVTT(names))
  }
}

extension ResolvedTimeline {
  /// The still pictures that the export asks for; nil for none.
  package var stills: StillPlan? {
    get throws(TimeError) {
      let export = timeline.export
      guard export.poster != nil || export.thumbnails != nil, let composition = videoComposition else { return nil }
      let (frame, frameDuration) = (composition.displaySize, composition.frameDuration)
      var poster: StillPlan.Track?
      if let wish = export.poster {
        let time = try (wish.time ?? exportRange.start) - exportRange.start
        let index = min(max(try time.wholeUnits(of: frameDuration), 0), Int64(try frameCount) - 1)
        poster = StillPlan.Track(frames: [Int(index)], size: frame.narrowed(to: wish.width ?? frame.width))
      }
      guard let wish = export.thumbnails else { return StillPlan(poster: poster, thumbnails: nil, sheets: nil) }
      let sheets = ThumbnailSheets(
        count: Int(clamping: try exportRange.duration.coveringUnits(of: wish.interval)), tile: frame.narrowed(to: wish.width),
        columns: wish.columns, every: wish.interval, lasting: exportRange.duration)
      // The resolver refuses more.
      guard sheets.count <= DocumentLimits.thumbnails else { return StillPlan(poster: poster, thumbnails: nil, sheets: sheets) }
      let frames = try (0..<sheets.count).map { index throws(TimeError) in
        Int(clamping: try (wish.interval * Int64(index)).wholeUnits(of: frameDuration))
      }
      return StillPlan(poster: poster, thumbnails: StillPlan.Track(frames: frames, size: sheets.tile), sheets: sheets)
    }
  }

  /// The names of the files of still pictures, with that of the thumbnails' times, beside a movie or in its folder.
  ///
  /// - Parameter movie: the name of the movie; nil where it is the folder in which they lie.
  package func stillNames(beside movie: String?) throws(TimeError) -> [String] {
    guard let plan = try stills else { return [] }
    let names = StillNames(beside: movie)
    return (plan.sheets == nil ? [] : [names.times]) + plan.files(names)
  }
}

extension PixelSize {
  /// The size of the same shape with a width of at most so many pixels, as far as even sides allow it.
  fileprivate func narrowed(to most: Int) -> PixelSize {
    guard most < width else { return self }
    let height = (2 * self.height * most + width) / (2 * width)
    return PixelSize(most, max(2, height - height % 2))
  }
}

extension TimelineResolver {
  /// Notes still pictures that cannot be made of the movie.
  func checkStills(of resolved: ResolvedTimeline) {
    let (export, path) = (timeline.export, root["export"])
    let wished = [export.poster == nil ? nil : "poster", export.thumbnails == nil ? nil : "thumbnails"].compactMap(\.self)
    guard let key = wished.first, export.fileType.hasStills else { return }
    guard let composition = resolved.videoComposition else {
      return log.note("a movie without a picture has none", at: path[key])
    }
    if export.video.hasAlpha { log.note("is a JPEG, which has no alpha: leave it out, or leave video.alpha out", at: path[key]) }
    if export.video.fields != nil {
      log.note("is made of whole frames: leave it out, or leave video.fields out", at: path[key])
    }
    if let time = export.poster?.time, time < resolved.exportRange.start || time >= resolved.exportRange.end {
      let words = "\(time) is not in the part that is exported, from \(resolved.exportRange.start) to \(resolved.exportRange.end)"
      log.note(words, at: path["poster"]["at"])
    }
    guard let wish = export.thumbnails else { return }
    if wish.interval < composition.frameDuration {
      log.note("is shorter than a frame, which lasts \(composition.frameDuration)", at: path["thumbnails"]["interval"])
    }
    // Times that overflow are noted elsewhere.
    guard let sheets = (try? resolved.stills)?.sheets else { return }
    let (size, most) = (sheets.size, DocumentLimits.sheetPixels)
    if sheets.count > DocumentLimits.thumbnails {
      let words = "\(sheets.count) thumbnails are more than \(DocumentLimits.thumbnails): use a longer interval"
      return log.note(words, at: path["thumbnails"]["interval"])
    }
    if size.width * size.height > most {
      let words = "a sheet would have \(size.width)x\(size.height) pixels, and at most \(most) are shown everywhere"
      log.note("\(words): use fewer columns or a smaller width", at: path["thumbnails"])
    } else if sheets.sheetCount > DocumentLimits.allSheetPixels / (size.width * size.height) {
      let words = "\(sheets.count) thumbnails have more than \(DocumentLimits.allSheetPixels) pixels together"
      log.note("\(words): use a longer interval or a smaller width", at: path["thumbnails"])
    }
  }

  /// Notes a clean aperture that does not lie in the frame.
  func checkCleanAperture(of resolved: ResolvedTimeline) {
    guard root == .root, let aperture = timeline.export.cleanAperture else { return }
    let path = root["export"]["cleanAperture"]
    guard let size = resolved.videoComposition?.outputSize else {
      return log.note("a movie without a picture has none", at: path)
    }
    if aperture.maxX > Double(size.width) || aperture.maxY > Double(size.height) {
      log.note("reaches beyond the frame of \(size.width)x\(size.height)", at: path)
    }
  }
}
