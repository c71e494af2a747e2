package import Media

/// The digests of frames that follow each other. A frame that is the very picture of the one before, as in a slide show, is not read again.
package struct FrameDigests {
  /// The number of frames that were read.
  package private(set) var readCount = 0
  private var last: (frame: PixelBuffer, digest: ContentDigest)?

  package init() {}

  /// The digest of a frame's samples, without alpha.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  package mutating func digest(of frame: PixelBuffer) throws(MediaError) -> ContentDigest {
    if let last, last.frame === frame { return last.digest }
    readCount += 1
    let digest = try frame.contentDigest()
    last = (frame, digest)
    return digest
  }
}
