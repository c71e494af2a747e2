internal import CFFmpeg
internal import Formats

extension PixelBuffer {
  /// The alpha of a picture: the share, 0...65535 for 0...1, of each sample that covers what lies below. It has 16 bits whatever
  /// the depth of the samples. It never changes, so pictures may share it.
  ///
  /// Samples of chroma have an alpha of their own where they stand for several pixels. It is that of their cell's pixels, filtered
  /// at the sample's site. So a blend of each plane with its own alpha gives what blending in full resolution would give.
  package struct Alpha: Sendable {
    /// The alpha of each pixel: gray, of 16 bits, in the picture's size.
    package let full: PixelBuffer
    /// The alpha of each sample of chroma, in the size of a plane of chroma; nil where chroma is not subsampled.
    package let chroma: PixelBuffer?
    /// The runs of samples that cover something in `full`, and in `chroma`; nil where nobody looked for them.
    package private(set) var runs: (full: AlphaRuns, chroma: AlphaRuns?)?

    package static let format = PixelFormat(.gray, bitDepth: 16)
    /// The alpha of an opaque sample.
    package static let opaque = UInt16.max

    /// - Precondition: the pictures are gray of 16 bits.
    package init(full: PixelBuffer, chroma: PixelBuffer?) {
      precondition(full.format == Self.format && chroma?.format ?? Self.format == Self.format)
      (self.full, self.chroma) = (full, chroma)
    }

    /// Makes the alpha of a picture in `format` from that of its pixels.
    ///
    /// - Throws: `MediaError` `outOfMemory`.
    package init(full: PixelBuffer, for format: PixelFormat) throws(MediaError) {
      self.init(full: full, chroma: try full.alphaOfChroma(in: format))
    }

    /// The alpha of the samples of plane `index`.
    package func samples(ofPlane index: Int) -> PixelBuffer { index == 0 ? full : chroma ?? full }

    /// The runs of samples that cover something in the alpha of plane `index`; nil where nobody looked for them.
    package func runs(ofPlane index: Int) -> AlphaRuns? { index == 0 ? runs?.full : runs?.chroma ?? runs?.full }

    /// The same alpha for a picture that is laid over many frames: what it covers was looked for.
    package var withRuns: Alpha {
      var alpha = self
      alpha.runs = (AlphaRuns(of: full), chroma.map { AlphaRuns(of: $0) })
      return alpha
    }

    /// A writable plane of alpha.
    ///
    /// - Throws: `MediaError` `outOfMemory`.
    package static func plane(_ width: Int, _ height: Int) throws(MediaError) -> PixelBuffer {
      try PixelBuffer(format: format, width: width, height: height, color: ColorTags(.bt709, .bt709, .bt709, .full))
    }

    /// Whether this is alpha for a picture of the format and size.
    func fits(_ format: PixelFormat, _ width: Int, _ height: Int) -> Bool {
      let shift = format.shift(ofPlane: format.planeCount - 1)
      let size = ((width + (1 << shift.x) - 1) >> shift.x, (height + (1 << shift.y) - 1) >> shift.y)
      let isOfChroma = chroma.map { ($0.width, $0.height) == size } ?? (shift == (0, 0))
      return (full.width, full.height) == (width, height) && isOfChroma && (chroma == nil || shift != (0, 0))
    }
  }

