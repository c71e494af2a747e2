internal import CFFmpeg
internal import MediaTime

/// Writes an animated PNG (PNG, third edition, chapter 11.3.6): each picture covers the whole frame, replaces the one before, and is shown
/// for exactly the frame's duration.
struct APNGWriter: AnimationWriter {
  private let file: OutputFile
  private let count: Int64
  private let frameDuration: MediaTime
  private let playCount: Int?
  /// The header of the first picture, which all have.
  private var header: [UInt8] = []
  private var writtenCount: Int64 = 0
  /// The number of chunks of the animation, which count in one sequence.
  private var sequence: UInt32 = 0

  /// - Parameter count: the number of pictures that will come.
  /// - Precondition: the parts of `frameDuration` have 16 bits.
  init(_ file: OutputFile, count: Int64, _ frameDuration: MediaTime, playCount: Int?) {
    precondition(frameDuration.value <= UInt16.max && frameDuration.timescale <= UInt16.max)
    (self.file, self.count, self.frameDuration, self.playCount) = (file, count, frameDuration, playCount)
  }

  mutating func append(_ picture: UnsafeBufferPointer<UInt8>) throws(MediaError) {
    guard let chunks = unsafe PNGChunk.all(in: picture), let first = chunks.first, first.name == "IHDR" else {
      throw MediaError(.corrupt, at: file.path, "picture \(writtenCount) is no PNG")
    }
    let header = unsafe Array(picture[first.payload])
    if writtenCount == 0 {
      self.header = header
      try file.append(PNGChunk.signature)
      try write("IHDR", header)
      try write("acTL", PNGChunk.four(UInt32(clamping: count)) + PNGChunk.four(UInt32(playCount ?? 0)))
    }
    guard header == self.header else {
      throw MediaError(.corrupt, at: file.path, "picture \(writtenCount) is another kind of PNG than the first")
    }
    try writeControl()
    let number = writtenCount == 0 ? [] : numbered()
    var data = number
    data.reserveCapacity(picture.count)
    for chunk in chunks where chunk.name == "IDAT" { unsafe data.append(contentsOf: picture[chunk.payload]) }
    try write(writtenCount == 0 ? "IDAT" : "fdAT", data)
    writtenCount += 1
  }

  mutating func finish() throws(MediaError) {
    guard writtenCount == count else {
      throw MediaError(.internal, at: file.path, "\(writtenCount) pictures instead of \(count)")
    }
    try write("IEND", [])
  }

  /// Writes the chunk that says where and how long the next picture is shown. What was there is neither kept nor blended with.
  private mutating func writeControl() throws(MediaError) {
    let (duration, timescale) = (UInt16(frameDuration.value), UInt16(frameDuration.timescale))
    var control = numbered()
    control += header[0..<8]
    control += [UInt8](repeating: 0, count: 8)  // the offset of the picture
    for number in [duration, timescale] { control += [UInt8(number >> 8), UInt8(number & 255)] }
    control += [0, 0]
    try write("fcTL", control)
  }

  /// The next number of the sequence.
  private mutating func numbered() -> [UInt8] {
    defer { sequence += 1 }
    return PNGChunk.four(sequence)
  }

  private func write(_ name: String, _ payload: [UInt8]) throws(MediaError) {
    try file.append(PNGChunk.bytes(name, payload))
  }
}

/// A chunk of a PNG file.
struct PNGChunk {
  static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

  let name: String
  let payload: Range<Int>

  /// The chunks of a file, in order, up to its end.
  ///
  /// - Returns: nil where it is no PNG, or the last chunk is cut off.
  static func all(in bytes: UnsafeBufferPointer<UInt8>) -> [PNGChunk]? {
    guard unsafe bytes.starts(with: signature) else { return nil }
    var (chunks, next) = ([PNGChunk](), signature.count)
    while next < bytes.count {
      guard next + 12 <= bytes.count else { return nil }
      let length = (0..<4).reduce(0) { unsafe $0 << 8 | Int(bytes[next + $1]) }
      let name = unsafe String(decoding: bytes[next + 4..<next + 8], as: UTF8.self)
      guard next + 12 + length <= bytes.count else { return nil }
      chunks.append(PNGChunk(name: name, payload: next + 8..<next + 8 + length))
      next += 12 + length
    }
    return chunks
  }

  /// A chunk with its length and its checksum.
  static func bytes(_ name: String, _ payload: [UInt8]) -> [UInt8] {
    let content = Array(name.utf8) + payload
    return four(UInt32(payload.count)) + content + four(checksum(content))
  }

  /// A number of 32 bits, the highest byte first.
  static func four(_ number: UInt32) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// The checksum of a chunk's name and payload (CRC-32).
  private static func checksum(_ content: [UInt8]) -> UInt32 {
    unsafe content.withUnsafeBufferPointer {
      unsafe ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UInt32.max, $0.baseAddress, $0.count)
    }
  }
}
