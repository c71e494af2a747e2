internal import CFFmpeg
package import Timeline

/// One picture in planar YUV, RGB or gray: a reference to an FFmpeg frame, so that holding or sharing one costs nothing.
///
/// A buffer made here may be written until it is handed on; one that a decoder or another holder shares is for reading.
/// @unchecked Sendable: the frame's fields never change after init except `color`'s, which only the maker sets before
/// handing the buffer on; samples are written by that one maker, and read afterwards.
@safe package final class PixelBuffer: @unchecked Sendable {
  package let format: PixelFormat
  /// Of the first plane, in samples; both positive.
  package let width: Int
  package let height: Int
  /// How the samples stand for colours. Set only by the maker.
  package var color: ColorTags {
    didSet { unsafe frame.pointee.setTags(color) }
  }

  /// Pixel format, size and tags are always those above; strides are never negative.
  var frame: UnsafeMutablePointer<AVFrame> { unsafe owner.pointer }
  private let owner: OwnedFrame

  /// The largest width or height; FFmpeg's and zimg's own limits lie above.
  package static let maxSide = 32_768

  /// A writable picture of undefined content. Rows start on 64-byte borders.
  ///
  /// - Precondition: 0 < width, height <= `maxSide`.
  /// - Throws: `MediaError` `outOfMemory`.
  package init(format: PixelFormat, width: Int, height: Int, color: ColorTags) throws(MediaError) {
    precondition((1...Self.maxSide).contains(width) && (1...Self.maxSide).contains(height))
    owner = try OwnedFrame()
    (self.format, self.width, self.height, self.color) = (format, width, height, color)
    unsafe (frame.pointee.width, frame.pointee.height) = (Int32(width), Int32(height))
    unsafe frame.pointee.format = format.code.rawValue
    unsafe frame.pointee.setTags(color)

    let rows = (0..<format.planeCount).map { plane in
      let size = Self.size(of: plane, in: format, width, height)
      let stride = (size.width * format.bytesPerSample + FramePool.alignment - 1) & ~(FramePool.alignment - 1)
      return (stride: stride, byteCount: stride * size.height)
    }
    // av_malloc aligns to the build's widest vector, which may be less than ours: one more alignment to start on a border.
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

  /// - Precondition: the frame's pixel format is `format`'s, and its strides are positive.
  init(adopting frame: OwnedFrame, format: PixelFormat, color: ColorTags) {
    (self.format, self.color, owner) = (format, color, frame)
    unsafe (width, height) = (Int(frame.pointer.pointee.width), Int(frame.pointer.pointee.height))
    unsafe frame.pointer.pointee.format = format.code.rawValue
    unsafe frame.pointer.pointee.setTags(color)
  }

  /// The samples of plane `index`: `height` rows of `width` samples, `stride` bytes apart. Valid as long as the buffer lives.
  package func plane(_ index: Int) -> (base: UnsafeMutablePointer<UInt8>, stride: Int, width: Int, height: Int) {
    precondition(index < format.planeCount)
    let (data, stride) = unsafe frame.pointee.plane(index)
    let size = Self.size(of: index, in: format, width, height)
    // A frame with this format has all its planes: the makers set them, and decoders are checked when adopted.
    return unsafe (data!, stride, size.width, size.height)
  }

  /// XXH3-128 over the visible rows of the planes, in order.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  package func contentDigest() throws(MediaError) -> ContentDigest {
    let hasher = try ContentHasher()
    unsafe forEachRow { unsafe hasher.update($0) }
    return hasher.digest
  }

  /// MD5 of the picture with its planes packed: what `ffmpeg -f framemd5` prints for the same raw frame.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  package func md5() throws(MediaError) -> String {
    guard let context = unsafe av_md5_alloc() else {
      throw MediaError(.outOfMemory, at: "MD5", "there is not enough memory for its state")
    }
    defer { unsafe av_free(UnsafeMutableRawPointer(context)) }
    unsafe av_md5_init(context)
    unsafe forEachRow { unsafe av_md5_update(context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
    var digest = [UInt8](repeating: 0, count: 16)
    unsafe av_md5_final(context, &digest)
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The visible samples of each row of each plane, in order.
  func forEachRow(_ body: (UnsafeRawBufferPointer) -> Void) {
    for index in 0..<format.planeCount {
      let plane = unsafe plane(index)
      for row in unsafe 0..<plane.height {
        unsafe body(UnsafeRawBufferPointer(start: plane.base + row * plane.stride, count: plane.width * format.bytesPerSample))
      }
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
