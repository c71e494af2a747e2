internal import CFFmpeg
internal import Formats

// The orientation in PNG and TIFF, which FFmpeg's decoders do not tell.
extension Orientation {
  /// The orientation that a file of PNG states in its chunk eXIf, or one of TIFF in its first directory (tag 274).
  ///
  /// It is nil where the file states none, is of another kind, or is not well formed.
  ///
  /// - Parameter packet: the whole file.
  init?(statedIn packet: UnsafeMutablePointer<AVPacket>, _ parameters: UnsafeMutablePointer<AVCodecParameters>) {
    guard let data = unsafe packet.pointee.data else { return nil }
    let count = unsafe Int(packet.pointee.size)
    let file = EXIFFile { unsafe 0..<count ~= $0 ? data[$0] : nil }
    switch unsafe parameters.pointee.codec_id {
    case AV_CODEC_ID_PNG: self.init(rawValue: file.placeInPNG.flatMap { file.orientation(at: $0) } ?? 0)
    case AV_CODEC_ID_TIFF: self.init(rawValue: file.orientation(at: 0) ?? 0)
    default: return nil
    }
  }
}

/// The bytes of a file, in which TIFF's directories are looked for. Each byte is nil beyond the file's end.
private struct EXIFFile {
  let byte: (Int) -> UInt8?

  private func number(at place: Int, bytes: Int, isLittle: Bool) -> Int? {
    (0..<bytes).reduce(into: Optional(0)) { number, index in
      let next = byte(place + (isLittle ? bytes - 1 - index : index))
      number = number.flatMap { number in next.map { number << 8 | Int($0) } }
    }
  }

  private func has(_ text: String, at place: Int) -> Bool {
    text.utf8.enumerated().allSatisfy { byte(place + $0) == $1 }
  }

  /// The first byte of what a PNG's chunk eXIf holds.
  var placeInPNG: Int? {
    var place = 8
    // Each chunk has 12 bytes beside its data, so this ends.
    while let length = number(at: place, bytes: 4, isLittle: false) {
      if has("eXIf", at: place + 4) { return place + 8 }
      place += 12 + length
    }
    return nil
  }

  /// The value of the tag 274 of the first directory, of a structure of TIFF that begins at a place (TIFF 6.0, sections 2 and 8).
  func orientation(at start: Int) -> Int? {
    let isLittle = has("II*\0", at: start)
    guard isLittle || has("MM\0*", at: start) else { return nil }
    guard let directory = number(at: start + 4, bytes: 4, isLittle: isLittle).map({ start + $0 }),
      let entries = number(at: directory, bytes: 2, isLittle: isLittle)
    else { return nil }
    for entry in (0..<entries).map({ directory + 2 + 12 * $0 }) {
      guard let tag = number(at: entry, bytes: 2, isLittle: isLittle) else { return nil }
      guard tag == 274, let kind = number(at: entry + 2, bytes: 2, isLittle: isLittle) else { continue }
      // A SHORT or a LONG.
      return kind == 3 || kind == 4 ? number(at: entry + 8, bytes: kind == 3 ? 2 : 4, isLittle: isLittle) : nil
    }
    return nil
  }
}
