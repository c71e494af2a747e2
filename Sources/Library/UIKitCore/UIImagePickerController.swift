// All refused: the types are there. No source is ever available, so no picker is asked of the user and its delegate is never called

/// A screen on which the user takes a picture or a movie, or chooses one. There is no screen and no camera on a server, and each source says
/// so: code that asks `isSourceTypeAvailable(_:)` first, as Apple demands it, goes its other way.
open class UIImagePickerController: UIResponder {
  public enum SourceType: Int, Sendable { case photoLibrary, camera, savedPhotosAlbum }
  public enum QualityType: Int, Sendable {
    case typeHigh, typeMedium, typeLow, type640x480, typeIFrame1280x720, typeIFrame960x540
  }
  public enum CameraCaptureMode: Int, Sendable { case photo, video }
  public enum CameraDevice: Int, Sendable { case rear, front }
  public enum CameraFlashMode: Int, Sendable { case off = -1, auto, on }

  /// The keys of what a delegate is told.
  public struct InfoKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let mediaType = InfoKey(rawValue: "UIImagePickerControllerMediaType")
    public static let originalImage = InfoKey(rawValue: "UIImagePickerControllerOriginalImage")
    public static let editedImage = InfoKey(rawValue: "UIImagePickerControllerEditedImage")
    public static let cropRect = InfoKey(rawValue: "UIImagePickerControllerCropRect")
    public static let mediaURL = InfoKey(rawValue: "UIImagePickerControllerMediaURL")
    public static let mediaMetadata = InfoKey(rawValue: "UIImagePickerControllerMediaMetadata")
    public static let imageURL = InfoKey(rawValue: "UIImagePickerControllerImageURL")
  }

  /// False for each source: there is none here.
  open class func isSourceTypeAvailable(_ sourceType: SourceType) -> Bool { false }
  /// Nil for each source, as it is for a source that is not available.
  open class func availableMediaTypes(for sourceType: SourceType) -> [String]? { nil }
  open class func isCameraDeviceAvailable(_ cameraDevice: CameraDevice) -> Bool { false }
  open class func isFlashAvailable(for cameraDevice: CameraDevice) -> Bool { false }
  open class func availableCaptureModes(for cameraDevice: CameraDevice) -> [NSNumber]? { nil }

  /// The delegate. It is never called.
  open weak var delegate: (any UIImagePickerControllerDelegate & UINavigationControllerDelegate)?
  open var sourceType = SourceType.photoLibrary
  open var mediaTypes = ["public.image"]
  open var allowsEditing = false
  open var videoMaximumDuration: TimeInterval = 600
  open var videoQuality = QualityType.typeMedium
  open var videoExportPreset = ""
  open var cameraCaptureMode = CameraCaptureMode.photo
  open var cameraDevice = CameraDevice.rear
  open var cameraFlashMode = CameraFlashMode.auto
  open var showsCameraControls = true

  /// Does nothing: no picture is taken.
  open func takePicture() {}
  /// Begins nothing.
  ///
  /// - Returns: false, as where the camera is not ready.
  open func startVideoCapture() -> Bool { false }
  open func stopVideoCapture() {}
}

public protocol UINavigationControllerDelegate: NSObjectProtocol {}

public protocol UIImagePickerControllerDelegate: NSObjectProtocol {
  func imagePickerController(
    _ picker: UIImagePickerController, didFinishPickingMediaWithInfo info: [UIImagePickerController.InfoKey: Any])
  func imagePickerControllerDidCancel(_ picker: UIImagePickerController)
}

// The protocol's methods are optional on Apple's systems.
extension UIImagePickerControllerDelegate {
  public func imagePickerController(
    _ picker: UIImagePickerController, didFinishPickingMediaWithInfo info: [UIImagePickerController.InfoKey: Any]
  ) {}
  public func imagePickerControllerDidCancel(_ picker: UIImagePickerController) {}
}
