import Formats
import Media

/// The frame on which a collage is put together. Its picture is a shared one until something is drawn on it.
///
/// Shared frames are never written to. The frame is opaque at all times, since it begins with its background.
struct Canvas: ~Copyable {
  private enum State {
    case background
    /// A picture for reading only: it belongs to somebody else, or may be shown again.
    case shared(PixelBuffer)
    case own(PixelBuffer)
  }

  private var state = State.background
  private let format: PictureFormat
  /// The code of the background in each plane.
  private let background: [Int]
  private let mixture: LightMixture?

  /// - Parameters:
  ///   - ground: the opaque colour below a translucent background.
  ///   - graphics: gives the codes of colours in the format.
  ///   - mixture: how light is mixed; nil mixes codes.
  init(
    _ background: RGBAColor, over ground: RGBAColor = .black, _ format: PictureFormat, _ graphics: GraphicsColor,
    mixture: LightMixture?
  ) {
    (self.format, self.mixture) = (format, mixture)
    self.background = graphics.roundedCodes(background, over: ground)
  }

  /// Makes `picture`, which is opaque, the whole frame, without a copy.
  mutating func replace(with picture: PixelBuffer) { state = .shared(picture) }

  /// The frame as it is, for reading only.
  mutating func finished() throws(CompositingError) -> PixelBuffer {
    switch state {
    case .background: try writable()
    case .shared(let picture), .own(let picture): picture
    }
  }

  /// The frame, which only this canvas holds. A shared picture is copied first.
  mutating func writable() throws(CompositingError) -> PixelBuffer {
    if case .own(let frame) = state { return frame }
    let frame = try PixelBuffer.make(format)
    if case .shared(let picture) = state {
      for (source, target) in zip(picture.planes, frame.planes) { target.copy(source) }
    } else {
      for (plane, code) in zip(frame.planes, background) { plane.fill(with: code) }
    }
    state = .own(frame)
    return frame
  }

  /// Draws `picture`, in the render format, over the frame. Its top left corner is at `origin` (in whole chroma cells), and it is
  /// seen only inside `covered`. A sample whose cell is covered in part is blended in part, and one with alpha by its alpha.
  ///
  /// - Precondition: the picture reaches over every cell that `covered` touches in the frame.
  mutating func draw(
    _ picture: PixelBuffer, at origin: (x: Int, y: Int), covered: Rect, opacity: Double
  ) throws(CompositingError) {
    if picture.alpha == nil, opacity >= 1, origin == (0, 0), (picture.width, picture.height) == (format.width, format.height),
      covered.covers(format)
    {
      return replace(with: picture)
    }
    let frame = try writable()
    for index in 0..<format.format.planeCount {
      let (ground, plane) = (frame.samples(ofPlane: index), picture.samples(ofPlane: index))
      let alpha = picture.alpha.map { (plane: $0.samples(ofPlane: index).samples(ofPlane: 0), runs: $0.runs(ofPlane: index)) }
      let shift = format.format.shift(ofPlane: index)
      let columns = Self.cells(covered.x, covered.maxX, size: 1 << shift.x, count: ground.width)
      let rows = Self.cells(covered.y, covered.maxY, size: 1 << shift.y, count: ground.height)
      let (left, top) = (origin.x >> shift.x, origin.y >> shift.y)
      for row in rows {
        for column in columns {
          let columns = column.range.lowerBound - left..<column.range.upperBound - left
          let rows = row.range.lowerBound - top..<row.range.upperBound - top
          let target = ground.part(columns: column.range, rows: row.range)
          let source = plane.part(columns: columns, rows: rows)
          let share = column.share * row.share * opacity
          if let alpha {
            target.blend(
              source, alpha: alpha.plane.part(columns: columns, rows: rows),
              covered: alpha.runs.map { AlphaRuns.Part($0, columns: columns, rows: rows) }, opacity: share, mixture)
          } else {
            target.blend(source, weight: Weight(share), mixture)
          }
        }
      }
    }
    withExtendedLifetime(picture) {}
  }

  /// The cells of `size` pixels that an interval touches, in runs with the same covered share. At most one cell at each end is
  /// covered in part.
  static func cells(
    _ from: Double, _ to: Double, size: Int, count: Int
  ) -> [(range: Range<Int>, share: Double)] {
    let (lower, upper) = (max(from / Double(size), 0), min(to / Double(size), Double(count)))
    guard lower < upper else { return [] }
    let (first, end) = (Int(lower.rounded(.down)), Int(upper.rounded(.up)))
    if end - first == 1 { return [(first..<end, upper - lower)] }
    let (whole, wholeEnd) = (Int(lower.rounded(.up)), Int(upper.rounded(.down)))
    return [
      (first..<whole, Double(whole) - lower), (whole..<wholeEnd, 1), (wholeEnd..<end, upper - Double(wholeEnd)),
    ].filter { !$0.0.isEmpty }
  }
}

extension Rect {
  fileprivate func covers(_ frame: PictureFormat) -> Bool {
    x <= 0 && y <= 0 && maxX >= Double(frame.width) && maxY >= Double(frame.height)
  }
}
