// The library of photos gives pictures of a system's own type: UIImage, or NSImage. UIKit and AppKit add such requests to these.

/// The manager of photos, PHImageManager.
public protocol PhotoImageGiving {
  associatedtype RequestedPhoto
  associatedtype PhotoContentMode
  associatedtype PhotoRequestOptions
  /// Refuses a request.
  ///
  /// - Returns: what tells the caller why.
  func refusePhoto() -> [AnyHashable: Any]
}

/// The request of a change of a photo, PHAssetChangeRequest.
public protocol PhotoCreating {
  /// Makes a request that fails when it is performed.
  static func creationOfPhoto() -> Self
}
