internal import CFFmpeg

/// A place that packets of fragments are written to, from front to back.
protocol PacketOutput: AnyObject {
  /// Adds a few bytes.
  ///
  /// - Throws: `MediaError` `noSpace`, `cannotWrite`.
  func append(_ bytes: [UInt8]) throws(MediaError)

  /// - Throws: `MediaError` `noSpace`, `cannotWrite`.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(MediaError)
}

extension FragmentOutput: PacketOutput {}

extension OutputFile: PacketOutput {
  func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(MediaError) {
    unsafe avio_write(io, bytes.baseAddress, Int32(bytes.count))
    try check(unsafe io.pointee.error, "avio_write")
  }

  /// The place at which the next byte goes.
  var end: Int64 { unsafe avio_seek(io, 0, SEEK_CUR) }

  /// Writes over all that was written from `start` on, which is not more than `bytes`. What comes next follows them.
  ///
  /// - Throws: errors as `check`.
  func replaceEnd(from start: Int64, by bytes: [UInt8]) throws(MediaError) {
    let place = unsafe avio_seek(io, start, SEEK_SET)
    guard place == start else { throw MediaError(Int32(clamping: place), from: "avio_seek", at: path, while: .writing) }
    try append(bytes)
  }
}

/// A place that an encoder's packets go to, in the order of decoding.
protocol PacketReceiver: AnyObject {
  /// Takes the next packet. Its `pts` counts frames or samples from the start.
  ///
  /// - Parameters:
  ///   - stream: the place of its track.
  ///   - length: the number of frames or samples in the packet.
  func append(_ packet: UnsafeMutablePointer<AVPacket>, to stream: Int, length: Int64) throws(MediaError)
}

/// Bytes of packets in memory.
final class PacketBytes: PacketOutput {
  private(set) var bytes: [UInt8] = []

  func append(_ bytes: [UInt8]) { self.bytes += bytes }
  func write(_ bytes: UnsafeBufferPointer<UInt8>) { unsafe self.bytes += bytes }
}
