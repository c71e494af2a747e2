@_exported public import CoreFoundation

/// The failure of all that needs a library of photos.
/// - Refused: as `PHPhotoLibrary`
public struct PHPhotosError: CustomNSError, LocalizedError, CustomStringConvertible {
  public enum Code: Int, Sendable {
    case internalError = -1, userCancelled = 3072, libraryVolumeOffline = 3114, networkAccessRequired = 3164
    case accessUserDenied = 3311, notSupported = 3302
  }
  public let code: Code
  public static var errorDomain: String { PHPhotosErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
  public var errorDescription: String? { description }
  public var description: String { "there is no library of photos on this machine: read and write the files themselves" }
  package init(_ code: Code = .notSupported) { self.code = code }
}

public let PHPhotosErrorDomain = "PHPhotosErrorDomain"

public enum PHAuthorizationStatus: Int, Sendable { case notDetermined, restricted, denied, authorized, limited }
public enum PHAccessLevel: Int, Sendable { case addOnly = 1, readWrite = 2 }

/// The library of photos, which does not exist here. Every change fails, and says so.
/// - Refused: there is no library of photos: changes and requests fail with that sentence
public final class PHPhotoLibrary: NSObject, Sendable {
  private static let only = PHPhotoLibrary()
  public class func shared() -> PHPhotoLibrary { only }

  public class func authorizationStatus() -> PHAuthorizationStatus { .restricted }
  public class func authorizationStatus(for accessLevel: PHAccessLevel) -> PHAuthorizationStatus { .restricted }
  public class func requestAuthorization(_ handler: @escaping (PHAuthorizationStatus) -> Void) { handler(.restricted) }
  public class func requestAuthorization(for accessLevel: PHAccessLevel, handler: @escaping (PHAuthorizationStatus) -> Void) {
    handler(.restricted)
  }
  public class func requestAuthorization(for accessLevel: PHAccessLevel) async -> PHAuthorizationStatus { .restricted }

  public func performChanges(_ changeBlock: @escaping () -> Void, completionHandler: ((Bool, (any Error)?) -> Void)? = nil) {
    completionHandler?(false, PHPhotosError())
  }
  public func performChanges(_ changeBlock: @escaping () -> Void) async throws { throw PHPhotosError() }
  public func performChangesAndWait(_ changeBlock: @escaping () -> Void) throws { throw PHPhotosError() }
}

public enum PHAssetMediaType: Int, Sendable { case unknown, image, video, audio }

public struct PHAssetMediaSubtype: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let photoPanorama = PHAssetMediaSubtype(rawValue: 1)
  public static let photoHDR = PHAssetMediaSubtype(rawValue: 2)
  public static let photoScreenshot = PHAssetMediaSubtype(rawValue: 4)
  public static let photoLive = PHAssetMediaSubtype(rawValue: 8)
  public static let videoStreamed = PHAssetMediaSubtype(rawValue: 1 << 16)
  public static let videoHighFrameRate = PHAssetMediaSubtype(rawValue: 1 << 17)
  public static let videoTimelapse = PHAssetMediaSubtype(rawValue: 1 << 18)
}

open class PHObject: NSObject {
  open var localIdentifier: String { "" }
  /// The value of a key that has no name in Swift. There is none, as there are no photos.
  open func value(forKey key: String) -> Any? { nil }
  override init() {}
}

/// A photo or a movie of the library. There is none here.
open class PHAsset: PHObject {
  open var mediaType: PHAssetMediaType { .unknown }
  open var mediaSubtypes: PHAssetMediaSubtype { [] }
  open var pixelWidth: Int { 0 }
  open var pixelHeight: Int { 0 }
  open var duration: TimeInterval { 0 }
  open var creationDate: Date? { nil }
  open var modificationDate: Date? { nil }
  open var isFavorite: Bool { false }

  /// - Returns: nil: no collection has photos that stand for it.
  open class func fetchKeyAssets(
    in assetCollection: PHAssetCollection, options: PHFetchOptions?
  ) -> PHFetchResult<PHAsset>? { nil }
  open class func fetchAssets(with options: PHFetchOptions?) -> PHFetchResult<PHAsset> { PHFetchResult() }
  open class func fetchAssets(with mediaType: PHAssetMediaType, options: PHFetchOptions?) -> PHFetchResult<PHAsset> {
    PHFetchResult()
  }
  open class func fetchAssets(withLocalIdentifiers identifiers: [String], options: PHFetchOptions?) -> PHFetchResult<PHAsset> {
    PHFetchResult()
  }
  open class func fetchAssets(in assetCollection: PHAssetCollection, options: PHFetchOptions?) -> PHFetchResult<PHAsset> {
    PHFetchResult()
  }
}

