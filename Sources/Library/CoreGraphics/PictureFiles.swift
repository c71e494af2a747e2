internal import CCairo
internal import CStillJPEG

extension Raster {
  /// Decodes a file; nil where it is damaged.
  convenience init?(decoding data: Data, _ header: PictureHeader) {
    switch header.kind {
    case .png: self.init(png: data)
    case .jpeg:
      self.init(width: header.width, height: header.height)
      let isWhole = unsafe withBytes { pixels in
        unsafe data.withUnsafeBytes { bytes in
          unsafe spool_still_jpeg_decode(
            bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, pixels.assumingMemoryBound(to: UInt8.self),
            Int32(header.width), Int32(header.height), stride) == 0
        }
      }
      if isWhole != true { return nil }
    }
  }

  private convenience init?(png data: Data) {
    // The reader's place in the bytes.
    var rest = data[...]
    let read: cairo_read_func_t = { place, target, count in
      guard let rest = unsafe place?.assumingMemoryBound(to: Data.SubSequence.self), unsafe rest.pointee.count >= Int(count),
        let target = unsafe target
      else { return CAIRO_STATUS_READ_ERROR }
      unsafe rest.pointee.prefix(Int(count)).copyBytes(to: target, count: Int(count))
      unsafe rest.pointee.removeFirst(Int(count))
      return CAIRO_STATUS_SUCCESS
    }
    let made = unsafe withUnsafeMutablePointer(to: &rest) { unsafe cairo_image_surface_create_from_png_stream(read, $0) }
    guard let source = unsafe made else { return nil }
    defer { unsafe cairo_surface_destroy(source) }
    guard unsafe cairo_surface_status(source) == CAIRO_STATUS_SUCCESS else { return nil }
    self.init(
      width: unsafe Int(cairo_image_surface_get_width(source)), height: unsafe Int(cairo_image_surface_get_height(source)))
    let context = unsafe cairo_create(surface)
    unsafe cairo_set_source_surface(context, source, 0, 0)
    unsafe cairo_set_operator(context, CAIRO_OPERATOR_SOURCE)
    unsafe cairo_paint(context)
    unsafe cairo_destroy(context)
  }

  /// The bytes of a PNG; nil without memory.
  var png: Data? {
    var data = Data()
    let write: cairo_write_func_t = { place, bytes, count in
      guard let data = unsafe place?.assumingMemoryBound(to: Data.self), let bytes = unsafe bytes else {
        return CAIRO_STATUS_WRITE_ERROR
      }
      unsafe data.pointee.append(bytes, count: Int(count))
      return CAIRO_STATUS_SUCCESS
    }
    let status = unsafe withUnsafeMutablePointer(to: &data) { unsafe cairo_surface_write_to_png_stream(surface, write, $0) }
    return status == CAIRO_STATUS_SUCCESS ? data : nil
  }
}

extension CGImage {
  /// The picture as a PNG; nil where it is damaged.
  package var pngData: Data? { raster?.png }

  /// The picture as a JPEG, over black where it is clear; nil where it is damaged.
  ///
  /// - Parameter quality: 0...1.
  package func jpegData(quality: Double) -> Data? {
    guard let raster else { return nil }
    let (width, height, stride) = (raster.width, raster.height, raster.stride)
    return unsafe raster.withBytes { pixels -> Data? in
      var count = 0
      let made = unsafe spool_still_jpeg_encode(
        pixels.assumingMemoryBound(to: UInt8.self), Int32(width), Int32(height), stride,
        Int32((min(max(quality, 0), 1) * 100).rounded()), &count)
      guard let made = unsafe made else { return nil }
      defer { unsafe spool_still_jpeg_free(made) }
      return unsafe Data(bytes: made, count: count)
    } ?? nil
  }

  /// The pixels as red, green, blue and alpha of sRGB, 0...1 and multiplied by alpha, by rows from the top; nil where the picture is
  /// damaged.
  package var floatPixels: [SIMD4<Float>]? {
    guard let raster else { return nil }
    let (width, height, stride) = (raster.width, raster.height, raster.stride)
    return unsafe raster.withBytes { bytes in
      var pixels: [SIMD4<Float>] = []
      pixels.reserveCapacity(width * height)
      for y in 0..<height {
        let row = unsafe (bytes + y * stride).assumingMemoryBound(to: UInt8.self)
        for x in 0..<width {
          let place = x * 4
          unsafe pixels.append(
            SIMD4(Float(row[place + 2]), Float(row[place + 1]), Float(row[place]), Float(row[place + 3])) / 255)
        }
      }
      return pixels
    }
  }
}
