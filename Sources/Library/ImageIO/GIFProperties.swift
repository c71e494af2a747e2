internal import CoreGraphics

/// The properties of a file with all of its pictures: of a GIF how often it is shown; none of other files, which have no more than one.
public func CGImageSourceCopyProperties(_ isrc: CGImageSource, _ options: CFDictionary?) -> CFDictionary? {
  guard let gif = isrc.gif else { return isrc.header == nil ? nil : [kCGImagePropertyFileSize: isrc.data.count] }
  let properties: [CFString: Any] = [
    kCGImagePropertyGIFLoopCount: gif.loopCount ?? 1, kCGImagePropertyGIFHasGlobalColorMap: gif.hasGlobalColors,
    kCGImagePropertyGIFCanvasPixelWidth: gif.width, kCGImagePropertyGIFCanvasPixelHeight: gif.height,
    kCGImagePropertyGIFFrameInfoArray: (0..<gif.count).map(gif.times),
  ]
  return [kCGImagePropertyFileSize: isrc.data.count, kCGImagePropertyGIFDictionary: properties]
}

extension GIFPictures {
  /// The properties of a picture, with its time; nil where there is none with this index.
  func properties(at index: Int) -> CFDictionary? {
    guard (0..<count).contains(index) else { return nil }
    return [
      kCGImagePropertyPixelWidth: width, kCGImagePropertyPixelHeight: height, kCGImagePropertyOrientation: UInt32(1),
      kCGImagePropertyHasAlpha: hasAlpha(at: index), kCGImagePropertyDepth: 8, kCGImagePropertyColorModel: "RGB",
      kCGImagePropertyGIFDictionary: times(index),
    ]
  }

  /// How long a picture is shown: as the file says it, and at least the tenth of a second that Image I/O documents.
  fileprivate func times(_ index: Int) -> [CFString: Any] {
    [
      kCGImagePropertyGIFUnclampedDelayTime: delay(at: index),
      kCGImagePropertyGIFDelayTime: max(delay(at: index), 0.1),
    ]
  }
}
