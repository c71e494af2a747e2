// Live photos and the resources of photos. There is no library of photos: requests fail and say so.

/// A photo with a movie. None is ever made.
/// - Refused: as `PHPhotoLibrary`
open class PHLivePhoto: NSObject, @unchecked Sendable {  // No object of it is ever made.
  override init() { super.init() }
  open var size: CGSize { .zero }

  /// Fails at once, and says why under `PHLivePhotoInfoErrorKey`.
  @discardableResult
  open class func request<Image>(
    withResourceFileURLs fileURLs: [URL], placeholderImage image: Image?, targetSize: CGSize, contentMode: PHImageContentMode,
    resultHandler: @escaping (PHLivePhoto?, [AnyHashable: Any]) -> Void
  ) -> PHLivePhotoRequestID {
    resultHandler(nil, [PHLivePhotoInfoErrorKey: PHPhotosError()])
    return 0
  }

  /// The same without a picture: `nil` alone has no type.
  @discardableResult
  open class func request(
    withResourceFileURLs fileURLs: [URL], placeholderImage image: Never?, targetSize: CGSize, contentMode: PHImageContentMode,
    resultHandler: @escaping (PHLivePhoto?, [AnyHashable: Any]) -> Void
  ) -> PHLivePhotoRequestID {
    resultHandler(nil, [PHLivePhotoInfoErrorKey: PHPhotosError()])
    return 0
  }
}

/// - Refused: as `PHPhotoLibrary`
public typealias PHLivePhotoRequestID = Int32
/// - Refused: as `PHPhotoLibrary`
public let PHLivePhotoInfoErrorKey = "PHLivePhotoInfoErrorKey"
/// - Refused: as `PHPhotoLibrary`
public let PHLivePhotoInfoIsDegradedKey = "PHLivePhotoInfoIsDegradedKey"

// @safe: the handler is kept, and never called.
@safe open class PHLivePhotoRequestOptions: NSObject {
  open var isNetworkAccessAllowed = false
  open var version = PHImageRequestOptionsVersion.current
  open var deliveryMode = PHImageRequestOptionsDeliveryMode.opportunistic
  open var progressHandler: PHAssetImageProgressHandler?
  public override init() {}
}

extension PHImageManager {
  @discardableResult
  public func requestLivePhoto(
    for asset: PHAsset, targetSize: CGSize, contentMode: PHImageContentMode, options: PHLivePhotoRequestOptions?,
    resultHandler: @escaping (PHLivePhoto?, [AnyHashable: Any]?) -> Void
  ) -> PHImageRequestID {
    resultHandler(nil, refusePhoto())
    return PHInvalidImageRequestID
  }
}

/// A file of a photo. There is none.
/// - Refused: as `PHPhotoLibrary`
open class PHAssetResource: NSObject {
  override init() { super.init() }
  open var type: PHAssetResourceType { .photo }
  open var originalFilename: String { "" }
  open var uniformTypeIdentifier: String { "" }
  open var assetLocalIdentifier: String { "" }
  open class func assetResources(for asset: PHAsset) -> [PHAssetResource] { [] }
  open class func assetResources(for livePhoto: PHLivePhoto) -> [PHAssetResource] { [] }
}

/// - Refused: as `PHPhotoLibrary`
open class PHAssetResourceRequestOptions: NSObject {
  open var isNetworkAccessAllowed = false
  open var progressHandler: ((Double) -> Void)?
  public override init() {}
}

/// Gives the files of photos. Every request fails at once.
/// - Refused: as `PHPhotoLibrary`
open class PHAssetResourceManager: NSObject, @unchecked Sendable {
  // A manager has no state.
  private static let only = PHAssetResourceManager()
  open class func `default`() -> PHAssetResourceManager { only }
  open func writeData(
    for resource: PHAssetResource, toFile fileURL: URL, options: PHAssetResourceRequestOptions?,
    completionHandler: @escaping ((any Error)?) -> Void
  ) { completionHandler(PHPhotosError()) }
  @discardableResult
  open func requestData(
    for resource: PHAssetResource, options: PHAssetResourceRequestOptions?, dataReceivedHandler handler: @escaping (Data) -> Void,
    completionHandler: @escaping ((any Error)?) -> Void
  ) -> Int32 {
    completionHandler(PHPhotosError())
    return 0
  }
}

// Conditions in words, as those who look for albums write them. Nothing is ever looked for.
extension NSPredicate {
  /// Makes a condition that cannot be evaluated: conditions in words are not read.
  public convenience init(format predicateFormat: String, _ args: any CVarArg...) {
    self.init { _, _ in
      preconditionFailure("NSPredicate(format: \"\(predicateFormat)\"): conditions in words are not evaluated on Linux")
    }
  }
}

extension NSSortDescriptor {
  /// Makes an order that cannot be applied: values are not found by the names of their keys.
  public convenience init(key: String?, ascending: Bool) {
    self.init(keyPath: \PHFetchOptions.fetchLimit, ascending: ascending) { _, _ in
      preconditionFailure("NSSortDescriptor(key: \"\(key ?? "")\"): values are not found by the names of keys on Linux")
    }
  }
}
