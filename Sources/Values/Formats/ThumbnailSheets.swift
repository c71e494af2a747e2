package import MediaTime

/// The thumbnails of a movie, at equal times, side by side on sheets: from the left, row by row. All sheets are equally large; the last one
/// may have places without a picture.
package struct ThumbnailSheets: Hashable, Sendable {
  /// The number of thumbnails; positive.
  package let count: Int
  /// The size of each, in pixels.
  package let tile: PixelSize
  package let columns: Int
  package let rows: Int
  /// The time from one to the next. The first is at 0.
  package let interval: MediaTime
  /// The duration of the movie.
  package let duration: MediaTime

  /// - Parameter columns: the most thumbnails in a row, and the most rows on a sheet.
  package init(count: Int, tile: PixelSize, columns: Int, every interval: MediaTime, lasting duration: MediaTime) {
    precondition(count > 0 && columns > 0, "there is a thumbnail")
    (self.count, self.tile, self.interval, self.duration) = (count, tile, interval, duration)
    self.columns = min(columns, count)
    rows = min(columns, (count + self.columns - 1) / self.columns)
  }

  package var tilesPerSheet: Int { columns * rows }
  package var sheetCount: Int { (count + tilesPerSheet - 1) / tilesPerSheet }

  /// The size of each sheet, in pixels.
  package var size: PixelSize { PixelSize(columns * tile.width, rows * tile.height) }

  /// The place of a thumbnail on its sheet, in tiles.
  package func place(of index: Int) -> (sheet: Int, column: Int, row: Int) {
    let place = index % tilesPerSheet
    return (index / tilesPerSheet, place % columns, place / columns)
  }
}
