internal import Synchronization

/// The times of a sample.
public struct CMSampleTimingInfo: Hashable, Sendable {
  public var duration: CMTime
  public var presentationTimeStamp: CMTime
  /// The time at which it is decoded; the invalid one where that is the order in which samples come.
  public var decodeTimeStamp: CMTime

  public init() { (duration, presentationTimeStamp, decodeTimeStamp) = (.invalid, .invalid, .invalid) }
  public init(duration: CMTime, presentationTimeStamp: CMTime, decodeTimeStamp: CMTime) {
    (self.duration, self.presentationTimeStamp) = (duration, presentationTimeStamp)
    self.decodeTimeStamp = decodeTimeStamp
  }
  public static let invalid = CMSampleTimingInfo()
}

public let kCMTimingInfoInvalid = CMSampleTimingInfo.invalid
public let kCMSampleBufferError_AllocationFailed: OSStatus = -12730
public let kCMSampleBufferError_RequiredParameterMissing: OSStatus = -12731
public let kCMSampleBufferError_AlreadyHasDataBuffer: OSStatus = -12732
public let kCMSampleBufferError_BufferNotReady: OSStatus = -12733
public let kCMSampleBufferError_SampleIndexOutOfRange: OSStatus = -12734
public let kCMSampleBufferError_BufferHasNoSampleSizes: OSStatus = -12735
public let kCMSampleBufferError_BufferHasNoSampleTimingInfo: OSStatus = -12736
public let kCMSampleBufferError_ArrayTooSmall: OSStatus = -12737
public let kCMSampleBufferError_InvalidEntryCount: OSStatus = -12738
public let kCMSampleBufferError_InvalidMediaFormat: OSStatus = -12743
public let kCMSampleBufferError_Invalidated: OSStatus = -12744

public let kCMSampleAttachmentKey_NotSync: CFString = "NotSync"
public let kCMSampleAttachmentKey_DependsOnOthers: CFString = "DependsOnOthers"
public let kCMSampleAttachmentKey_DisplayImmediately: CFString = "DisplayImmediately"
public let kCMSampleAttachmentKey_DoNotDisplay: CFString = "DoNotDisplay"
public let kCMSampleBufferAttachmentKey_EmptyMedia: CFString = "EmptyMedia"
public let kCMSampleBufferAttachmentKey_PermanentEmptyMedia: CFString = "PermanentEmptyMedia"
public let kCMSampleBufferAttachmentKey_TrimDurationAtStart: CFString = "TrimDurationAtStart"
public let kCMSampleBufferAttachmentKey_TrimDurationAtEnd: CFString = "TrimDurationAtEnd"

public typealias CMAttachmentMode = UInt32
public let kCMAttachmentMode_ShouldNotPropagate: CMAttachmentMode = 0
public let kCMAttachmentMode_ShouldPropagate: CMAttachmentMode = 1
public typealias CMAttachmentBearer = Any

/// Samples of one kind of media: a picture, or sound.
// The lock guards what changes. The picture and the block are their owner's, who hands them over.
/// - Partly: memory that is given stays its owner's. The array of a sample's attachments is a copy
public final class CMSampleBuffer: @unchecked Sendable {
  /// The number of samples; a picture is one.
  public let numSamples: CMItemCount
  public let imageBuffer: CVImageBuffer?
  public var dataBuffer: CMBlockBuffer? { state.withLock(\.block) }
  public let formatDescription: CMFormatDescription?
  /// One entry for all samples, whose times follow each other, or one for each.
  let timing: [CMSampleTimingInfo]
  let sizes: [Int]
  private let state: Mutex<State>

  private struct State {
    var block: CMBlockBuffer?
    var isValid = true
    var output = CMTime.invalid
    var attachments: [String: (value: Sealed, mode: CMAttachmentMode)] = [:]
    var ofSamples: [[String: Sealed]]?
  }

  /// A value of any type, which its owner hands over.
  private struct Sealed: @unchecked Sendable { var value: Any }

  package init(
    picture: CVImageBuffer?, block: CMBlockBuffer?, _ format: CMFormatDescription?, count: Int,
    timing: [CMSampleTimingInfo], sizes: [Int] = []
  ) {
    (imageBuffer, formatDescription, numSamples) = (picture, format, count)
    (self.timing, self.sizes) = (timing, sizes)
    state = Mutex(State(block: block))
  }

  /// Gives samples that have no bytes some.
  ///
  /// - Returns: false where they have some, or are a picture.
  func take(_ block: CMBlockBuffer) -> Bool {
    state.withLock { state in
      guard state.block == nil, imageBuffer == nil else { return false }
      state.block = block
      return true
    }
  }

  public var isValid: Bool { state.withLock(\.isValid) }
  public var dataReadiness: DataReadiness { .ready }
  public enum DataReadiness: Sendable { case ready, notReady }

