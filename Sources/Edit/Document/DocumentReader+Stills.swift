internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads the still pictures of a movie, its poster and its thumbnails, and what is shown of its frames.
extension DocumentReader {
  func readStills(of object: DocumentObject, into settings: inout ExportSettings, knowsType: Bool) {
    settings.poster = object["poster"].flatMap(poster)
    settings.thumbnails = object["thumbnails"].flatMap(thumbnails)
    guard knowsType, !settings.fileType.hasStills else { return }
    for key in ["poster", "thumbnails"] {
      object[key]?.note("\(settings.fileType) has no \(key) beside it: use \(FileType.allCases.filter(\.hasStills).list)")
    }
  }

  private func poster(_ node: DocumentNode) -> MoviePoster? {
    guard let object = DocumentObject(.poster, node) else { return nil }
    let moment = object["at"].flatMap { time($0) }
    if let moment, let duration, moment >= duration { object["at"]?.note("the edit ends at \(duration)") }
    return MoviePoster(at: moment, width: object["width"].flatMap { evenWidth($0, in: DocumentLimits.posterWidth) })
  }

  private func thumbnails(_ node: DocumentNode) -> MovieThumbnails? {
    guard let object = DocumentObject(.thumbnails, node) else { return nil }
    var thumbnails = MovieThumbnails()
    if let node = object["interval"], let interval = time(node) {
      let range = DocumentLimits.thumbnailInterval
      if !range.contains(interval.seconds) {
        node.note("\(interval) is not in \(JSONValue.text(range.lowerBound))...\(JSONValue.text(range.upperBound)) seconds")
      }
      thumbnails.interval = interval
    }
    if let width = object["width"].flatMap({ evenWidth($0, in: DocumentLimits.thumbnailWidth) }) { thumbnails.width = width }
    if let columns = object["columns"]?.integer(in: DocumentLimits.thumbnailColumns) { thumbnails.columns = columns }
    return thumbnails
  }

  /// A width in pixels. Chroma is halved in these pictures, so it is even.
  private func evenWidth(_ node: DocumentNode, in range: ClosedRange<Int>) -> Int? {
    guard let width = node.integer(in: range) else { return nil }
    guard width % 2 == 0 else { return node.refuse(because: "\(width) is odd: use \(width + 1)") }
    return width
  }

  /// The part of the frame that players show.
  ///
  /// - Parameter settings: those of the export; nil where the file type is not known.
  func cleanAperture(_ node: DocumentNode, in settings: ExportSettings?) -> Rect? {
    guard let numbers = node.numbers(["x", "y", "width", "height"], in: 0...8_192) else { return nil }
    guard numbers.allSatisfy({ $0 == $0.rounded() }), numbers[2] > 0, numbers[3] > 0 else {
      return node.refuse(because: "has whole pixels, and a width and a height")
    }
    if let settings, !settings.fileType.holdsCleanAperture {
      let types = FileType.allCases.filter(\.holdsCleanAperture).list
      node.note("\(settings.fileType) does not say which part of a picture is shown: use \(types), or crop the picture")
    } else if let settings, settings.fragmentInterval != nil {
      node.note("is written into the index of a movie without fragments: leave fragmentInterval out, or crop the picture")
    }
    return Rect(numbers[0], numbers[1], numbers[2], numbers[3])
  }
}
