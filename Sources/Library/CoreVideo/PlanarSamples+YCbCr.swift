extension CVBuffer {
  func fill(_ form: PixelLayout.Form, _ depth: Int, from start: UnsafeRawPointer) {
    switch form {
    case .planar:
      var source = unsafe start
      for index in unsafe planes.indices {
        let plane = unsafe planes[index]
        for y in unsafe 0..<plane.height {
          unsafe (plane.base + y * plane.bytesPerRow).copyMemory(from: source, byteCount: plane.width)
          unsafe source += plane.width
        }
      }
    case .biplanar: depth > 8 ? unsafe fillPairs(of: UInt16.self, depth, start) : unsafe fillPairs(of: UInt8.self, depth, start)
    case .uyvy: unsafe fillPacked(luma: [1, 3], cb: 0, cr: 2, start)
    case .yuyv: unsafe fillPacked(luma: [0, 2], cb: 1, cr: 3, start)
    }
  }

  func take(_ form: PixelLayout.Form, _ depth: Int, into start: UnsafeMutableRawPointer) {
    switch form {
    case .planar:
      var target = unsafe start
      for index in unsafe planes.indices {
        let plane = unsafe planes[index]
        for y in unsafe 0..<plane.height {
          unsafe target.copyMemory(from: plane.base + y * plane.bytesPerRow, byteCount: plane.width)
          unsafe target += plane.width
        }
      }
    case .biplanar: depth > 8 ? unsafe takePairs(of: UInt16.self, depth, start) : unsafe takePairs(of: UInt8.self, depth, start)
    case .uyvy: unsafe takePacked(luma: [1, 3], cb: 0, cr: 2, start)
    case .yuyv: unsafe takePacked(luma: [0, 2], cb: 1, cr: 3, start)
    }
  }

  /// Core Video has the bits of a sample at the top of its two bytes.
  private func fillPairs<Sample: FixedWidthInteger & BitwiseCopyable>(
    of _: Sample.Type, _ depth: Int, _ start: UnsafeRawPointer
  ) {
    let (size, up) = (MemoryLayout<Sample>.size, Sample.bitWidth - depth)
    let (luma, chroma) = unsafe (planes[0], planes[1])
    var source = unsafe start
    for y in unsafe 0..<luma.height {
      let row = unsafe (luma.base + y * luma.bytesPerRow).assumingMemoryBound(to: Sample.self)
      for x in unsafe 0..<luma.width {
        unsafe row[x] = source.loadUnaligned(fromByteOffset: x * size, as: Sample.self) << Sample(up)
      }
      unsafe source += luma.width * size
    }
    for place in 0..<2 {
      for y in unsafe 0..<chroma.height {
        let row = unsafe (chroma.base + y * chroma.bytesPerRow).assumingMemoryBound(to: Sample.self)
        for x in unsafe 0..<chroma.width {
          unsafe row[2 * x + place] = source.loadUnaligned(fromByteOffset: x * size, as: Sample.self) << Sample(up)
        }
        unsafe source += chroma.width * size
      }
    }
  }

  private func takePairs<Sample: FixedWidthInteger & BitwiseCopyable>(
    of _: Sample.Type, _ depth: Int, _ start: UnsafeMutableRawPointer
  ) {
    let (size, down) = (MemoryLayout<Sample>.size, Sample.bitWidth - depth)
    let (luma, chroma) = unsafe (planes[0], planes[1])
    var target = unsafe start
    for y in unsafe 0..<luma.height {
      let row = unsafe (luma.base + y * luma.bytesPerRow).assumingMemoryBound(to: Sample.self)
      for x in unsafe 0..<luma.width {
        unsafe target.storeBytes(of: row[x] >> Sample(down), toByteOffset: x * size, as: Sample.self)
      }
      unsafe target += luma.width * size
    }
    for place in 0..<2 {
      for y in unsafe 0..<chroma.height {
        let row = unsafe (chroma.base + y * chroma.bytesPerRow).assumingMemoryBound(to: Sample.self)
        for x in unsafe 0..<chroma.width {
          unsafe target.storeBytes(of: row[2 * x + place] >> Sample(down), toByteOffset: x * size, as: Sample.self)
        }
        unsafe target += chroma.width * size
      }
    }
  }

  /// The pairs of pixels of a packed picture. A picture of odd width ends with half a pair.
  private func fillPacked(luma places: [Int], cb: Int, cr: Int, _ start: UnsafeRawPointer) {
    let plane = unsafe planes[0]
    let (pairs, bytes) = unsafe (plane.width, start.assumingMemoryBound(to: UInt8.self))
    let (blue, red) = (width * height, width * height + pairs * height)
    for y in 0..<height {
      let row = unsafe (plane.base + y * plane.bytesPerRow).assumingMemoryBound(to: UInt8.self)
      for x in 0..<width { unsafe row[x / 2 * 4 + places[x % 2]] = bytes[y * width + x] }
      for x in 0..<pairs {
        unsafe row[x * 4 + cb] = bytes[blue + y * pairs + x]
        unsafe row[x * 4 + cr] = bytes[red + y * pairs + x]
      }
    }
  }

  private func takePacked(luma places: [Int], cb: Int, cr: Int, _ start: UnsafeMutableRawPointer) {
    let plane = unsafe planes[0]
    let (pairs, bytes) = unsafe (plane.width, start.assumingMemoryBound(to: UInt8.self))
    let (blue, red) = (width * height, width * height + pairs * height)
    for y in 0..<height {
      let row = unsafe (plane.base + y * plane.bytesPerRow).assumingMemoryBound(to: UInt8.self)
      for x in 0..<width { unsafe bytes[y * width + x] = row[x / 2 * 4 + places[x % 2]] }
      for x in 0..<pairs {
        unsafe bytes[blue + y * pairs + x] = row[x * 4 + cb]
        unsafe bytes[red + y * pairs + x] = row[x * 4 + cr]
      }
    }
  }
}

/// Floats of 16 bits (IEEE 754 binary16), which Swift has not on every processor.
enum HalfFloat {
  static func bits(_ value: Float) -> UInt16 {
    let bits = value.bitPattern
    let (sign, exponent) = (UInt16(bits >> 16) & 0x8000, Int(bits >> 23 & 0xff) - 112)
    let fraction = bits & 0x7f_ffff
    if exponent >= 31 { return sign | 0x7c00 }
    if exponent <= 0 {
      guard exponent >= -10 else { return sign }
      let whole = fraction | 0x80_0000
      let shift = UInt32(14 - exponent)
      return sign | UInt16((whole + (1 << (shift - 1))) >> shift)
    }
    // A carry out of the fraction makes the exponent one larger, as it should.
    return sign + UInt16((UInt32(exponent) << 10) + ((fraction + 0x1000) >> 13))
  }

  static func value(_ bits: UInt16) -> Float {
    let (exponent, fraction) = (Int(bits >> 10 & 0x1f), Float(bits & 0x3ff))
    let sign: Float = bits & 0x8000 == 0 ? 1 : -1
    switch exponent {
    case 0: return sign * fraction * 0x1p-24
    case 31: return fraction == 0 ? sign * .infinity : .nan
    default: return sign * (1 + fraction * 0x1p-10) * Float(sign: .plus, exponent: exponent - 15, significand: 1)
    }
  }
}