  public func invalidate() throws { state.withLock { $0.isValid = false } }

  /// The time of the first sample.
  public var presentationTimeStamp: CMTime { timing.map(\.presentationTimeStamp).min() ?? .invalid }
  public var decodeTimeStamp: CMTime { timing.first?.decodeTimeStamp ?? .invalid }
  /// The duration of all samples.
  public var duration: CMTime {
    guard let first = timing.first else { return .invalid }
    if timing.count == 1 { return CMTimeMultiply(first.duration, multiplier: Int32(clamping: numSamples)) }
    return timing.dropFirst().reduce(first.duration) { $0 + $1.duration }
  }
  public var outputPresentationTimeStamp: CMTime {
    let set = state.withLock(\.output)
    return set.isValid ? set : presentationTimeStamp
  }
  public var outputDuration: CMTime { duration }

  public func setOutputPresentationTimeStamp(_ pts: CMTime) throws { state.withLock { $0.output = pts } }

  /// The times of a sample.
  public func sampleTimingInfo(at sampleIndex: Int) throws -> CMSampleTimingInfo {
    guard 0..<max(numSamples, 1) ~= sampleIndex, let first = timing.first else {
      throw CMFailure(kCMSampleBufferError_SampleIndexOutOfRange)
    }
    if timing.count > 1 { return timing[sampleIndex] }
    let shift = CMTimeMultiply(first.duration, multiplier: Int32(clamping: sampleIndex))
    return CMSampleTimingInfo(
      duration: first.duration,
      presentationTimeStamp: sampleIndex == 0 ? first.presentationTimeStamp : first.presentationTimeStamp + shift,
      decodeTimeStamp: first.decodeTimeStamp)
  }

  public func sampleTimingInfos() throws -> [CMSampleTimingInfo] { timing }

  func attachment(_ key: String) -> (value: Any, mode: CMAttachmentMode)? {
    state.withLock { $0.attachments[key] }.map { ($0.value.value, $0.mode) }
  }
  func attach(_ value: Any?, _ key: String, _ mode: CMAttachmentMode) {
    let sealed = value.map(Sealed.init)
    state.withLock { state in state.attachments[key] = sealed.map { ($0, mode) } }
  }
  func attachments(_ mode: CMAttachmentMode) -> [String: Any] {
    state.withLock(\.attachments).filter { $0.value.mode == mode }.mapValues { $0.value.value }
  }

  /// The attachments of each sample.
  ///
  /// - Parameter makes: whether there are to be some where there are none.
  func attachmentsOfSamples(makes: Bool) -> [[String: Any]]? {
    state.withLock { state in
      if state.ofSamples == nil, makes { state.ofSamples = Array(repeating: [:], count: numSamples) }
      return state.ofSamples
    }?.map { $0.mapValues(\.value) }
  }
}

/// A code of Core Media's.
public struct CMFailure: Error, CustomNSError, Hashable, Sendable {
  public let status: OSStatus
  public init(_ status: OSStatus) { self.status = status }
  public static var errorDomain: String { NSOSStatusErrorDomain }
  public var errorCode: Int { Int(status) }
}

#if !canImport(Darwin)
  public let NSOSStatusErrorDomain = "NSOSStatusErrorDomain"
#endif

extension CMSampleBuffer {
  public convenience init(
    imageBuffer: CVImageBuffer, formatDescription: CMFormatDescription, sampleTiming: CMSampleTimingInfo
  ) throws {
    guard CMVideoFormatDescriptionMatchesImageBuffer(formatDescription, imageBuffer: imageBuffer) else {
      throw CMFailure(kCMSampleBufferError_InvalidMediaFormat)
    }
    self.init(picture: imageBuffer, block: nil, formatDescription, count: 1, timing: [sampleTiming])
  }

  public convenience init(copying sampleBuffer: CMSampleBuffer, withNewTiming timing: [CMSampleTimingInfo]) throws {
    guard timing.count == 1 || timing.count == sampleBuffer.numSamples else {
      throw CMFailure(kCMSampleBufferError_InvalidEntryCount)
    }
    self.init(
      picture: sampleBuffer.imageBuffer, block: sampleBuffer.dataBuffer, sampleBuffer.formatDescription,
      count: sampleBuffer.numSamples, timing: timing, sizes: sampleBuffer.sizes)
  }

  public convenience init(
    dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription?, numSamples: CMItemCount,
    sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int]
  ) throws {
    guard [0, 1, numSamples].contains(sampleTimings.count), [0, 1, numSamples].contains(sampleSizes.count) else {
      throw CMFailure(kCMSampleBufferError_InvalidEntryCount)
    }
    self.init(
      picture: nil, block: dataBuffer, formatDescription, count: numSamples, timing: sampleTimings, sizes: sampleSizes)
  }
}
