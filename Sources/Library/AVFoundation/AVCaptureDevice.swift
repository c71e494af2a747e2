// All refused: the types are there. No device is ever found, an input throws −11814, and `startRunning()` posts that reason

/// A camera or a microphone. There is none on a server: nothing here makes one, so that what is asked of one is never answered
/// wrongly.
open class AVCaptureDevice: NSObject, @unchecked Sendable {  // No object of it is ever made.
  public struct DeviceType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let builtInWideAngleCamera = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInWideAngleCamera")
    public static let builtInTelephotoCamera = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInTelephotoCamera")
    public static let builtInUltraWideCamera = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInUltraWideCamera")
    public static let builtInDualCamera = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInDualCamera")
    public static let builtInDualWideCamera = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInDualWideCamera")
    public static let builtInTripleCamera = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInTripleCamera")
    public static let builtInTrueDepthCamera = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInTrueDepthCamera")
    public static let builtInMicrophone = DeviceType(rawValue: "AVCaptureDeviceTypeBuiltInMicrophone")
    public static let external = DeviceType(rawValue: "AVCaptureDeviceTypeExternal")
    public static let microphone = DeviceType(rawValue: "AVCaptureDeviceTypeMicrophone")
  }
  public enum Position: Int, Sendable { case unspecified = 0, back, front }
  public enum FocusMode: Int, Sendable { case locked = 0, autoFocus, continuousAutoFocus }
  public enum ExposureMode: Int, Sendable { case locked = 0, autoExpose, continuousAutoExposure, custom }
  public enum WhiteBalanceMode: Int, Sendable { case locked = 0, autoWhiteBalance, continuousAutoWhiteBalance }
  public enum FlashMode: Int, Sendable { case off = 0, on, auto }
  public enum TorchMode: Int, Sendable { case off = 0, on, auto }

  /// A form in which a device gives samples.
  open class Format: NSObject {
    override init() { super.init() }
    open var videoSupportedFrameRateRanges: [AVFrameRateRange] { [] }
    open var mediaType: AVMediaType { .video }
    open var isVideoHDRSupported: Bool { false }
  }

  /// A search for devices, which finds none.
  open class DiscoverySession: NSObject {
    public init(deviceTypes: [DeviceType], mediaType: AVMediaType?, position: Position) { super.init() }
    open var devices: [AVCaptureDevice] { [] }
  }

  override init() { super.init() }

  open class func `default`(for mediaType: AVMediaType) -> AVCaptureDevice? { nil }
  open class func `default`(_ deviceType: DeviceType, for mediaType: AVMediaType?, position: Position) -> AVCaptureDevice? { nil }
  open class func devices() -> [AVCaptureDevice] { [] }
  open class func devices(for mediaType: AVMediaType) -> [AVCaptureDevice] { [] }
  open class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus { .denied }
  open class func requestAccess(for mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void) {
    handler(false)
  }
  open class func requestAccess(for mediaType: AVMediaType) async -> Bool { false }

  open var localizedName: String { "" }
  open var uniqueID: String { "" }
  open var position: Position { .unspecified }
  open var activeFormat = Format()
  open var formats: [Format] { [] }
  open var activeVideoMinFrameDuration = CMTime.invalid
  open var activeVideoMaxFrameDuration = CMTime.invalid
  open var isLowLightBoostSupported: Bool { false }
  open var isLowLightBoostEnabled: Bool { false }
  open var automaticallyEnablesLowLightBoostWhenAvailable = false
  open var automaticallyAdjustsVideoHDREnabled = false
  open var isVideoHDREnabled = false
  open var isFocusPointOfInterestSupported: Bool { false }
  open var focusPointOfInterest = CGPoint(x: 0.5, y: 0.5)
  open var focusMode = FocusMode.locked
  open var isExposurePointOfInterestSupported: Bool { false }
  open var exposurePointOfInterest = CGPoint(x: 0.5, y: 0.5)
  open var exposureMode = ExposureMode.locked
  open var isSmoothAutoFocusSupported: Bool { false }
  open var isSmoothAutoFocusEnabled = false
  open var isAdjustingFocus: Bool { false }
  open var isAdjustingExposure: Bool { false }
  open var lensPosition: Float { 0 }
  open var isSubjectAreaChangeMonitoringEnabled = false
  open var whiteBalanceMode = WhiteBalanceMode.locked
  open func isWhiteBalanceModeSupported(_ whiteBalanceMode: WhiteBalanceMode) -> Bool { false }
  open func isFlashModeSupported(_ flashMode: FlashMode) -> Bool { false }
  open var flashMode = FlashMode.off
  open var isTorchAvailable: Bool { false }
  open var isFlashAvailable: Bool { false }
  open var minAvailableVideoZoomFactor: CGFloat { 1 }
  open var maxAvailableVideoZoomFactor: CGFloat { 1 }
  open var videoZoomFactor: CGFloat = 1
  open var hasTorch: Bool { false }
  open var hasFlash: Bool { false }
  open var torchMode = TorchMode.off
  open func isFocusModeSupported(_ focusMode: FocusMode) -> Bool { false }
  open func isExposureModeSupported(_ exposureMode: ExposureMode) -> Bool { false }
  open func isTorchModeSupported(_ torchMode: TorchMode) -> Bool { false }
  open func hasMediaType(_ mediaType: AVMediaType) -> Bool { false }
  open func lockForConfiguration() throws { throw AVError.noCapture }
  open func unlockForConfiguration() {}
}

extension AVError {
  /// The failure of all capturing.
  static var noCapture: AVError {
    AVError(.deviceNotConnected, "nothing is captured on Linux: this machine's cameras and microphones are not used")
  }
}

public enum AVAuthorizationStatus: Int, Sendable { case notDetermined = 0, restricted, denied, authorized }

/// A range of rates.
open class AVFrameRateRange: NSObject {
  override init() { super.init() }
  open var minFrameRate: Float64 { 0 }
  open var maxFrameRate: Float64 { 0 }
  open var minFrameDuration: CMTime { .invalid }
  open var maxFrameDuration: CMTime { .invalid }
}
