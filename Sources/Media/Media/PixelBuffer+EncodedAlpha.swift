internal import CFFmpeg

extension PixelBuffer {
  /// A plane of alpha for an encoder, in the picture's depth. An opaque picture has the highest code everywhere.
  @safe struct EncodedAlpha {
    /// The plane's memory, which the receiver owns.
    let buffer: UnsafeMutablePointer<AVBufferRef>
    /// The bytes from one row to the next.
    let stride: Int
  }

  /// - Throws: `MediaError` `outOfMemory`.
  func alphaPlane() throws(MediaError) -> EncodedAlpha {
    let rowByteCount = width * format.bytesPerSample
    let stride = (rowByteCount + FramePool.alignment - 1) / FramePool.alignment * FramePool.alignment
    let buffer = try unsafe FramePool.buffer(stride * height + FramePool.padding)
    let start = unsafe buffer.pointee.data!
    for row in 0..<height {
      let codes = alphaCodes(ofRow: row, bitDepth: format.bitDepth)
      let out = unsafe start + row * stride
      if format.bytesPerSample == 1 {
        for (x, code) in codes.enumerated() { unsafe out[x] = UInt8(truncatingIfNeeded: code) }
      } else {
        let words = unsafe UnsafeMutableRawPointer(out).assumingMemoryBound(to: UInt16.self)
        for (x, code) in codes.enumerated() { unsafe words[x] = code }
      }
    }
    return unsafe EncodedAlpha(buffer: buffer, stride: stride)
  }
}

extension AVFrame {
  /// Adds a plane of alpha after three others, and makes the frame's format the one with alpha.
  ///
  /// - Precondition: the frame has three planes in one of `PixelFormat`'s formats, in at most three buffers.
  mutating func add(_ alpha: PixelBuffer.EncodedAlpha) {
    precondition(unsafe buf.3 == nil, "each plane has one buffer at most")
    guard let code = unsafe PixelFormat(AVPixelFormat(rawValue: format))?.codeWithAlpha else {
      preconditionFailure("the encoder was asked whether it takes the format with alpha")
    }
    unsafe buf.3 = alpha.buffer
    unsafe (data.3, linesize.3) = (alpha.buffer.pointee.data, Int32(alpha.stride))
    unsafe format = code.rawValue
  }
}
