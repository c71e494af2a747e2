// All refused: the types are there. No device is ever found, an input throws −11814, and `startRunning()` posts that reason

extension NSNotification.Name {
  public static let AVCaptureSessionRuntimeError = NSNotification.Name("AVCaptureSessionRuntimeErrorNotification")
  public static let AVCaptureSessionDidStartRunning = NSNotification.Name("AVCaptureSessionDidStartRunningNotification")
  public static let AVCaptureSessionDidStopRunning = NSNotification.Name("AVCaptureSessionDidStopRunningNotification")
}

public let AVCaptureSessionErrorKey = "AVCaptureSessionErrorKey"

/// A session that would capture. It never runs: `startRunning()` posts the reason.
// Its owner configures it.
open class AVCaptureSession: NSObject, @unchecked Sendable {
  public struct Preset: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let photo = Preset(rawValue: "AVCaptureSessionPresetPhoto")
    public static let high = Preset(rawValue: "AVCaptureSessionPresetHigh")
    public static let medium = Preset(rawValue: "AVCaptureSessionPresetMedium")
    public static let low = Preset(rawValue: "AVCaptureSessionPresetLow")
    public static let cif352x288 = Preset(rawValue: "AVCaptureSessionPreset352x288")
    public static let qvga320x240 = Preset(rawValue: "AVCaptureSessionPreset320x240")
    public static let iFrame960x540 = Preset(rawValue: "AVCaptureSessionPresetiFrame960x540")
    public static let iFrame1280x720 = Preset(rawValue: "AVCaptureSessionPresetiFrame1280x720")
    public static let vga640x480 = Preset(rawValue: "AVCaptureSessionPreset640x480")
    public static let hd1280x720 = Preset(rawValue: "AVCaptureSessionPreset1280x720")
    public static let hd1920x1080 = Preset(rawValue: "AVCaptureSessionPreset1920x1080")
    public static let hd4K3840x2160 = Preset(rawValue: "AVCaptureSessionPreset3840x2160")
    public static let inputPriority = Preset(rawValue: "AVCaptureSessionPresetInputPriority")
  }

  open var sessionPreset = Preset.high
  open private(set) var inputs: [AVCaptureInput] = []
  open private(set) var outputs: [AVCaptureOutput] = []
  open var automaticallyConfiguresApplicationAudioSession = true
  open var usesApplicationAudioSession = true
  open var automaticallyConfiguresCaptureDeviceForWideColor = true

  public override init() { super.init() }

  open var isRunning: Bool { false }
  open var isInterrupted: Bool { false }
  open func canSetSessionPreset(_ preset: Preset) -> Bool { false }
  open func canAddInput(_ input: AVCaptureInput) -> Bool { false }
  open func addInput(_ input: AVCaptureInput) {}
  open func removeInput(_ input: AVCaptureInput) {}
  open func canAddOutput(_ output: AVCaptureOutput) -> Bool { !outputs.contains { $0 === output } }
  open func addOutput(_ output: AVCaptureOutput) { if canAddOutput(output) { outputs.append(output) } }
  open func removeOutput(_ output: AVCaptureOutput) { outputs.removeAll { $0 === output } }
  open func beginConfiguration() {}
  open func commitConfiguration() {}
  open func startRunning() {
    NotificationCenter.default.post(
      name: .AVCaptureSessionRuntimeError, object: self, userInfo: [AVCaptureSessionErrorKey: AVError.noCapture])
  }
  open func stopRunning() {}
}

open class AVCaptureInput: NSObject {
  override init() { super.init() }
}

open class AVCaptureDeviceInput: AVCaptureInput {
  public let device: AVCaptureDevice

  /// - Throws: always, since nothing is captured.
  public init(device: AVCaptureDevice) throws {
    self.device = device
    super.init()
    throw AVError.noCapture
  }
}

open class AVCaptureOutput: NSObject {
  override init() { super.init() }
  open var connections: [AVCaptureConnection] { [] }
  open func connection(with mediaType: AVMediaType) -> AVCaptureConnection? { nil }
}

public enum AVCaptureVideoOrientation: Int, Sendable { case portrait = 1, portraitUpsideDown, landscapeRight, landscapeLeft }
public enum AVCaptureVideoStabilizationMode: Int, Sendable { case off = 0, standard, cinematic, cinematicExtended, auto = -1 }

/// A way from an input to an output. There is none, since there are no inputs.
open class AVCaptureConnection: NSObject {
  override init() { super.init() }
  open var isEnabled = false
  open var isActive: Bool { false }
  open var isVideoOrientationSupported: Bool { false }
  open var videoOrientation = AVCaptureVideoOrientation.portrait
  open var isVideoMirroringSupported: Bool { false }
  open var isVideoMirrored = false
  open var isVideoStabilizationSupported: Bool { false }
  open var preferredVideoStabilizationMode = AVCaptureVideoStabilizationMode.off
}

