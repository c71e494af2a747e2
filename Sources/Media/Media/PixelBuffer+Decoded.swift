internal import CFFmpeg
internal import Formats

extension PixelFormat {
  /// The planar format that can hold the samples of FFmpeg's format without loss, except for alpha, which is held beside them
  /// (`PixelBuffer.Alpha`). Components of fewer than 8 bits become 8. Chroma that is sampled more sparsely than 4:2:0 or 4:2:2, or only by lines, is repeated. Nil
  /// for formats without integer samples in memory: hardware surfaces, floating point, Bayer mosaics, XYZ.
  init?(holding code: AVPixelFormat) {
    if let same = PixelFormat(code) ?? PixelFormat(besideAlphaPlane: code) {
      self = same
      return
    }
    guard let descriptor = unsafe av_pix_fmt_desc_get(code)?.pointee else { return nil }
    let refused = UInt64(AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER)
    let isXYZ = code == AV_PIX_FMT_XYZ12LE || code == AV_PIX_FMT_XYZ12BE
    let depth = unsafe Int(max(descriptor.comp.0.depth, descriptor.comp.1.depth, descriptor.comp.2.depth))
    guard unsafe descriptor.flags & refused == 0, !isXYZ, let bitDepth = [8, 9, 10, 12, 14, 16].first(where: { $0 >= depth })
    else {
      return nil
    }
    let isRGB = unsafe descriptor.flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0
    let layout: Layout? =
      if isRGB {
        .gbr
      } else if unsafe descriptor.nb_components < 3 {
        .gray
      } else {
        switch unsafe (descriptor.log2_chroma_w, descriptor.log2_chroma_h) {
        case (0, _): .yuv444
        case (_, 0): .yuv422
        case (_, _): .yuv420
        }
      }
    guard let layout else { return nil }
    self.init(layout, bitDepth: bitDepth)
  }
}

extension PixelBuffer {
  /// The picture in a decoder's frame. A frame whose format is one of `PixelFormat` is adopted as it is, also with a plane of
  /// alpha beside it. Any other is repacked into planes with the same samples.
  ///
  /// - Parameters:
  ///   - fallback: the stream's tags, for those that the frame leaves unknown.
  ///   - form: the form of the stream's alpha; nil leaves alpha out.
  /// - Throws: `MediaError` `unsupported` for samples that no `PixelFormat` holds, `outOfMemory`.
  static func decoded(
    _ frame: OwnedFrame, fallback: ColorTags, alpha form: AlphaForm?, at place: String
  ) throws(MediaError) -> PixelBuffer {
    let raw = unsafe frame.pointer.pointee
    let code = unsafe AVPixelFormat(rawValue: raw.format)
    let (width, height) = unsafe (Int(raw.width), Int(raw.height))
    guard (1...maxSide).contains(width), (1...maxSide).contains(height) else {
      throw MediaError(.unsupported, at: place, "has pictures of \(width)x\(height)")
    }
    guard let format = PixelFormat(holding: code) else {
      throw MediaError(.unsupported, at: place, "the pixel format \(Self.name(of: code)) is not supported")
    }
    let color = unsafe raw.tags(fallback: fallback, code)
    let isUpright = unsafe raw.linesize.0 > 0 && raw.linesize.1 >= 0 && raw.linesize.2 >= 0
    let alpha = form == nil ? nil : try unsafe Alpha(of: raw, format)
    let buffer: PixelBuffer
    if PixelFormat(code) ?? PixelFormat(besideAlphaPlane: code) == format, isUpright {
      buffer = PixelBuffer(adopting: frame, format: format, color: color, alpha: alpha)
    } else {
      buffer = try PixelBuffer(format: format, width: width, height: height, color: color, alpha: alpha)
      unsafe buffer.repack(raw, av_pix_fmt_desc_get(code)!)
    }
    return try form.map { (form) throws(MediaError) in try buffer.straightened(from: form) } ?? buffer
  }

  static func name(of code: AVPixelFormat) -> String {
    guard let name = unsafe av_get_pix_fmt_name(code) else { return "unknown" }
    return unsafe String(cString: name)
  }

