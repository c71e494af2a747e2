internal import CFFmpeg
internal import Formats
internal import MediaTime

/// Writes an animated WebP (RFC 9649, chapter 2.7): each picture covers the whole canvas, and replaces the one before. Times are rounded to
/// milliseconds, in which the format counts.
struct WebPWriter: AnimationWriter {
  private let file: OutputFile
  private let size: PixelSize
  private let frameDuration: MediaTime
  private var writtenCount: Int64 = 0
  /// The bytes of the file so far.
  private var byteCount = 0

  /// - Precondition: sides have at most 14 bits.
  init(_ file: OutputFile, _ size: PixelSize, hasAlpha: Bool, _ frameDuration: MediaTime, playCount: Int?) throws(MediaError) {
    (self.file, self.size, self.frameDuration) = (file, size, frameDuration)
    // The flags say that it is animated, and whether any picture has alpha. The canvas' own colour is clear.
    let flags: [UInt8] = [hasAlpha ? 0x12 : 0x02, 0, 0, 0]
    let canvas = Self.bytes(size.width - 1, 3) + Self.bytes(size.height - 1, 3)
    let control = [0, 0, 0, 0] + Self.bytes(playCount ?? 0, 2)
    try write(Self.fileHeader(0))
    try write(Self.chunk("VP8X", flags + canvas))
    try write(Self.chunk("ANIM", control))
  }

  mutating func append(_ picture: UnsafeBufferPointer<UInt8>) throws(MediaError) {
    let chunks = unsafe WebPChunk.all(in: picture, from: 12) ?? []
    let coded = chunks.filter { ["ALPH", "VP8 ", "VP8L"].contains($0.name) }
    guard picture.count > 12, coded.contains(where: { $0.name != "ALPH" }) else {
      throw MediaError(.corrupt, at: file.path, "picture \(writtenCount) is no WebP")
    }
    let length = coded.reduce(0) { $0 + 8 + $1.payload.count + $1.payload.count & 1 }
    guard byteCount + length + 24 <= ForeignPicture.maxBytes else {
      throw MediaError(
        .unsupported, at: file.path,
        "an animated webp of more than \(ForeignPicture.maxBytes >> 20) MiB is not made: export a movie, or smaller pictures")
    }
    let milliseconds = Int(time(writtenCount + 1) - time(writtenCount))
    let place = Self.bytes(0, 6) + Self.bytes(size.width - 1, 3) + Self.bytes(size.height - 1, 3)
    // The last byte says that the picture is not blended with what was there.
    try write(Array("ANMF".utf8) + Self.bytes(16 + length, 4) + place + Self.bytes(milliseconds, 3) + [2])
    for chunk in coded { try unsafe write(Self.chunk(chunk.name, Array(picture[chunk.payload]))) }
    writtenCount += 1
  }

  mutating func finish() throws(MediaError) {
    try file.flush()
    try file.replaceHead(by: Self.fileHeader(byteCount - 8))
  }

  /// The time of a picture in milliseconds, to the nearest.
  private func time(_ index: Int64) -> Int64 { av_rescale(index * frameDuration.value, 1000, Int64(frameDuration.timescale)) }

  private mutating func write(_ bytes: [UInt8]) throws(MediaError) {
    try file.append(bytes)
    byteCount += bytes.count
  }

  private static func fileHeader(_ size: Int) -> [UInt8] { Array("RIFF".utf8) + bytes(size, 4) + Array("WEBP".utf8) }

  /// A chunk of an even length.
  private static func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
    Array(name.utf8) + bytes(payload.count, 4) + payload + [UInt8](repeating: 0, count: payload.count & 1)
  }

  /// A number in `count` bytes, the lowest first.
  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
