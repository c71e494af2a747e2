internal import CFFmpeg
internal import Glibc
internal import Linux
internal import MediaTime

/// An animated PNG whose pictures each cover the whole frame, as `APNGWriter` makes it, with exact times. FFmpeg's reader rounds each
/// duration to 10 µs, and adds up what it rounded. One thread at a time.
package final class AnimatedPNG {
  /// A picture: its pieces in the file, and its duration in seconds.
  private struct Picture {
    var data: [Range<Int64>] = []
    let duration: Rational
  }

  private let file: InputFile
  private let header: [UInt8]
  private let pictures: [Picture]
  /// The times of the pictures.
  package let times: PacketTimes

  /// The most pieces of a file that are looked at.
  private static let mostChunks = 1 << 24

  /// - Throws: `MediaError`; `unsupported` for pictures that build upon each other, `corrupt` for what is no such file.
  package init(_ path: String, policy: SourcePolicy) throws(MediaError) {
    file = try InputFile(path, policy: policy)
    let damaged = MediaError(.corrupt, at: path, "is no whole animated PNG")
    guard try file.bytes(0..<8) == PNGChunk.signature else { throw damaged }
    var (header, pictures, next, count) = ([UInt8](), [Picture](), Int64(8), 0)
    scan: while true {
      let head = try file.bytes(next..<next + 8)
      guard head.count == 8, count < Self.mostChunks else { throw damaged }
      let payload = next + 8..<next + 8 + Int64(Self.number(head[0..<4]))
      switch String(decoding: head[4...], as: UTF8.self) {
      case "IHDR": header = try file.bytes(payload)
      case "fcTL": pictures.append(try Self.picture(try file.bytes(payload), header, at: path))
      case "IDAT" where !pictures.isEmpty: pictures[pictures.count - 1].data.append(payload)
      case "fdAT" where !pictures.isEmpty && payload.count >= 4:
        pictures[pictures.count - 1].data.append(payload.lowerBound + 4..<payload.upperBound)
      case "IEND": break scan
      default: break
      }
      (next, count) = (payload.upperBound + 4, count + 1)
    }
    guard header.count == 13, !pictures.isEmpty else { throw damaged }
    (self.header, self.pictures) = (header, pictures)
    do {
      var (times, time) = ([Rational](), Rational(0))
      for picture in pictures {
        times.append(time)
        time = try time + picture.duration
      }
      // The numbers are exact. A microsecond is less than any distance that matters.
      self.times = PacketTimes(presentation: times, tick: try Rational(1, over: 1_000_000))
    } catch { throw MediaError(.unsupported, at: path, "its times are too fine") }
  }

  /// Reads the chunk about the picture that follows.
  private static func picture(_ control: [UInt8], _ header: [UInt8], at path: String) throws(MediaError) -> Picture {
    guard control.count == 26, header.count == 13 else { throw MediaError(.corrupt, at: path, "is no whole animated PNG") }
    // The picture's place is the whole frame, which it replaces.
    guard control[4..<12].elementsEqual(header[0..<8]), control[12..<20].allSatisfy({ $0 == 0 }), control[25] == 0 else {
      throw MediaError(.unsupported, at: path, "its pictures build upon each other")
    }
    let (duration, timescale) = (number(control[20..<22]), number(control[22..<24]))
    // A denominator of 0 means hundredths (PNG, third edition, 11.3.6.2).
    guard let seconds = try? Rational(Int128(duration), over: Int128(timescale == 0 ? 100 : timescale)) else {
      throw MediaError(.corrupt, at: path, "is no whole animated PNG")
    }
    return Picture(duration: seconds)
  }

  /// The picture as the bytes of a still PNG.
  ///
  /// - Throws: `MediaError` `unreadable`.
  package func picture(_ index: Int) throws(MediaError) -> [UInt8] {
    var data: [UInt8] = []
    for piece in pictures[index].data { data += try file.bytes(piece) }
    return PNGChunk.signature + PNGChunk.bytes("IHDR", header) + PNGChunk.bytes("IDAT", data) + PNGChunk.bytes("IEND", [])
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

extension InputFile {
  /// Opens a file that was handed over, or that the policy allows.
  ///
  /// - Throws: `MediaError` of kind `unreadable`.
  convenience init(_ path: String, policy: SourcePolicy) throws(MediaError) {
    if let handed = policy.handed[path] {
      try self.init(path, owning: fcntl(handed.descriptor, F_DUPFD_CLOEXEC, 3))
    } else {
      try self.init(path, at: policy.resolve(path))
    }
  }

  /// The bytes of a part of the file; fewer where it ends.
  ///
  /// - Throws: `MediaError` of kind `unreadable`.
  func bytes(_ range: Range<Int64>) throws(MediaError) -> [UInt8] {
    // What a file promises may be more than it has.
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw MediaError(-errno, from: "fstat", at: path) }
    let end = min(range.upperBound, Int64(status.st_size))
    guard range.lowerBound < end else { return [] }
    var bytes = [UInt8](repeating: 0, count: Int(end - range.lowerBound))
    let read = unsafe bytes.withUnsafeMutableBytes { bytes in
      SystemCall.read(bytes.count) {
        unsafe pread(descriptor, bytes.baseAddress! + $0, bytes.count - $0, off_t(range.lowerBound) + off_t($0))
      }
    }
    guard read.code == 0 else { throw MediaError(-read.code, from: "pread", at: path) }
    return Array(bytes.prefix(read.count))
  }
}
