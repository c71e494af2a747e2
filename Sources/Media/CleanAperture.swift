internal import CFFmpeg
internal import Timeline

/// Reads clean apertures, which FFmpeg 5.1 does not: the 'clap' box of a picture's sample entry (ISO/IEC 14496-12, 12.1.4).
///
/// A box that breaks the standard's rules is ignored: the picture then has no clean aperture.
// Safe: the context belongs to the demuxer, which lives for the call. Reads stay in buffers of their own.
@safe struct CleanAperture {
  private let io: UnsafeMutablePointer<AVIOContext>
  private let fileSize: Int64

  /// The most boxes that are read at one level. No box on the way to 'clap' has more children in a real file.
  private static let childLimit = 10_000

  private struct Box {
    let type: String
    let content: Range<Int64>
  }

  /// - Parameter demuxer: the demuxer of the file. For a QuickTime file its position is moved, so that it can read no packets
  ///   after this.
  /// - Returns: the aperture of each track's first sample entry, in the order of the tracks, in pixels of a picture of `sizes`;
  ///   nil for a track without one.
  static func all(in demuxer: Demuxer, sizes: [PixelSize?]) -> [Rect?] {
    guard demuxer.formatName.hasPrefix("mov"), let io = unsafe demuxer.context.pointee.pb else { return sizes.map { _ in nil } }
    let reader = unsafe CleanAperture(io: io, fileSize: avio_size(io))
    let tracks =
      reader.children(of: 0..<reader.fileSize, named: "moov").first
      .map { reader.children(of: $0.content, named: "trak") } ?? []
    return sizes.enumerated().map { index, size in
      guard let size, index < tracks.count else { return nil }
      return reader.aperture(of: tracks[index], size)
    }
  }

  private func aperture(of track: Box, _ size: PixelSize) -> Rect? {
    var table = track
    for type in ["mdia", "minf", "stbl", "stsd"] {
      guard let next = children(of: table.content, named: type).first else { return nil }
      table = next
    }
    // The first 8 bytes are version, flags and the count of entries (8.5.2). The first 78 of an entry are its own fields
    // (12.1.3).
    guard let entry = children(of: table.content.dropFirst(8)).first,
      let box = children(of: entry.content.dropFirst(78), named: "clap").first,
      let bytes = bytes(box.content.lowerBound, 32), box.content.count >= 32
    else { return nil }
    let terms = (0..<8).map { Int32(bitPattern: Self.number(bytes[$0 * 4..<$0 * 4 + 4])) }
    guard terms[1] > 0, terms[3] > 0, terms[5] > 0, terms[7] > 0 else { return nil }
    func quotient(_ index: Int) -> Double { Double(terms[index]) / Double(terms[index + 1]) }
    let (width, height) = (quotient(0), quotient(2))
    let x = (Double(size.width) - width) / 2 + quotient(4)
    let y = (Double(size.height) - height) / 2 + quotient(6)
    let aperture = Rect(x, y, width, height)
    // An aperture of less than half a pixel shows nothing, and one that reaches outside the picture is invalid.
    guard width >= 0.5, height >= 0.5, x >= 0, y >= 0, aperture.maxX <= Double(size.width), aperture.maxY <= Double(size.height)
    else { return nil }
    return aperture == Rect(size) ? nil : aperture
  }

  // MARK: - Boxes

  private func children(of range: Range<Int64>, named type: String? = nil) -> [Box] {
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

  private func bytes(_ position: Int64, _ count: Int) -> [UInt8]? {
    guard position <= fileSize - Int64(count), unsafe avio_seek(io, position, SEEK_SET) == position else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe avio_read(io, &bytes, Int32(count)) == Int32(count) ? bytes : nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}

extension Range<Int64> {
  fileprivate func dropFirst(_ count: Int64) -> Range<Int64> { Swift.min(lowerBound + count, upperBound)..<upperBound }
}