  /// Copies the samples of any packing, component order and shift: FFmpeg reads each component of each line by its description of
  /// the format (av_read_image_line2).
  private func repack(_ raw: AVFrame, _ descriptor: UnsafePointer<AVPixFmtDescriptor>) {
    let isPaletted = unsafe descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
    let depths = unsafe [descriptor.pointee.comp.0.depth, descriptor.pointee.comp.1.depth, descriptor.pointee.comp.2.depth]
    let chroma = unsafe (x: Int(descriptor.pointee.log2_chroma_w), y: Int(descriptor.pointee.log2_chroma_h))
    var data: [UnsafePointer<UInt8>?] = unsafe [
      UnsafePointer(raw.data.0), UnsafePointer(raw.data.1), UnsafePointer(raw.data.2), UnsafePointer(raw.data.3),
    ]
    let strides = unsafe [raw.linesize.0, raw.linesize.1, raw.linesize.2, raw.linesize.3]
    var line = [UInt16](repeating: 0, count: width)
    for index in 0..<format.planeCount {
      let plane = unsafe plane(index)
      // The planes of RGB are in the order G, B, R, but its components in the order R, G, B. A palette's indices are the only
      // component.
      let color = format.layout == .gbr ? [1, 2, 0][index] : index
      let component = isPaletted ? 0 : color
      let isChroma = format.layout != .gbr && index > 0
      let sourceWidth = isChroma ? (width + (1 << chroma.x) - 1) >> chroma.x : width
      let shift = format.shift(ofPlane: index)
      let (extraX, extraY) = isChroma ? (chroma.x - shift.x, chroma.y - shift.y) : (0, 0)
      let scale = SampleScale(from: isPaletted ? 8 : Int(depths[component]), to: format.bitDepth)
      for row in unsafe 0..<plane.height {
        unsafe av_read_image_line2(
          &line, &data, strides, descriptor, 0, Int32(row >> extraY), Int32(component), Int32(sourceWidth), 0, 2)
        if isPaletted { unsafe Self.look(up: &line, color, raw.data.1!) }
        let out = unsafe plane.base + row * plane.stride
        if format.bytesPerSample == 1 {
          for x in unsafe 0..<plane.width { unsafe out[x] = UInt8(truncatingIfNeeded: scale(line[x >> extraX])) }
        } else {
          let wide = unsafe UnsafeMutableRawPointer(out).assumingMemoryBound(to: UInt16.self)
          for x in unsafe 0..<plane.width { unsafe wide[x] = scale(line[x >> extraX]) }
        }
      }
    }
  }
}

extension PixelBuffer {
  /// Replaces palette indices by one component of their colours: 0 is red, 1 green, 2 blue, 3 alpha. The palette has 32-bit words
  /// with alpha in the highest byte.
  static func look(up line: inout [UInt16], _ component: Int, _ palette: UnsafePointer<UInt8>) {
    let words = unsafe UnsafeRawPointer(palette)
    let shift = UInt32([16, 8, 0, 24][component])
    for x in line.indices {
      let word = unsafe words.loadUnaligned(fromByteOffset: Int(line[x] & 255) * 4, as: UInt32.self)
      line[x] = UInt16(word >> shift & 255)
    }
  }
}

/// Scales a component of fewer bits so that its largest value becomes the largest of more bits. Where the depths are equal,
/// samples stay as they are.
struct SampleScale {
  private let top: UInt32
  private let sourceTop: UInt32

  init(from depth: Int, to bitDepth: Int) {
    (sourceTop, top) = ((1 << depth) - 1, (1 << bitDepth) - 1)
  }

  func callAsFunction(_ sample: UInt16) -> UInt16 {
    sourceTop == top ? sample : UInt16(truncatingIfNeeded: (UInt32(sample) * top + sourceTop / 2) / sourceTop)
  }
}

extension AVFrame {
  /// The frame's own tags, with `fallback` for those that it leaves unknown.
  func tags(fallback: ColorTags, _ code: AVPixelFormat) -> ColorTags {
    let isRGB = PixelFormat(holding: code)?.layout == .gbr
    var own = unsafe ColorTags(
      primaries: color_primaries, transfer: color_trc, matrix: colorspace, range: color_range, isRGB: isRGB)
    if own.primaries == .unknown { own.primaries = fallback.primaries }
    if own.transfer == .unknown { own.transfer = fallback.transfer }
    if own.matrix == .unknown { own.matrix = fallback.matrix }
    if [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P].contains(code) {
      own.range = .full
    } else if unsafe color_range == AVCOL_RANGE_UNSPECIFIED {
      own.range = fallback.range
    }
    return own
  }
}
