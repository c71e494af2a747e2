internal import CFFmpeg
internal import Formats

/// A field filter for pictures that are asked for in any order. Where pictures follow each other, each is given to the filter
/// only once.
///
/// fieldmatch reads 8 bits. It is given the highest 8 bits of deeper pictures; its result tells which fields of the deeper
/// pictures to put together.
final class FieldWork {
  typealias Frame = (tick: Int64, picture: PixelBuffer)

  private let work: FieldFilter.Work
  private var filter: FieldFilter?
  /// The ticks of the frames that the filter was given last, in order of presentation.
  private var given: [Int64] = []

  init(_ work: FieldFilter.Work) { self.work = work }

  /// Filters `frame`.
  ///
  /// - Parameters:
  ///   - before: the frame before it; nil for the first of the track.
  ///   - after: the frame after it; nil for the last of the track, which then stands for its own successor.
  ///   - place: the file and track, for errors.
  /// - Returns: the filter's picture, and whether the filter still calls it interlaced.
  /// - Throws: `MediaError` `unsupported` for samples that the filter does not take, `outOfMemory`.
  func done(
    on frame: Frame, before: Frame?, after: Frame?, _ order: FieldOrder, at place: String
  ) throws(MediaError) -> (picture: PixelBuffer, isInterlaced: Bool) {
    let picture = frame.picture
    guard FieldFilter.takes(picture, work) else { return (picture, false) }
    // A neighbour of another size or format cannot be compared, so it counts as missing.
    let before = before.flatMap { $0.picture.isAlike(picture) ? $0 : nil }
    let after = after.flatMap { $0.picture.isAlike(picture) ? $0 : nil } ?? frame
    let filter: FieldFilter
    let seen = try seen(picture)
    if let known = self.filter, let before, given == [before.tick, frame.tick], known.order == order, known.model.isAlike(seen) {
      filter = known
    } else {
      filter = try FieldFilter(work, seen, order, at: place)
      if let before { _ = try filter.next(self.seen(before.picture)) }
      _ = try filter.next(seen)
    }
    (self.filter, given) = (nil, [])
    guard let made = try filter.next(self.seen(after.picture)) else {
      throw MediaError(.internal, at: place, "the deinterlacing filter gives no picture, which is a bug of spool")
    }
    (self.filter, given) = (filter, [frame.tick, after.tick])
    let isInterlaced = unsafe made.pointer.pointee.interlaced_frame != 0
    let result = PixelBuffer(adopting: made, format: seen.format, color: picture.color)
    guard seen !== picture else { return (result, isInterlaced) }
    let sources = [picture, before?.picture, after.picture].compactMap(\.self)
    return (try PixelBuffer(weaving: sources, as: result), isInterlaced)
  }

  /// The picture in a form that the filter reads.
  private func seen(_ picture: PixelBuffer) throws(MediaError) -> PixelBuffer {
    work == .match && picture.format.bitDepth > 8 ? try picture.inEightBits() : picture
  }
}

extension PixelBuffer {
  fileprivate func isAlike(_ other: PixelBuffer) -> Bool {
    format == other.format && width == other.width && height == other.height && color == other.color
  }

  /// A copy with the eight highest bits of each sample.
  fileprivate func inEightBits() throws(MediaError) -> PixelBuffer {
    let made = try PixelBuffer(format: PixelFormat(format.layout), width: width, height: height, color: color)
    for index in 0..<format.planeCount {
      let target = unsafe made.plane(index)
      for row in unsafe 0..<target.height {
        let (source, out) = unsafe (deepRow(row, of: index), target.base + row * target.stride)
        for x in unsafe 0..<target.width { unsafe out[x] = UInt8(truncatingIfNeeded: source[x] >> depthBeyondEight) }
      }
    }
    return made
  }

  /// Puts a picture together from the fields of `sources`. Each field is taken from the first source whose highest bits are the
  /// same as the model's in that field.
  ///
  /// - Precondition: all sources are alike and have more than 8 bits. The model has 8 bits, and each of its fields is that of one
  ///   of the sources.
  fileprivate convenience init(weaving sources: [PixelBuffer], as model: PixelBuffer) throws(MediaError) {
    try self.init(format: sources[0].format, width: model.width, height: model.height, color: sources[0].color)
    for parity in 0..<2 {
      let source = sources.first { $0.shows(parity, of: model) } ?? sources[0]
      for index in 0..<format.planeCount {
        let (from, to) = unsafe (source.plane(index), plane(index))
        for row in unsafe stride(from: parity, to: to.height, by: 2) {
          unsafe (to.base + row * to.stride).update(from: from.base + row * from.stride, count: to.width * 2)
        }
      }
    }
  }

  /// Whether the highest bits of a field are the same as the model's.
  private func shows(_ parity: Int, of model: PixelBuffer) -> Bool {
    for index in 0..<format.planeCount {
      let seen = unsafe model.plane(index)
      for row in unsafe stride(from: parity, to: seen.height, by: 2) {
        let (source, line) = unsafe (deepRow(row, of: index), seen.base + row * seen.stride)
        for x in unsafe 0..<seen.width where unsafe UInt8(truncatingIfNeeded: source[x] >> depthBeyondEight) != line[x] {
          return false
        }
      }
    }
    return true
  }

  private var depthBeyondEight: UInt16 { UInt16(format.bitDepth - 8) }

  private func deepRow(_ row: Int, of index: Int) -> UnsafePointer<UInt16> {
    let plane = unsafe plane(index)
    return unsafe UnsafePointer(UnsafeRawPointer(plane.base + row * plane.stride).assumingMemoryBound(to: UInt16.self))
  }
}
