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
