internal import CFFmpeg
internal import Formats
internal import MediaTime

/// Puts the pictures of segments together into an animation, or a roll of them, each picture as its encoder made it: whole, so that no picture builds upon
/// another one, and a joint of segments is like any other place (docs/decisions/0189-animations-are-made-of-whole-pictures.md).
///
/// FFmpeg 5.1 has no muxer that is given whole pictures: of APNG it wants the encoder's own pieces, and of WebP it keeps the pictures of one
/// encoder alone. So the files are written here.
enum AnimationMux {
  /// Writes all pictures of a track to `path`.
  ///
  /// - Parameters:
  ///   - count: the number of pictures.
  ///   - frameDuration: the duration of each.
  ///   - playCount: how many times the animation is played; nil is for ever.
  ///   - advance: goes on to the track's next packet.
  /// - Returns: the file's size and digest.
  /// - Throws: `MediaError`, and what `advance` throws. Nothing is left at `path` then.
  static func write(
    _ track: MovieTrack, count: Int64, to path: String, in folder: OutputFolder?, _ fileType: FileType, hasAlpha: Bool,
    frameDuration: MediaTime, playCount: Int?, advance: () throws -> Void
  ) throws -> FileDigest {
    let file = try OutputFile(path, .hashed(BlockHash()), in: folder)
    let size = unsafe PixelSize(Int(track.parameters.codec.pointee.width), Int(track.parameters.codec.pointee.height))
    var writer: any AnimationWriter =
      switch fileType {
      case .apng: APNGWriter(file, count: count, frameDuration, playCount: playCount)
      case .webp: try WebPWriter(file, size, hasAlpha: hasAlpha, frameDuration, playCount: playCount)
      default: RollWriter(file)
      }
    while !track.isAtEnd {
      try unsafe writer.append(track.packet.bytes)
      try advance()
    }
    try writer.finish()
    return try file.finishMovie()
  }
}

/// Writes an animation from front to back.
protocol AnimationWriter {
  /// Adds the next picture, which is a whole file of a still one.
  ///
  /// - Throws: `MediaError`; `corrupt` for what is no such file.
  mutating func append(_ picture: UnsafeBufferPointer<UInt8>) throws(MediaError)

  /// Writes what stands at the end, and the numbers at the beginning that are known only then.
  mutating func finish() throws(MediaError)
}

extension OutputFile {
  /// Writes bytes at the end.
  ///
  /// - Throws: errors as `check`.
  func append(_ bytes: [UInt8]) throws(MediaError) {
    unsafe bytes.withUnsafeBufferPointer { unsafe avio_write(io, $0.baseAddress, Int32($0.count)) }
    try check(unsafe io.pointee.error, "avio_write")
  }
}
