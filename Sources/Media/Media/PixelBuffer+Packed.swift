extension PixelBuffer {
  /// The number of bytes of all planes without gaps.
  package var packedByteCount: Int {
    (0..<format.planeCount).reduce(0) { sum, index in
      let plane = unsafe plane(index)
      return unsafe sum + plane.width * plane.height * format.bytesPerSample
    }
  }

  /// The bytes of the planes in order, row by row, without gaps.
  package func packed() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: packedByteCount) { bytes, count in
      unsafe forEachRow { row in
        unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[count...]).copyMemory(from: row)
        count += row.count
      }
    }
  }

  /// The alpha of the pixels in 16 bits, row by row, without gaps. That of an opaque picture is the highest code.
  package func packedAlpha() -> [UInt8] {
    alpha?.full.packed() ?? [UInt8](repeating: 255, count: 2 * width * height)
  }

  /// The picture with the alpha that `packedAlpha` gave; nil where the number of bytes differs.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  package func unpackingAlpha(_ packed: [UInt8]) throws(MediaError) -> PixelBuffer? {
    let full = try Alpha.plane(width, height)
    return full.unpack(packed) ? with(try Alpha(full: full, for: format)) : nil
  }

  /// Fills a buffer that this process made with the bytes of another one of the same format and size, as `packed` gave them.
  ///
  /// - Returns: false where the number of bytes differs; nothing is written then.
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
