internal import CFFmpeg
package import Formats

/// One picture in planar YUV, RGB or gray, with alpha or without. It refers to an FFmpeg frame, so that holding or sharing a
/// picture costs nothing.
///
/// A buffer that was made here may be written until it is handed on. One that comes from a decoder, or that is shared, is only
/// read.
/// @unchecked Sendable: the frame's fields never change after `init` except for the tags of `color`, which only the maker sets
/// before it hands the buffer on. The samples are written by the maker alone, and only read afterwards.
@safe package final class PixelBuffer: @unchecked Sendable {
  package let format: PixelFormat
  /// The width and height of the first plane, in samples; both positive.
  package let width: Int
  package let height: Int
  /// The alpha of the samples, whose colours are straight: they are not multiplied by it. Nil for a picture that is opaque
  /// throughout.
  package let alpha: Alpha?
  /// The colours that the samples stand for. Only the maker sets them.
  package var color: ColorTags {
    didSet { unsafe frame.pointee.setTags(color) }
  }

  /// The FFmpeg frame. Its pixel format, size and tags always equal the properties above. Its strides are never negative.
  var frame: UnsafeMutablePointer<AVFrame> { unsafe owner.pointer }
  private let owner: OwnedFrame

  /// The largest width or height. The limits of FFmpeg and zimg lie above.
  package static let maxSide = 32_768

  /// Makes a writable picture of undefined content. Rows start at multiples of 64 bytes.
  ///
  /// - Precondition: 0 < width, height <= `maxSide`; `alpha` has the picture's size and format.
  /// - Throws: `MediaError` `outOfMemory`.
  package init(format: PixelFormat, width: Int, height: Int, color: ColorTags, alpha: Alpha? = nil) throws(MediaError) {
    precondition((1...Self.maxSide).contains(width) && (1...Self.maxSide).contains(height))
    precondition(alpha?.fits(format, width, height) ?? true)
    owner = try OwnedFrame()
    (self.format, self.width, self.height, self.color, self.alpha) = (format, width, height, color, alpha)
    unsafe (frame.pointee.width, frame.pointee.height) = (Int32(width), Int32(height))
    unsafe frame.pointee.format = format.code.rawValue
    unsafe frame.pointee.setTags(color)

    let rows = (0..<format.planeCount).map { plane in
      let size = Self.size(of: plane, in: format, width, height)
      let stride = (size.width * format.bytesPerSample + FramePool.alignment - 1) & ~(FramePool.alignment - 1)
      return (stride: stride, byteCount: stride * size.height)
    }
    // av_malloc aligns for the build's widest vector, which may be narrower than `alignment`: one alignment more leaves room to
    // begin at a multiple.
    let total = rows.reduce(FramePool.alignment + FramePool.padding) { $0 + $1.byteCount }
    let buffer = try unsafe FramePool.buffer(total)
    unsafe frame.pointee.buf.0 = buffer
    let start = unsafe UInt(bitPattern: buffer.pointee.data)
    var next = unsafe buffer.pointee.data + Int((0 &- start) % UInt(FramePool.alignment))
    for (plane, row) in rows.enumerated() {
      unsafe frame.pointee.setPlane(plane, next, stride: row.stride)
      unsafe next += row.byteCount
    }
  }

  /// Takes over a decoder's or filter's frame.
  ///
  /// - Precondition: the frame's pixel format is `format`'s, perhaps with a plane of alpha beside it, and its strides are
  ///   positive.
  init(adopting frame: OwnedFrame, format: PixelFormat, color: ColorTags, alpha: Alpha? = nil) {
    (self.format, self.color, self.alpha, owner) = (format, color, alpha, frame)
    unsafe (width, height) = (Int(frame.pointer.pointee.width), Int(frame.pointer.pointee.height))
    unsafe frame.pointer.pointee.format = format.code.rawValue
    unsafe frame.pointer.pointee.setTags(color)
  }

  /// The same samples with other alpha. Nothing is copied.
  ///
  /// - Precondition: `alpha` has the picture's size and format.
  package func with(_ alpha: Alpha?) -> PixelBuffer { PixelBuffer(self, alpha) }

  private init(_ other: PixelBuffer, _ alpha: Alpha?) {
    precondition(alpha?.fits(other.format, other.width, other.height) ?? true)
    (format, width, height, color) = (other.format, other.width, other.height, other.color)
    (self.alpha, owner) = (alpha, other.owner)
  }

  /// The samples of plane `index`: `height` rows of `width` samples. Rows are `stride` bytes apart. The pointer is valid as long
  /// as the buffer lives.
  package func plane(_ index: Int) -> (base: UnsafeMutablePointer<UInt8>, stride: Int, width: Int, height: Int) {
    precondition(index < format.planeCount)
    let (data, stride) = unsafe frame.pointee.plane(index)
    let size = Self.size(of: index, in: format, width, height)
    // A frame of this format has all its planes: `init` sets them, and decoded frames are checked before they are adopted.
    return unsafe (data!, stride, size.width, size.height)
  }

  /// The XXH3-128 of the visible rows of the planes, in order, without alpha.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  package func contentDigest() throws(MediaError) -> ContentDigest {
    let hasher = try ContentHasher()
    unsafe forEachRow { unsafe hasher.update($0) }
    return hasher.digest
  }

  /// The MD5 of the picture with its planes packed, which `ffmpeg -f framemd5` prints for the same raw frame.
  ///
  /// - Parameter hasAlpha: whether a plane of alpha follows the others, in as many bits as they have.
  /// - Throws: `MediaError` `outOfMemory`.
  package func md5(withAlpha hasAlpha: Bool = false) throws(MediaError) -> String {
    guard let context = unsafe av_md5_alloc() else {
      throw MediaError(.outOfMemory, at: "MD5", "there is not enough memory for its state")
    }
    defer { unsafe av_free(UnsafeMutableRawPointer(context)) }
    unsafe av_md5_init(context)
    unsafe forEachRow { unsafe av_md5_update(context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
    if hasAlpha { unsafe forEachRowOfAlpha { unsafe av_md5_update(context, $0.baseAddress, $0.count) } }
    var digest = [UInt8](repeating: 0, count: 16)
    unsafe av_md5_final(context, &digest)
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Calls `body` with the visible samples of each row of each plane, in order.
  func forEachRow(_ body: (UnsafeRawBufferPointer) -> Void) {
    for index in 0..<format.planeCount {
      let plane = unsafe plane(index)
      for row in unsafe 0..<plane.height {
        unsafe body(UnsafeRawBufferPointer(start: plane.base + row * plane.stride, count: plane.width * format.bytesPerSample))
      }
    }
  }

  /// Calls `body` with the alpha of each row, in samples of the picture's depth.
  private func forEachRowOfAlpha(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    for row in 0..<height {
      let codes = alphaCodes(ofRow: row, bitDepth: format.bitDepth)
      let bytes = codes.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)].prefix(format.bytesPerSample) }
      unsafe bytes.withUnsafeBufferPointer(body)
    }
  }

  private static func size(of plane: Int, in format: PixelFormat, _ width: Int, _ height: Int) -> (width: Int, height: Int) {
    let shift = format.shift(ofPlane: plane)
    return ((width + (1 << shift.x) - 1) >> shift.x, (height + (1 << shift.y) - 1) >> shift.y)
  }
}

extension AVFrame {
  /// The first byte and the stride of plane 0, 1 or 2.
  func plane(_ index: Int) -> (data: UnsafeMutablePointer<UInt8>?, stride: Int) {
    switch index {
    case 0: unsafe (data.0, Int(linesize.0))
    case 1: unsafe (data.1, Int(linesize.1))
    default: unsafe (data.2, Int(linesize.2))
    }
  }

  mutating func setPlane(_ index: Int, _ start: UnsafeMutablePointer<UInt8>, stride: Int) {
    switch index {
    case 0: unsafe (data.0, linesize.0) = (start, Int32(stride))
    case 1: unsafe (data.1, linesize.1) = (start, Int32(stride))
    default: unsafe (data.2, linesize.2) = (start, Int32(stride))
    }
  }
}