public protocol AVCaptureVideoDataOutputSampleBufferDelegate: NSObjectProtocol {
  func captureOutput(_ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection)
  func captureOutput(_ output: AVCaptureOutput, didDrop sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection)
}

extension AVCaptureVideoDataOutputSampleBufferDelegate {
  public func captureOutput(
    _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
  ) {}
  public func captureOutput(_ output: AVCaptureOutput, didDrop sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection)
  {}
}

public protocol AVCaptureAudioDataOutputSampleBufferDelegate: NSObjectProtocol {
  func captureOutput(_ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection)
}

extension AVCaptureAudioDataOutputSampleBufferDelegate {
  public func captureOutput(
    _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection
  ) {}
}

open class AVCaptureVideoDataOutput: AVCaptureOutput {
  public override init() { super.init() }
  open var videoSettings: [String: Any]! = [:]
  open var alwaysDiscardsLateVideoFrames = true
  open private(set) weak var sampleBufferDelegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)?
  open private(set) var sampleBufferCallbackQueue: DispatchQueue?
  open var availableVideoPixelFormatTypes: [OSType] { [] }
  open var availableVideoCodecTypes: [AVVideoCodecType] { [] }
  /// The settings of a writer for what is captured: none, since nothing is.
  open func recommendedVideoSettingsForAssetWriter(writingTo outputFileType: AVFileType) -> [String: Any]? { nil }
  open func setSampleBufferDelegate(
    _ sampleBufferDelegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)?,
    queue sampleBufferCallbackQueue: DispatchQueue?
  ) {
    (self.sampleBufferDelegate, self.sampleBufferCallbackQueue) = (sampleBufferDelegate, sampleBufferCallbackQueue)
  }
}

open class AVCaptureAudioDataOutput: AVCaptureOutput {
  public override init() { super.init() }
  /// The settings of a writer for what is captured: none, since nothing is.
  open func recommendedAudioSettingsForAssetWriter(writingTo outputFileType: AVFileType) -> [String: Any]? { nil }
  open private(set) weak var sampleBufferDelegate: (any AVCaptureAudioDataOutputSampleBufferDelegate)?
  open func setSampleBufferDelegate(
    _ sampleBufferDelegate: (any AVCaptureAudioDataOutputSampleBufferDelegate)?,
    queue sampleBufferCallbackQueue: DispatchQueue?
  ) { self.sampleBufferDelegate = sampleBufferDelegate }
}

public protocol AVCaptureFileOutputRecordingDelegate: NSObjectProtocol {
  func fileOutput(_ output: AVCaptureFileOutput, didStartRecordingTo fileURL: URL, from connections: [AVCaptureConnection])
  func fileOutput(
    _ output: AVCaptureFileOutput, didFinishRecordingTo outputFileURL: URL, from connections: [AVCaptureConnection],
    error: (any Error)?)
}

extension AVCaptureFileOutputRecordingDelegate {
  public func fileOutput(
    _ output: AVCaptureFileOutput, didStartRecordingTo fileURL: URL, from connections: [AVCaptureConnection]
  ) {}
}

open class AVCaptureFileOutput: AVCaptureOutput {
  open var isRecording: Bool { false }
  open var outputFileURL: URL? { nil }
  open var recordedDuration: CMTime { .zero }
  open var maxRecordedDuration = CMTime.invalid
  /// Tells the delegate at once that nothing is recorded.
  open func startRecording(to outputFileURL: URL, recordingDelegate delegate: any AVCaptureFileOutputRecordingDelegate) {
    delegate.fileOutput(self, didFinishRecordingTo: outputFileURL, from: [], error: AVError.noCapture)
  }
  open func stopRecording() {}
}

open class AVCaptureMovieFileOutput: AVCaptureFileOutput {
  public override init() { super.init() }
  open var movieFragmentInterval = CMTime(value: 10, timescale: 1)
  open var availableVideoCodecTypes: [AVVideoCodecType] { [] }
  open func setOutputSettings(_ outputSettings: [String: Any]?, for connection: AVCaptureConnection) {}
}

/// The layer that would show what is captured.
open class AVCaptureVideoPreviewLayer: CALayer {
  open var session: AVCaptureSession?
  open var videoGravity = AVLayerVideoGravity.resizeAspect
  open var connection: AVCaptureConnection? { nil }
  public convenience init(session: AVCaptureSession) {
    self.init()
    self.session = session
  }
}
