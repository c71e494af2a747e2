internal import CFFmpeg

/// An MPEG transport stream that something else precedes, or stands within.
enum TransportStream {
  private static let packetSize = 188
  private static let syncByte: UInt8 = 0x47
  /// What is looked at.
  private static let window = 1 << 16
  /// Packets that follow each other are a run from so many on: other bytes look like one once in 256 to the power of one less.
  private static let shortestRun = 5
  /// So many packets in runs are no chance.
  private static let leastPackets = 15

  /// Whether the start of the input has runs of packets; the input is then at its start.
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
