internal import CFFmpeg

/// Finds an MPEG transport stream that does not begin at the start of a file, or that is interrupted.
enum TransportStream {
  private static let packetSize = 188
  private static let syncByte: UInt8 = 0x47
  /// The number of bytes that are examined.
  private static let window = 1 << 16
  /// The least number of consecutive packets that count as a run. In random bytes a sync byte begins such a run once in 256^4
  /// times.
  private static let shortestRun = 5
  /// The number of packets in runs that is no coincidence.
  private static let leastPackets = 15

  /// Whether the start of the input has enough runs of packets. Afterwards the input is at its start.
  static func isFound(in input: UnsafeMutablePointer<AVIOContext>) -> Bool {
    guard unsafe avio_seek(input, 0, SEEK_SET) == 0 else { return false }
    defer { unsafe avio_seek(input, 0, SEEK_SET) }
    var bytes = [UInt8](repeating: 0, count: window)
    let count = unsafe Int(max(0, avio_read(input, &bytes, Int32(bytes.count))))
    var (start, packets) = (0, 0)
    while start < count, packets < leastPackets {
      let run = stride(from: start, to: count, by: packetSize).prefix { bytes[$0] == syncByte }.count
      if run >= shortestRun { packets += run }
      start += run >= shortestRun ? run * packetSize : 1
    }
    return packets >= leastPackets
  }
}
