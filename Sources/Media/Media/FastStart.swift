internal import CFFmpeg
internal import CLinux
internal import Glibc
internal import Linux

/// Puts the index of an mp4 or QuickTime movie, `moov`, in front of its packets, so that players begin before they have all of the file (decision
/// 0263).
///
/// The muxer writes the index at the end, since its size is known last. File systems such as ext4 and XFS can insert whole blocks into a file
/// without moving what is behind them. So the movie's first box, the index and a box of nothing (`free`) take a multiple of `alignment` bytes
/// together, up to the place of the old first box. On other file systems all packets are moved, and the bytes are the same.
package enum FastStart {
  /// The bytes of a block, of which whole numbers are inserted.
  private static let alignment = 4096
  /// The least bytes of the box of nothing. That of muxers that move packets, which has no content, is not taken for it.
  private static let leastRoom = 16
  /// The most bytes of a movie's first box, `ftyp`.
  private static let longestOpening = 256

  /// Puts the index to the front of a movie whose muxer has finished, and that has it at its end.
  ///
  /// - Throws: `MediaError` `internal` where the movie is not as the muxer writes it; errors of the file; the code for "immediate exit" where the
  ///   file's `goesOn` returned false.
  static func apply(to file: OutputFile) throws(MediaError) {
    guard let (place, index) = try MovieIndex.find(in: file), try file.head(1, from: place + Int64(index.count)).isEmpty,
      case let start = try file.head(longestOpening), let (type, size) = MovieIndex.header(start[...]), type == "ftyp",
      size <= Int64(start.count), let (shift, moved) = moved(index)
    else { throw MediaError(.internal, at: file.path, "the movie is not as its muxer writes it") }
    let opening = Array(start[..<Int(size)])
    // The box of nothing also covers the place of the old first box.
    let room = shift - moved.count
    var head = opening + moved
    for byte in 0..<4 { head.append(UInt8(truncatingIfNeeded: room >> (24 - 8 * byte))) }
    head += Array("free".utf8) + [UInt8](repeating: 0, count: room - 8)
    try file.putInFront(head, inserting: Int64(shift), of: place)
  }

  /// The index for packets that stand so many bytes later that it fits before them, and those bytes; nil where it is not made of boxes.
  package static func moved(_ index: [UInt8]) -> (shift: Int, index: [UInt8])? {
    var length = index.count
    while true {
      let shift = (length + leastRoom + alignment - 1) / alignment * alignment
      guard let (_, content) = box(index[...]), let moved = shifted("moov", content, by: UInt64(shift)) else { return nil }
      guard moved.count > length else { return (shift, moved) }
      // Places beyond 4 GiB take more bytes, which may move others beyond it.
      length = moved.count
    }
  }

  /// The boxes on the way to the places of packets (ISO/IEC 14496-12, 8.7.5).
  private static let containers: Set<String> = ["moov", "trak", "mdia", "minf", "stbl"]

  /// A box in which all places of packets are moved.
  ///
  /// - Returns: nil where its content is none of boxes, or too short.
  private static func shifted(_ type: String, _ content: ArraySlice<UInt8>, by shift: UInt64) -> [UInt8]? {
    guard containers.contains(type) else {
      return ["stco", "co64"].contains(type)
        ? places(content, width: type == "stco" ? 4 : 8, by: shift) : BoxBytes.box(type, Array(content))
    }
    var (made, rest) = ([UInt8](), content)
    while !rest.isEmpty {
      guard let (type, content) = box(rest), let moved = shifted(type, content, by: shift) else { return nil }
      made += moved
      rest = rest[content.endIndex...]
    }
    return BoxBytes.box(type, made)
  }

  /// A table of places, with eight bytes for each where four do not suffice.
  private static func places(_ content: ArraySlice<UInt8>, width: Int, by shift: UInt64) -> [UInt8]? {
    func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    guard content.count >= 8 else { return nil }
    let count = Int(number(content.dropFirst(4).prefix(4)))
    guard content.count == 8 + count * width else { return nil }
    let first = content.startIndex + 8
    let moved = (0..<count).map { number(content[first + $0 * width..<first + ($0 + 1) * width]) + shift }
    let written = moved.allSatisfy { $0 <= UInt64(UInt32.max) } && width == 4 ? 4 : 8
    var table = Array(content.prefix(8))
    table.reserveCapacity(8 + count * written)
    for place in moved {
      for byte in 0..<written { table.append(UInt8(truncatingIfNeeded: place >> UInt64(8 * (written - 1 - byte)))) }
    }
    return BoxBytes.box(written == 4 ? "stco" : "co64", table)
  }

  /// The first box of some; nil where it does not end within them, or has a size of eight bytes.
  private static func box(_ bytes: ArraySlice<UInt8>) -> (type: String, content: ArraySlice<UInt8>)? {
    guard let (type, size) = MovieIndex.header(bytes), size <= Int64(bytes.count),
      bytes.prefix(4).elementsEqual((0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) })
    else { return nil }
    return (type, bytes[bytes.startIndex + 8..<bytes.startIndex + Int(size)])
  }

  // MARK: Reading

  /// The bytes that were inserted in front of a movie's packets: 0 where its index was not put there in this way.
  ///
  /// - Parameter read: gives bytes from a place in the movie, fewer at its end.
  static func insertedByteCount(_ read: (_ place: Int64, _ count: Int) throws(MediaError) -> [UInt8]) throws(MediaError) -> Int64
  {
    var (place, sizes) = (Int64(0), [Int64]())
    for wanted in ["ftyp", "moov", "free"] {
      let head = try read(place, 16)
      guard let (type, size) = MovieIndex.header(head[...]), type == wanted else { return 0 }
      sizes.append(size)
      place += size
      guard place < Int64.max / 4 else { return 0 }
    }
    let inserted = place - sizes[0]
    return sizes[2] >= Int64(leastRoom) && inserted % Int64(alignment) == 0 ? inserted : 0
  }
}

extension OutputFile {
  /// Inserts bytes in front of all that was written, of which the end is cut off, and writes over the beginning.
  ///
  /// - Parameters:
  ///   - head: what the file begins with then; some more bytes than are inserted.
  ///   - count: the bytes that are inserted, a multiple of 4096.
  ///   - end: the place at which what was written is cut off.
  /// - Throws: errors as `check`.
  func putInFront(_ head: [UInt8], inserting count: Int64, of end: Int64) throws(MediaError) {
    try flush()
    guard ftruncate(number, off_t(end)) == 0 else { throw MediaError(-errno, from: "ftruncate", at: path, while: .writing) }
    if spool_insert(number, count) != 0 { try moveAll(by: count, until: end) }
    hash?.insert(count, before: end)
    try replaceHead(by: head)
  }

  /// Moves all bytes towards the end of the file, the last ones first.
  private func moveAll(by shift: Int64, until end: Int64) throws(MediaError) {
    let block: Int64 = 8 << 20
    var start = end
    while start > 0 {
      guard goesOn() else { throw MediaError(spool_AVERROR_EXIT, from: "pwrite", at: path, while: .writing) }
      let from = max(0, start - block)
      let bytes = try self.head(Int(start - from), from: from)
      guard bytes.count == Int(start - from) else {
        throw MediaError(.changed, at: path, "became shorter while it was written")
      }
      let code = SystemCall.write(bytes, to: number, at: from + shift)
      guard code == 0 else { throw MediaError(-code, from: "pwrite", at: path, while: .writing) }
      start = from
    }
  }
}
