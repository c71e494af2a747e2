internal import CFFmpeg

/// Reads the boxes of a QuickTime file (ISO/IEC 14496-12) that FFmpeg 5.1 does not read.
// Safe: the context belongs to the demuxer, which lives for the call. Reads stay in buffers of their own.
@safe struct MovieBoxes {
  private let io: UnsafeMutablePointer<AVIOContext>
  private let fileSize: Int64

  /// The most boxes that are read at one level. No box that is looked for has more siblings in a real file.
  private static let childLimit = 10_000

  struct Box {
    let type: String
    let content: Range<Int64>
  }

  /// Reads the file of a demuxer, whose position is moved: it can read no packets after this. Nil for another kind of file.
  init?(_ demuxer: Demuxer) {
    guard demuxer.formatName.hasPrefix("mov"), let io = unsafe demuxer.context.pointee.pb else { return nil }
    unsafe (self.io, fileSize) = (io, avio_size(io))
  }

  /// The tracks of the movie, in their order.
  var tracks: [Box] {
    children(of: 0..<max(fileSize, 0), named: "moov").first.map { children(of: $0.content, named: "trak") } ?? []
  }

  /// The box that `path` leads to, one type below the other; nil where one is missing.
  func descendant(of box: Box, _ path: [String]) -> Box? {
    var box = box
    for type in path {
      guard let next = children(of: box.content, named: type).first else { return nil }
      box = next
    }
    return box
  }

  func children(of range: Range<Int64>, named type: String? = nil) -> [Box] {
    var (boxes, start): ([Box], Int64) = ([], range.lowerBound)
    for _ in 0..<Self.childLimit {
      guard start + 8 <= range.upperBound, let header = bytes(start, 8) else { break }
      var (length, headerLength) = (Int64(Self.number(header[..<4])), Int64(8))
      if length == 1, let long = bytes(start + 8, 8) {
        length = Int64(Self.number(long[..<4])) << 32 | Int64(Self.number(long[4...]))
        headerLength = 16
      } else if length == 0 {
        length = range.upperBound - start
      }
      guard length >= headerLength, length <= range.upperBound - start else { break }
      let box = Box(type: String(decoding: header[4...], as: UTF8.self), content: start + headerLength..<start + length)
      if type == nil || box.type == type { boxes.append(box) }
      start += length
    }
    return boxes
  }

  func bytes(_ position: Int64, _ count: Int) -> [UInt8]? {
    guard position <= fileSize - Int64(count), unsafe avio_seek(io, position, SEEK_SET) == position else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe avio_read(io, &bytes, Int32(count)) == Int32(count) ? bytes : nil
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}

extension Range<Int64> {
  func dropFirst(_ count: Int64) -> Range<Int64> { Swift.min(lowerBound + count, upperBound)..<upperBound }
}
