package import MediaTime

/// One piece of a stream: pictures and sound with their times, or its end.
///
/// A stream begins with `magic`, and a line of JSON that says which tracks it has. Each record has a head of 32 bytes, little-endian,
/// and the bytes of its samples. A stream that ends without a record of the end was broken off.
package struct SampleRecord: Hashable, Sendable {
  package enum Kind: UInt16, Sendable {
    case samples = 1
    case end = 2
    /// The form of a track's samples that follow, as JSON. Streams of movies to be written have it.
    case form = 3
    /// A fragment begins with the picture that comes next, or where there are no pictures, with the sound that comes next. Where fragments have an
    /// interval, their borders count from the record's time instead.
    case border = 4
    /// No more samples of the track come. Streams of movies in pieces have it, so that no piece waits for them.
    case trackEnd = 5
  }

  package var kind: Kind
  /// The place of the track in the stream's list.
  package var track: Int
  /// The time of the first sample, and the time that all of them last.
  package var time: MediaTime
  package var duration: MediaTime
  package var byteCount: Int

  /// The first bytes of a stream. The digit is the version of the form: both ends are of one version.
  package static let magic = Array("SPOOLS1\n".utf8)
  package static let headByteCount = 32
  /// The most bytes of a record: a picture of the largest sides with three components of 16 bits.
  package static let mostBytes = 32_768 * 32_768 * 6
  /// The most bytes of the line that says which tracks there are.
  package static let longestLine = 1 << 20

  package init(_ kind: Kind, track: Int = 0, time: MediaTime = .zero, duration: MediaTime = .zero, byteCount: Int = 0) {
    (self.kind, self.track, self.time, self.duration, self.byteCount) = (kind, track, time, duration, byteCount)
  }

  /// Reads a record's head.
  ///
  /// - Returns: nil for bytes that are none.
  package init?(head: [UInt8]) {
    guard head.count == Self.headByteCount else { return nil }
    func number(_ place: Int, _ count: Int) -> UInt64 {
      (0..<count).reduce(0) { $0 | UInt64(head[place + $1]) << UInt64(8 * $1) }
    }
    guard let kind = Kind(rawValue: UInt16(number(0, 2))), let timescale = Int32(exactly: number(4, 4)),
      let length = Int32(exactly: number(16, 4)), let byteCount = Int(exactly: number(20, 4) | number(28, 4) << 32),
      byteCount <= Self.mostBytes,
      // Times that are none are refused like all that is damaged.
      let time = try? MediaTime(Int64(bitPattern: number(8, 8)), timescale),
      let duration = try? MediaTime(Int64(number(24, 4)), length)  // Refused like all that is damaged.
    else { return nil }
    self.init(kind, track: Int(number(2, 2)), time: time, duration: duration, byteCount: byteCount)
  }

  /// The record's head. Its duration has a value of at most 32 bits.
  package var head: [UInt8] {
    var bytes: [UInt8] = []
    func add(_ value: UInt64, _ count: Int) {
      for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
    add(UInt64(kind.rawValue), 2)
    add(UInt64(track), 2)
    add(UInt64(time.timescale), 4)
    add(UInt64(bitPattern: time.value), 8)
    add(UInt64(duration.timescale), 4)
    add(UInt64(byteCount) & 0xffff_ffff, 4)
    add(UInt64(clamping: duration.value), 4)
    add(UInt64(byteCount) >> 32, 4)
    return bytes
  }
}
