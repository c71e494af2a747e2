internal import Compositing
internal import Examination
package import Formats
internal import Media
package import MediaTime
internal import Messages
internal import Scenes
internal import Timeline

/// Frames of an edit, at equal distances, that somebody wants on one sheet as a PNG.
package struct ContactSheetRequest: Hashable, Sendable, Codable {
  /// The path of the edit's document.
  package var document: String
  /// The path of the picture.
  package var output: String
  /// The number of frames; fewer where the edit has fewer.
  package var count = 12
  package var columns = 4
  /// The width of each frame on the sheet, in pixels.
  package var width = 320
  package var overwrites = false

  package init(document: String, output: String) { (self.document, self.output) = (document, output) }

  package static let counts = 1...100
  package static let columnCounts = 1...20
  package static let widths = 16...1024

  func requireSense() throws(Complaint) {
    try SubmitRequest.require(count, in: Self.counts, "count")
    try SubmitRequest.require(columns, in: Self.columnCounts, "columns")
    try SubmitRequest.require(width, in: Self.widths, "width")
  }
}

/// A contact sheet that was written as a PNG.
package struct WrittenContactSheet: Hashable, Sendable, Codable {
  package struct Frame: Hashable, Sendable, Codable {
    package var index: Int
    /// The frame's time in the edit.
    package var time: MediaTime
  }

  /// The absolute path of the picture.
  package var output: String
  package var size: PixelSize
  package var columns: Int
  /// The frames in the order in which they stand: from the left, row by row.
  package var frames: [Frame]
}

extension MediaAccess {
  /// The most pixels on a side of a sheet: more is slow to look at in a browser.
  private static let mostSide = 16_384

  /// Writes frames at equal distances, as the movie has them before it is encoded, side by side and smaller.
  package func contactSheet(_ request: ContactSheetRequest) throws(Complaint) -> WrittenContactSheet {
    try locating { assets in
      try request.requireSense()
      let (edit, examination) = try examined(request.document, &assets, inSquarePixels: true)
      guard let composition = edit.videoComposition else {
        throw Complaint(request.document, "the edit has no picture", .badDocument)
      }
      let destination = try Destination(request.output, overwrites: request.overwrites)
      try destination.requirePNGName()
      try destination.requireNone(of: edit.timeline.assets.values.map(\.path) + [request.document])
      let total = try edit.frameCount
      let count = min(request.count, total)
      let size = composition.outputSize
      // Each frame stands for its part of the movie, so it is the one in the middle of it.
      let indices = (0..<count).map { (2 * $0 + 1) * total / (2 * count) }
      let columns = min(request.columns, count)
      let width = min(request.width, size.width)
      let cell = PixelSize(width, max(1, size.height * width / size.width))
      let rows = (count + columns - 1) / columns
      guard rows * (cell.height + 4) < Self.mostSide, columns * (cell.width + 4) < Self.mostSide else {
        throw Complaint("width", "the sheet would have more than \(Self.mostSide) pixels on a side", .usage)
      }
      var sheet: PictureSheet?
      for (place, index) in indices.enumerated() {
        do {
          let picture = try examination.picture(index)
          let drawn = try sheet ?? PictureSheet(count: count, columns: columns, cell: cell, color: picture.color)
          drawn.draw(picture, at: place)
          sheet = drawn
        } catch let broken as EditExamination.Broken { throw try broken.complaint(edit, at: index) }
      }
      guard let sheet else { throw Complaint(request.document, "the edit has no frames", .badDocument) }
      try PNGImage(sheet.picture).write(to: destination.path)
      let start = edit.exportRange.start
      var frames: [WrittenContactSheet.Frame] = []
      for index in indices {
        frames.append(WrittenContactSheet.Frame(index: index, time: try start + composition.frameDuration * Int64(index)))
      }
      return WrittenContactSheet(
        output: destination.path, size: PixelSize(sheet.picture.width, sheet.picture.height), columns: columns,
        frames: frames)
    }
  }
}
