extension PixelBuffer {
  /// Bytes of all planes without gaps.
  package var packedByteCount: Int {
    (0..<format.planeCount).reduce(0) { sum, index in
      let plane = unsafe plane(index)
      return unsafe sum + plane.width * plane.height * format.bytesPerSample
    }
  }

  /// The planes in order, row by row, without gaps.
  package func packed() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: packedByteCount) { bytes, count in
      unsafe forEachRow { row in
        unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[count...]).copyMemory(from: row)
        count += row.count
      }
    }
  }

  /// Fills a buffer that was made here with what `packed` gave of one of its format and size.
  ///
  /// - Returns: false when the bytes are not as many; nothing is written then.
  package func unpack(_ packed: [UInt8]) -> Bool {
    guard packed.count == packedByteCount else { return false }
    var offset = 0
    unsafe forEachRow { row in
      unsafe UnsafeMutableRawBufferPointer(mutating: row).copyBytes(from: packed[offset..<offset + row.count])
      offset += row.count
    }
    return true
  }
}