open class PHFetchOptions: NSObject {
  open var predicate: NSPredicate?
  open var sortDescriptors: [NSSortDescriptor]?
  open var fetchLimit = 0
  open var includeHiddenAssets = false
  public override init() {}
}

/// A list of what was found: nothing.
open class PHFetchResult<ObjectType: AnyObject>: NSObject {
  open var count: Int { 0 }
  open var firstObject: ObjectType? { nil }
  open var lastObject: ObjectType? { nil }
  open func object(at index: Int) -> ObjectType { preconditionFailure("PHFetchResult: \(PHPhotosError())") }
  open func enumerateObjects(_ block: @escaping (ObjectType, Int, UnsafeMutablePointer<ObjCBool>) -> Void) {}
  open func countOfAssets(with mediaType: PHAssetMediaType) -> Int { 0 }
  override init() {}
}

open class PHCollection: PHObject {
  open var localizedTitle: String? { nil }
}
open class PHAssetCollection: PHCollection {
  /// The number of photos, which is not known without looking for them.
  open var estimatedAssetCount: Int { NSNotFound }
  open class func fetchAssetCollections(
    with type: PHAssetCollectionType, subtype: PHAssetCollectionSubtype, options: PHFetchOptions?
  ) -> PHFetchResult<PHAssetCollection> { PHFetchResult() }
}
public enum PHAssetCollectionType: Int, Sendable { case album = 1, smartAlbum, moment }
public enum PHAssetCollectionSubtype: Int, Sendable {
  case albumRegular = 2, albumSyncedEvent, albumSyncedFaces, albumSyncedAlbum, albumImported
  case albumMyPhotoStream = 100, albumCloudShared
  case smartAlbumGeneric = 200, smartAlbumPanoramas, smartAlbumVideos, smartAlbumFavorites, smartAlbumTimelapses
  case smartAlbumAllHidden, smartAlbumRecentlyAdded, smartAlbumBursts, smartAlbumSlomoVideos, smartAlbumUserLibrary
  case smartAlbumSelfPortraits, smartAlbumScreenshots, smartAlbumDepthEffect, smartAlbumLivePhotos, smartAlbumAnimated
  case smartAlbumLongExposures, smartAlbumUnableToUpload, smartAlbumRAW, smartAlbumCinematic, smartAlbumSpatial
  case any = -1
}

open class PHChangeRequest: NSObject {
  override init() {}
}

/// A change of a photo. It can be written down, and fails when the changes are performed.
/// - Refused: as `PHPhotoLibrary`
open class PHAssetChangeRequest: PHChangeRequest, PhotoCreating {
  open var placeholderForCreatedAsset: PHObjectPlaceholder? { nil }
  open var creationDate: Date?
  open var isFavorite = false
  public required override init() {}
  public static func creationOfPhoto() -> Self { Self() }
  open class func creationRequestForAssetFromVideo(atFileURL fileURL: URL) -> Self? { nil }
  open class func creationRequestForAssetFromImage(atFileURL fileURL: URL) -> Self? { nil }
  open class func deleteAssets(_ assets: any NSFastEnumeration) {}
}
open class PHObjectPlaceholder: PHObject {}

open class PHAssetCollectionChangeRequest: PHChangeRequest {
  open var placeholderForCreatedAssetCollection: PHObjectPlaceholder { PHObjectPlaceholder() }
  open class func creationRequestForAssetCollection(withTitle title: String) -> PHAssetCollectionChangeRequest { .init() }
  public convenience init?(for assetCollection: PHAssetCollection) { return nil }
  override init() {}
  open func addAssets(_ assets: any NSFastEnumeration) {}
}

public enum PHAssetResourceType: Int, Sendable {
  case photo = 1, video, audio, alternatePhoto, fullSizePhoto, fullSizeVideo, adjustmentData, adjustmentBasePhoto, pairedVideo
}
open class PHAssetResourceCreationOptions: NSObject {
  open var originalFilename: String?
  open var uniformTypeIdentifier: String?
  open var shouldMoveFile = false
  public override init() {}
}
/// - Refused: as `PHPhotoLibrary`
open class PHAssetCreationRequest: PHAssetChangeRequest {
  open class func forAsset() -> PHAssetCreationRequest { PHAssetCreationRequest() }
  open func addResource(with type: PHAssetResourceType, fileURL: URL, options: PHAssetResourceCreationOptions?) {}
  open func addResource(with type: PHAssetResourceType, data: Data, options: PHAssetResourceCreationOptions?) {}
}