  /// The plane of alpha with no more values than so many bits can hold: each is the nearest one, as a decoder gives it.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  package func alpha(ofBits bitDepth: Int) throws(MediaError) -> PixelBuffer {
    let made = try Alpha.plane(width, height)
    let (fall, rise) = (SampleScale(from: 16, to: bitDepth), SampleScale(from: bitDepth, to: 16))
    for y in 0..<height {
      let (source, target) = unsafe (words(y), made.words(y))
      for x in 0..<width { unsafe target[x] = rise(fall(source[x])) }
    }
    return made
  }

  /// The alpha of the pixels of a row in codes of `bitDepth` bits. An opaque picture has the highest code.
  package func alphaCodes(ofRow row: Int, bitDepth: Int) -> [UInt16] {
    guard let full = alpha?.full else { return [UInt16](repeating: UInt16((1 << bitDepth) - 1), count: width) }
    let scale = SampleScale(from: 16, to: bitDepth)
    let shares = unsafe full.words(row)
    return (0..<width).map { unsafe scale(shares[$0]) }
  }

  /// A row of a plane of 16 bits.
  func words(_ row: Int, ofPlane index: Int = 0) -> UnsafeMutablePointer<UInt16> {
    let plane = unsafe plane(index)
    return unsafe UnsafeMutableRawPointer(plane.base + row * plane.stride).assumingMemoryBound(to: UInt16.self)
  }

  /// The alpha of chroma, of which this is the alpha of the pixels; nil where the format has no subsampled chroma.
  ///
  /// A sample of chroma is at the left of its cell. Its alpha is that of the columns before, at and after it, with shares of 1/4,
  /// 1/2 and 1/4, and of the cell's rows evenly. Beyond the picture's edge its outermost pixels go on.
  private func alphaOfChroma(in format: PixelFormat) throws(MediaError) -> PixelBuffer? {
    let shift = format.shift(ofPlane: format.planeCount - 1)
    guard shift != (0, 0) else { return nil }
    let rows = 1 << shift.y
    let made = try Alpha.plane((width + 1) >> shift.x, (height + rows - 1) >> shift.y)
    let half = UInt32(2 * rows)
    for y in 0..<made.height {
      let (above, below) = unsafe (words(y << shift.y), words(min((y << shift.y) + rows - 1, height - 1)))
      let out = unsafe made.words(y)
      for x in 0..<made.width {
        let (middle, before, after) = (2 * x, max(2 * x - 1, 0), min(2 * x + 1, width - 1))
        var sum = unsafe UInt32(above[before]) + 2 * UInt32(above[middle]) + UInt32(above[after])
        if rows > 1 { sum += unsafe UInt32(below[before]) + 2 * UInt32(below[middle]) + UInt32(below[after]) }
        unsafe out[x] = UInt16((sum + half) / (2 * half))
      }
    }
    return made
  }
}

extension PixelBuffer.Alpha {
  /// The alpha in a decoder's frame; nil where it has none, or is opaque throughout.
  ///
  /// - Parameter format: the format of the picture.
  /// - Throws: `MediaError` `outOfMemory`.
  init?(of raw: AVFrame, _ format: PixelFormat) throws(MediaError) {
    let code = unsafe AVPixelFormat(rawValue: raw.format)
    guard let descriptor = unsafe av_pix_fmt_desc_get(code), let source = unsafe AlphaSource(descriptor) else { return nil }
    let (width, height) = unsafe (Int(raw.width), Int(raw.height))
    let full = try Self.plane(width, height)
    var data: [UnsafePointer<UInt8>?] = unsafe [
      UnsafePointer(raw.data.0), UnsafePointer(raw.data.1), UnsafePointer(raw.data.2), UnsafePointer(raw.data.3),
    ]
    let strides = unsafe [raw.linesize.0, raw.linesize.1, raw.linesize.2, raw.linesize.3]
    var line = [UInt16](repeating: 0, count: width)
    var least = Self.opaque
    for y in 0..<height {
      unsafe av_read_image_line2(&line, &data, strides, descriptor, 0, Int32(y), source.component, Int32(width), 0, 2)
      if source.isPaletted { unsafe PixelBuffer.look(up: &line, 3, raw.data.1!) }
      let out = unsafe full.words(y)
      for x in 0..<width {
        let share = source.shares[Int(line[x])]
        least = min(least, share)
        unsafe out[x] = share
      }
    }
    if least == Self.opaque { return nil }
    try self.init(full: full, for: format)
  }
}

/// The place of alpha in the samples of an FFmpeg format.
private struct AlphaSource {
  let component: Int32
  let isPaletted: Bool
  /// The alpha of each value of a sample.
  let shares: [UInt16]

  /// Nil for a format without alpha.
  init?(_ descriptor: UnsafePointer<AVPixFmtDescriptor>) {
    guard unsafe descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 else { return nil }
    isPaletted = unsafe descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0
    component = isPaletted ? 0 : unsafe Int32(descriptor.pointee.nb_components) - 1
    let depth = unsafe component == 1 ? descriptor.pointee.comp.1.depth : descriptor.pointee.comp.3.depth
    let scale = SampleScale(from: isPaletted ? 8 : Int(depth), to: 16)
    shares = (0..<1 << (isPaletted ? 8 : Int(depth))).map { scale(UInt16($0)) }
  }
}
