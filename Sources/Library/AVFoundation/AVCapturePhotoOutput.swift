// All refused: the types are there. No device is ever found, an input throws −11814, and `startRunning()` posts that reason

/// The wishes for a photo.
open class AVCapturePhotoSettings: NSObject, NSCopying {
  public let uniqueID: Int64 = 0
  public let format: [String: Any]?
  open var flashMode = AVCaptureDevice.FlashMode.off
  open var isHighResolutionPhotoEnabled = false
  open var isAutoStillImageStabilizationEnabled = false
  open var livePhotoMovieFileURL: URL?
  open var livePhotoVideoCodecType = AVVideoCodecType.h264
  open var isDepthDataDeliveryEnabled = false
  open var processedFileType: AVFileType? { nil }
  open var rawFileType: AVFileType? { nil }
  open var livePhotoMovieMetadata: [AVMetadataItem] = []
  open var previewPhotoFormat: [String: Any]?
  open var availablePreviewPhotoPixelFormatTypes: [OSType] { [] }

  public override init() {
    format = nil
    super.init()
  }
  public init(format: [String: Any]?) {
    self.format = format
    super.init()
  }
  public convenience init(from photoSettings: AVCapturePhotoSettings) { self.init(format: photoSettings.format) }
  open func copy(with zone: NSZone? = nil) -> Any { AVCapturePhotoSettings(from: self) }
}

/// The wishes for several photos, each with an exposure of its own.
open class AVCapturePhotoBracketSettings: AVCapturePhotoSettings {}

/// The settings with which a photo would be made.
open class AVCaptureResolvedPhotoSettings: NSObject {
  override init() { super.init() }
  open var uniqueID: Int64 { 0 }
  open var photoDimensions: CMVideoDimensions { CMVideoDimensions(width: 0, height: 0) }
}

/// A photo. None is ever made.
open class AVCapturePhoto: NSObject {
  override init() { super.init() }
  open var timestamp: CMTime { .invalid }
  open var isRawPhoto: Bool { false }
  open var pixelBuffer: CVPixelBuffer? { nil }
  open var previewPixelBuffer: CVPixelBuffer? { nil }
  open var metadata: [String: Any] { [:] }
  open var photoCount: Int { 0 }
  open func fileDataRepresentation() -> Data? { nil }
  open func cgImageRepresentation() -> CGImage? { nil }
}

public protocol AVCapturePhotoCaptureDelegate: NSObjectProtocol {
  func photoOutput(_ output: AVCapturePhotoOutput, willBeginCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings)
  func photoOutput(_ output: AVCapturePhotoOutput, willCapturePhotoFor resolvedSettings: AVCaptureResolvedPhotoSettings)
  func photoOutput(_ output: AVCapturePhotoOutput, didFinishProcessingPhoto photo: AVCapturePhoto, error: (any Error)?)
  func photoOutput(
    _ output: AVCapturePhotoOutput, didFinishCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings, error: (any Error)?)
}

extension AVCapturePhotoCaptureDelegate {
  public func photoOutput(_ output: AVCapturePhotoOutput, willBeginCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings) {}
  public func photoOutput(_ output: AVCapturePhotoOutput, willCapturePhotoFor resolvedSettings: AVCaptureResolvedPhotoSettings) {}
  public func photoOutput(_ output: AVCapturePhotoOutput, didFinishProcessingPhoto photo: AVCapturePhoto, error: (any Error)?) {}
  public func photoOutput(
    _ output: AVCapturePhotoOutput, didFinishCaptureFor resolvedSettings: AVCaptureResolvedPhotoSettings, error: (any Error)?
  ) {}
}

/// The output of photos. It makes none, and tells its delegate so at once.
open class AVCapturePhotoOutput: AVCaptureOutput {
  public override init() { super.init() }
  open var isHighResolutionCaptureEnabled = false
  open var isLivePhotoCaptureSupported: Bool { false }
  open var isLivePhotoCaptureEnabled = false
  open var isDepthDataDeliverySupported: Bool { false }
  open var isDepthDataDeliveryEnabled = false
  open var isStillImageStabilizationSupported: Bool { false }
  open var supportedFlashModes: [AVCaptureDevice.FlashMode] { [] }
  open var availablePhotoCodecTypes: [AVVideoCodecType] { [] }
  open var availablePhotoPixelFormatTypes: [OSType] { [] }
  open var photoSettingsForSceneMonitoring: AVCapturePhotoSettings?
  open func setPreparedPhotoSettingsArray(
    _ preparedPhotoSettingsArray: [AVCapturePhotoSettings], completionHandler: ((Bool, (any Error)?) -> Void)? = nil
  ) { completionHandler?(false, AVError.noCapture) }
  open func capturePhoto(with settings: AVCapturePhotoSettings, delegate: any AVCapturePhotoCaptureDelegate) {
    delegate.photoOutput(self, didFinishCaptureFor: AVCaptureResolvedPhotoSettings(), error: AVError.noCapture)
  }
}
