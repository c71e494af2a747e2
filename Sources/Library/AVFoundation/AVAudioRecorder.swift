// All refused: nothing is recorded on this machine: making a recorder throws −11814

/// The one who is told how a recording ended. All of it may be left out.
public protocol AVAudioRecorderDelegate: NSObjectProtocol {
  func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool)
  func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?)
}

extension AVAudioRecorderDelegate {
  public func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {}
  public func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {}
}

/// A recording of a microphone's sound. There is none, because there is no microphone: none can be made.
open class AVAudioRecorder: NSObject {
  public let url: URL
  public let settings: [String: Any]
  public let format: AVAudioFormat
  open weak var delegate: (any AVAudioRecorderDelegate)?
  open var isMeteringEnabled = false
  open var isRecording: Bool { false }
  open var currentTime: TimeInterval { 0 }
  open var deviceCurrentTime: TimeInterval { 0 }

  /// - Throws: an `AVError` (−11814), always.
  public init(url: URL, settings: [String: Any]) throws { throw AVError.noCapture }
  /// - Throws: an `AVError` (−11814), always.
  public init(url: URL, format: AVAudioFormat) throws { throw AVError.noCapture }

  @discardableResult
  open func prepareToRecord() -> Bool { false }
  @discardableResult
  open func record() -> Bool { false }
  @discardableResult
  open func record(atTime time: TimeInterval) -> Bool { false }
  @discardableResult
  open func record(forDuration duration: TimeInterval) -> Bool { false }
  @discardableResult
  open func record(atTime time: TimeInterval, forDuration duration: TimeInterval) -> Bool { false }
  open func pause() {}
  open func stop() {}
  @discardableResult
  open func deleteRecording() -> Bool { false }
  open func updateMeters() {}
  open func peakPower(forChannel channelNumber: Int) -> Float { -160 }
  open func averagePower(forChannel channelNumber: Int) -> Float { -160 }
}
