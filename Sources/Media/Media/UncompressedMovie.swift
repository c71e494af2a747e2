/// Writes a QuickTime movie of uncompressed pictures, each with its time. In this form FFmpeg can be given pictures that it
/// cannot decode.
enum UncompressedMovie {
  /// The bytes of the movie before the samples. The samples follow it without gaps: rows of red, green, blue, and perhaps alpha.
  ///
  /// - Parameters:
  ///   - durations: the durations of the pictures, in milliseconds.
  ///   - keyframes: the indices, in order, of the pictures with which decoding may begin.
  static func head(width: Int, height: Int, hasAlpha: Bool, durations: [UInt32], keyframes: [Int]) -> [UInt8] {
    let brand = atom("ftyp", Array("qt  ".utf8) + four(0) + Array("qt  ".utf8))
    let (sampleSize, total) = (width * height * (hasAlpha ? 4 : 3), durations.reduce(0) { $0 + Int($1) })
    func movie(_ offset: Int) -> [UInt8] {
      let table =
        description(width, height, hasAlpha) + times(durations) + atom("stss", list(keyframes.map { four($0 + 1) }))
        + atom("stsc", list([four(1) + four(durations.count) + four(1)]))
        + atom("stsz", four(0) + four(sampleSize) + four(durations.count)) + atom("co64", list([eight(offset)]))
      let media =
        atom("mdhd", four(1 << 24) + zeros(16) + four(1000) + eight(total) + zeros(4))
        + atom("hdlr", four(0) + Array("mhlrvide".utf8) + zeros(13))
        + atom("minf", atom("vmhd", four(1) + zeros(8)) + atom("stbl", table))
      let header = four(1 << 24 | 3) + zeros(16) + four(1) + four(0) + eight(total) + zeros(16) + matrix
      let track = atom("tkhd", header + four(width << 16) + four(height << 16)) + atom("mdia", media)
      let whole = four(1 << 24) + zeros(16) + four(1000) + eight(total) + four(1 << 16) + zeros(12) + matrix + zeros(24) + four(2)
      return atom("moov", atom("mvhd", whole) + atom("trak", track))
    }
    // The offset takes the same number of bytes whatever its value is.
    let offset = brand.count + movie(0).count + 16
    return brand + movie(offset) + four(1) + Array("mdat".utf8) + eight(16 + sampleSize * durations.count)
  }

  private static func description(_ width: Int, _ height: Int, _ hasAlpha: Bool) -> [UInt8] {
    let size = [width, height].flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    let depth: [UInt8] = hasAlpha ? [0, 32] : [0, 24]
    let entry =
      zeros(6) + [0, 1] + zeros(16) + size + four(72 << 16) + four(72 << 16) + four(0) + [0, 1] + zeros(32) + depth + [
        0xff, 0xff,
      ]
    return atom("stsd", list([atom(hasAlpha ? "RGBA" : "raw ", entry)]))
  }

  /// The table of durations, as runs of equal ones.
  private static func times(_ durations: [UInt32]) -> [UInt8] {
    var runs: [(count: Int, duration: UInt32)] = []
    for duration in durations {
      if runs.last?.duration == duration { runs[runs.count - 1].count += 1 } else { runs.append((1, duration)) }
    }
    return atom("stts", list(runs.map { four($0.count) + four(Int($0.duration)) }))
  }

  private static let matrix = [1 << 16, 0, 0, 0, 1 << 16, 0, 0, 0, 1 << 30].flatMap(four)

  private static func atom(_ name: String, _ content: [UInt8]) -> [UInt8] { four(8 + content.count) + Array(name.utf8) + content }

  private static func list(_ entries: [[UInt8]]) -> [UInt8] { four(0) + four(entries.count) + entries.flatMap(\.self) }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private static func four(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

  private static func eight(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
}
