internal import CFFmpeg

/// An MPEG transport stream that something else precedes.
enum TransportStream {
  private static let packetSize = 188
  private static let syncByte: UInt8 = 0x47
  /// What may precede it.
  private static let mostJunk = 1 << 16
  /// So many packets in a row are no chance: one in 256 to this power.
  private static let leastPackets = 16

  /// Whether packets follow each other somewhere near the start; the input is then at its start.
  static func isFound(in input: UnsafeMutablePointer<AVIOContext>) -> Bool {
    guard unsafe avio_seek(input, 0, SEEK_SET) == 0 else { return false }
    defer { unsafe avio_seek(input, 0, SEEK_SET) }
    var bytes = [UInt8](repeating: 0, count: mostJunk + leastPackets * packetSize)
    let count = unsafe Int(max(0, avio_read(input, &bytes, Int32(bytes.count))))
    let last = count - (leastPackets - 1) * packetSize
    guard last > 0 else { return false }
    return (0..<last).contains { start in
      (0..<leastPackets).allSatisfy { bytes[start + $0 * packetSize] == syncByte }
    }
  }
}
