public import CoreGraphics

extension PhotoImageGiving {
  /// Refuses a picture of a photo: there is no library of photos.
  @discardableResult
  public func requestImage(
    for asset: RequestedPhoto, targetSize: CGSize, contentMode: PhotoContentMode, options: PhotoRequestOptions?,
    resultHandler: @escaping (UIImage?, [AnyHashable: Any]?) -> Void
  ) -> Int32 {
    resultHandler(nil, refusePhoto())
    return 0
  }

  /// Refuses the bytes of a photo.
  @available(*, deprecated, renamed: "requestImageDataAndOrientation")
  @discardableResult
  public func requestImageData(
    for asset: RequestedPhoto, options: PhotoRequestOptions?,
    resultHandler: @escaping (Data?, String?, UIImage.Orientation, [AnyHashable: Any]?) -> Void
  ) -> Int32 {
    resultHandler(nil, nil, .up, refusePhoto())
    return 0
  }
}

extension PhotoCreating {
  /// Makes a request of a photo with a picture. It fails when it is performed.
  public static func creationRequestForAsset(from image: UIImage) -> Self { creationOfPhoto() }
}
