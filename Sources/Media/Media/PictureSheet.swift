package import Formats

/// A sheet of small pictures in rows, of 8 bits: pictures are made smaller by averaging their samples as they are.
@safe package struct PictureSheet {
  package let picture: PixelBuffer
  private let columns: Int
  private let cell: PixelSize
  private let gap: Int

  /// A grey sheet without pictures.
  ///
  /// - Parameters:
  ///   - cell: the size of each picture on the sheet.
  ///   - gap: the pixels around pictures.
  /// - Precondition: the sheet is no larger than a `PixelBuffer` may be.
  /// - Throws: `MediaError` `outOfMemory`.
  package init(count: Int, columns: Int, cell: PixelSize, gap: Int = 4, color: ColorTags) throws(MediaError) {
    precondition(count > 0 && columns > 0 && gap >= 0)
    (self.columns, self.cell, self.gap) = (columns, cell, gap)
    let rows = (count + columns - 1) / columns
    picture = try PixelBuffer(
      format: PixelFormat(.gbr, bitDepth: 8), width: gap + columns * (cell.width + gap), height: gap + rows * (cell.height + gap),
      color: color)
    for index in 0..<3 {
      let plane = unsafe picture.plane(index)
      for y in 0..<picture.height { unsafe (plane.base + y * plane.stride).update(repeating: 0x30, count: picture.width) }
    }
  }

  /// Draws a picture at a place, from 0, row by row.
  ///
  /// - Precondition: the picture is RGB of 8 or 16 bits a component.
  package func draw(_ source: PixelBuffer, at place: Int) {
    precondition(source.format.layout == .gbr && [8, 16].contains(source.format.bitDepth))
    let (left, top) = (gap + place % columns * (cell.width + gap), gap + place / columns * (cell.height + gap))
    let size = source.format.bytesPerSample
    for index in 0..<3 {
      let (from, to) = unsafe (source.plane(index), picture.plane(index))
      for y in 0..<cell.height {
        let rows = Self.span(y, of: cell.height, in: source.height)
        let target = unsafe to.base + (top + y) * to.stride + left
        for x in 0..<cell.width {
          let samples = Self.span(x, of: cell.width, in: source.width)
          var sum = 0
          for row in rows {
            let line = unsafe from.base + row * from.stride
            // The upper byte of a sample of two bytes is taken. They are little-endian.
            for sample in samples { unsafe sum += Int(line[sample * size + size - 1]) }
          }
          unsafe target[x] = UInt8(sum / (rows.count * samples.count))
        }
      }
    }
  }

  /// The samples that a pixel of the smaller side stands for: at least one.
  private static func span(_ position: Int, of small: Int, in large: Int) -> Range<Int> {
    let first = position * large / small
    return first..<max(first + 1, (position + 1) * large / small)
  }
}
