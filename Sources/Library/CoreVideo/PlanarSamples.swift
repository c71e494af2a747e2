/// The layout in which pictures travel between processes: planes without gaps, G, B, R or Y, Cb, Cr. Above 8 bits a sample is a
/// little-endian `UInt16` with the value in its low bits.
package struct PlanarSamples: Hashable, Sendable {
  /// "gbr", "yuv420", "yuv422" or "yuv444".
  package var layout: String
  package var bitDepth: Int
  package var isFullRange: Bool

  package init(layout: String, bitDepth: Int, isFullRange: Bool) {
    (self.layout, self.bitDepth, self.isFullRange) = (layout, bitDepth, isFullRange)
  }

  /// The layout that holds all of a format's precision; nil for a format that has no colours.
  package init?(_ type: OSType) {
    switch PixelLayout(type)?.kind {
    case .rgb(_, _, _, _, let component): self.init(layout: "gbr", bitDepth: component == .byte ? 8 : 16, isFullRange: true)
    case .yuv(let chroma, let depth, let isFull, _):
      self.init(layout: chroma.rawValue, bitDepth: depth, isFullRange: isFull)
    case .components, nil: return nil
    }
  }

  /// The number of bytes of a picture.
  package func byteCount(width: Int, height: Int) -> Int {
    let shift = PixelLayout.Chroma(rawValue: layout)?.shift ?? (x: 0, y: 0)
    let columns: Int = (width + (1 << shift.x) - 1) >> shift.x
    let lines: Int = (height + (1 << shift.y) - 1) >> shift.y
    return (width * height + 2 * columns * lines) * (bitDepth > 8 ? 2 : 1)
  }
}

extension CVBuffer {
  /// Fills the picture with samples in planes.
  ///
  /// - Precondition: `samples` has as many bytes as `PlanarSamples(type)` says for this size.
  package func fill(with samples: [UInt8]) {
    unsafe samples.withUnsafeBytes { source in
      let start = source.baseAddress!
      switch layout.kind {
      case .rgb(let red, let green, let blue, let alpha, let component):
        unsafe fill([red, green, blue], alpha, component, from: start)
      case .yuv(_, let depth, _, let form): unsafe fill(form, depth, from: start)
      case .components: preconditionFailure("a format with colours")
      }
    }
  }

  /// The picture's samples in planes.
  ///
  /// - Precondition: the format has a planar layout.
  package func planarSamples() -> [UInt8] {
    guard let form = PlanarSamples(type) else { preconditionFailure("a format with colours") }
    let count = form.byteCount(width: width, height: height)
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      let start = UnsafeMutableRawPointer(target.baseAddress!)
      switch layout.kind {
      case .rgb(let red, let green, let blue, let alpha, let component):
        unsafe take([red, green, blue], alpha == nil ? 3 : 4, component, into: start)
      case .yuv(_, let depth, _, let form): unsafe take(form, depth, into: start)
      case .components: break
      }
      filled = count
    }
  }

  // MARK: RGB

  /// - Parameter places: those of red, green and blue among a pixel's components.
  private func fill(_ places: [Int], _ alpha: Int?, _ component: PixelLayout.Component, from start: UnsafeRawPointer) {
    let (count, plane) = unsafe (alpha == nil ? 3 : 4, planes[0])
    // The planes come as G, B, R.
    let order = [places[1], places[2], places[0]]
    for y in 0..<height {
      let row = unsafe plane.base + y * plane.bytesPerRow
      for (index, place) in order.enumerated() {
        let first = (index * height + y) * width
        unsafe Self.spread(component, from: start, first, width, into: row, place, step: count)
      }
      if let alpha { unsafe Self.opaque(component, row, alpha, width, step: count) }
    }
  }

  private static func spread(
    _ component: PixelLayout.Component, from start: UnsafeRawPointer, _ first: Int, _ width: Int,
    into row: UnsafeMutableRawPointer, _ place: Int, step: Int
  ) {
    switch component {
    case .byte:
      let (source, target) = unsafe (start + first, row.assumingMemoryBound(to: UInt8.self))
      for x in 0..<width { unsafe target[x * step + place] = source.load(fromByteOffset: x, as: UInt8.self) }
    case .bigEndian16, .littleEndian16, .half, .float:
      for x in 0..<width {
        let value = UInt16(littleEndian: unsafe start.loadUnaligned(fromByteOffset: (first + x) * 2, as: UInt16.self))
        unsafe store(value, component, row, x * step + place)
      }
    }
  }

  private static func store(
    _ value: UInt16, _ component: PixelLayout.Component, _ row: UnsafeMutableRawPointer, _ index: Int
  ) {
    switch component {
    case .byte: unsafe row.storeBytes(of: UInt8(value >> 8), toByteOffset: index, as: UInt8.self)
    case .bigEndian16: unsafe row.storeBytes(of: value.bigEndian, toByteOffset: index * 2, as: UInt16.self)
    case .littleEndian16: unsafe row.storeBytes(of: value.littleEndian, toByteOffset: index * 2, as: UInt16.self)
    case .half: unsafe row.storeBytes(of: HalfFloat.bits(Float(value) / 65_535), toByteOffset: index * 2, as: UInt16.self)
    case .float: unsafe row.storeBytes(of: Float(value) / 65_535, toByteOffset: index * 4, as: Float.self)
    }
  }

  private static func opaque(
    _ component: PixelLayout.Component, _ row: UnsafeMutableRawPointer, _ place: Int, _ width: Int, step: Int
  ) {
    guard component == .byte else {
      for x in 0..<width { unsafe store(65_535, component, row, x * step + place) }
      return
    }
    let target = unsafe row.assumingMemoryBound(to: UInt8.self)
    for x in 0..<width { unsafe target[x * step + place] = 255 }
  }

  private func take(_ places: [Int], _ count: Int, _ component: PixelLayout.Component, into start: UnsafeMutableRawPointer) {
    let plane = unsafe planes[0]
    let order = [places[1], places[2], places[0]]
    for y in 0..<height {
      let row = unsafe plane.base + y * plane.bytesPerRow
      for (index, place) in order.enumerated() {
        let first = (index * height + y) * width
        if component == .byte {
          let (source, target) = unsafe (row.assumingMemoryBound(to: UInt8.self), start + first)
          for x in 0..<width {
            unsafe target.storeBytes(of: source[x * count + place], toByteOffset: x, as: UInt8.self)
          }
        } else {
          for x in 0..<width {
            let value = unsafe Self.load(component, row, x * count + place)
            unsafe start.storeBytes(of: value.littleEndian, toByteOffset: (first + x) * 2, as: UInt16.self)
          }
        }
      }
    }
  }

  private static func load(_ component: PixelLayout.Component, _ row: UnsafeMutableRawPointer, _ index: Int) -> UInt16 {
    func code(_ value: Float) -> UInt16 { value.isNaN ? 0 : UInt16(min(max(value, 0), 1) * 65_535 + 0.5) }
    switch component {
    case .byte: return UInt16(unsafe row.load(fromByteOffset: index, as: UInt8.self)) * 257
    case .bigEndian16: return UInt16(bigEndian: unsafe row.load(fromByteOffset: index * 2, as: UInt16.self))
    case .littleEndian16: return UInt16(littleEndian: unsafe row.load(fromByteOffset: index * 2, as: UInt16.self))
    case .half: return code(HalfFloat.value(unsafe row.load(fromByteOffset: index * 2, as: UInt16.self)))
    case .float: return code(unsafe row.load(fromByteOffset: index * 4, as: Float.self))
    }
  }
}
