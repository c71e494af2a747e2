public let kCMFormatDescriptionExtension_PixelAspectRatio: CFString = kCVImageBufferPixelAspectRatioKey
public let kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing: CFString =
  kCVImageBufferPixelAspectRatioHorizontalSpacingKey
public let kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing: CFString = kCVImageBufferPixelAspectRatioVerticalSpacingKey
public let kCMFormatDescriptionExtension_CleanAperture: CFString = kCVImageBufferCleanApertureKey
public let kCMFormatDescriptionKey_CleanApertureWidth: CFString = kCVImageBufferCleanApertureWidthKey
public let kCMFormatDescriptionKey_CleanApertureHeight: CFString = kCVImageBufferCleanApertureHeightKey
public let kCMFormatDescriptionKey_CleanApertureHorizontalOffset: CFString = kCVImageBufferCleanApertureHorizontalOffsetKey
public let kCMFormatDescriptionKey_CleanApertureVerticalOffset: CFString = kCVImageBufferCleanApertureVerticalOffsetKey

extension CMFormatDescription {
  private func numbers(_ key: CFString, _ parts: [CFString]) -> [CGFloat]? {
    guard let values = facts[key] as? [String: Any] else { return nil }
    let found = parts.compactMap { part -> CGFloat? in
      switch values[part] {
      case let number as NSNumber: CGFloat(number.doubleValue)
      case let number as Int: CGFloat(number)
      case let number as Double: CGFloat(number)
      default: nil
      }
    }
    return found.count == parts.count ? found : nil
  }

  /// The part of the picture that is shown: all of it where the description names none.
  ///
  /// - Parameter originIsAtTopLeft: whether its place is measured from the picture's top, and not from its bottom.
  public func cleanAperture(originIsAtTopLeft: Bool) -> CGRect {
    let full = CGSize(width: CGFloat(dimensions.width), height: CGFloat(dimensions.height))
    let keys = [
      kCMFormatDescriptionKey_CleanApertureWidth, kCMFormatDescriptionKey_CleanApertureHeight,
      kCMFormatDescriptionKey_CleanApertureHorizontalOffset, kCMFormatDescriptionKey_CleanApertureVerticalOffset,
    ]
    guard let part = numbers(kCMFormatDescriptionExtension_CleanAperture, keys) else { return CGRect(origin: .zero, size: full) }
    // The offsets are those of the part's middle from the picture's, downward.
    let (left, top) = ((full.width - part[0]) / 2 + part[2], (full.height - part[1]) / 2 + part[3])
    return CGRect(x: left, y: originIsAtTopLeft ? top : full.height - top - part[1], width: part[0], height: part[1])
  }

  /// The size of the picture as it is shown.
  ///
  /// - Parameters:
  ///   - usePixelAspectRatio: whether pixels that are wider than high make the picture wider.
  ///   - useCleanAperture: whether only the part that is shown counts.
  public func presentationDimensions(usePixelAspectRatio: Bool = true, useCleanAperture: Bool = true) -> CGSize {
    var size =
      useCleanAperture
      ? cleanAperture(originIsAtTopLeft: true).size
      : CGSize(width: CGFloat(dimensions.width), height: CGFloat(dimensions.height))
    let keys = [
      kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing, kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing,
    ]
    if usePixelAspectRatio, let ratio = numbers(kCMFormatDescriptionExtension_PixelAspectRatio, keys), ratio[0] > 0, ratio[1] > 0
    {
      size.width *= ratio[0] / ratio[1]
    }
    return size
  }

  /// Whether the description is one of a picture in memory.
  public func matchesImageBuffer(_ imageBuffer: CVImageBuffer) -> Bool {
    CMVideoFormatDescriptionMatchesImageBuffer(self, imageBuffer: imageBuffer)
  }
}

/// The part of a picture that is shown: all of it where the description names none.
public func CMVideoFormatDescriptionGetCleanAperture(_ videoDesc: CMVideoFormatDescription, originIsAtTopLeft: Bool) -> CGRect {
  videoDesc.cleanAperture(originIsAtTopLeft: originIsAtTopLeft)
}

/// The size of a picture as it is shown.
public func CMVideoFormatDescriptionGetPresentationDimensions(
  _ videoDesc: CMVideoFormatDescription, usePixelAspectRatio: Bool, useCleanAperture: Bool
) -> CGSize {
  videoDesc.presentationDimensions(usePixelAspectRatio: usePixelAspectRatio, useCleanAperture: useCleanAperture)
}
