/// - Partly: as `AVAudioFile`
public typealias AVAudioChannelCount = UInt32
/// - Partly: as `AVAudioFile`
public typealias AVAudioFrameCount = UInt32
/// - Partly: as `AVAudioFile`
public typealias AVAudioFramePosition = Int64

/// - Partly: as `AVAudioFile`
public enum AVAudioCommonFormat: UInt, Sendable {
  case otherFormat = 0, pcmFormatFloat32, pcmFormatFloat64, pcmFormatInt16, pcmFormatInt32
}

/// The form of sound in memory or in a file.
// All is constant.
/// - Partly: as `AVAudioFile`
open class AVAudioFormat: NSObject, @unchecked Sendable {
  private let form: AudioStreamBasicDescription
  public let formatDescription: CMAudioFormatDescription

  /// The places of the channels, where they were told.
  public let channelLayout: AVAudioChannelLayout?

  init(_ form: AudioStreamBasicDescription, _ channelLayout: AVAudioChannelLayout? = nil) {
    (self.form, formatDescription) = (form, CMFormatDescription(sound: form))
    self.channelLayout = channelLayout
    super.init()
  }

  /// Makes a form of samples in memory; nil for one that is not common.
  public convenience init?(
    commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool
  ) {
    let kinds: [AVAudioCommonFormat: (bytes: UInt32, kind: AudioFormatFlags)] = [
      .pcmFormatFloat32: (4, kAudioFormatFlagIsFloat), .pcmFormatFloat64: (8, kAudioFormatFlagIsFloat),
      .pcmFormatInt16: (2, kAudioFormatFlagIsSignedInteger), .pcmFormatInt32: (4, kAudioFormatFlagIsSignedInteger),
    ]
    guard let (bytes, kind) = kinds[format], sampleRate > 0, channels > 0 else { return nil }
    let frame = interleaved ? bytes * channels : bytes
    self.init(
      AudioStreamBasicDescription(
        mSampleRate: sampleRate, mFormatID: kAudioFormatLinearPCM,
        mFormatFlags: kind | kAudioFormatFlagIsPacked | (interleaved ? 0 : kAudioFormatFlagIsNonInterleaved),
        mBytesPerPacket: frame, mFramesPerPacket: 1, mBytesPerFrame: frame, mChannelsPerFrame: channels,
        mBitsPerChannel: bytes * 8, mReserved: 0))
  }

  /// Makes the usual form: floats, each channel by itself.
  public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
    self.init(commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels, interleaved: false)
  }

  /// Makes a form of settings, such as those of a file; nil where they name no rate and no channels.
  public convenience init?(settings: [String: Any]) {
    let format = AnyNumber.whole(settings[AVFormatIDKey]).flatMap { AudioFormatID(exactly: $0) } ?? kAudioFormatLinearPCM
    guard let rate = AnyNumber.real(settings[AVSampleRateKey]), rate > 0,
      let channels = AnyNumber.whole(settings[AVNumberOfChannelsKey]).flatMap({ UInt32(exactly: $0) }), channels > 0
    else { return nil }
    guard format == kAudioFormatLinearPCM else {
      var form = AudioStreamBasicDescription()
      (form.mSampleRate, form.mFormatID, form.mChannelsPerFrame) = (rate, format, channels)
      self.init(form)
      return
    }
    let isFloat = AnyNumber.truth(settings[AVLinearPCMIsFloatKey]) ?? false
    let common: AVAudioCommonFormat? =
      switch (isFloat, AnyNumber.whole(settings[AVLinearPCMBitDepthKey]) ?? (isFloat ? 32 : 16)) {
      case (true, 32): .pcmFormatFloat32
      case (true, 64): .pcmFormatFloat64
      case (false, 16): .pcmFormatInt16
      case (false, 32): .pcmFormatInt32
      default: nil
      }
    guard let common, AnyNumber.truth(settings[AVLinearPCMIsBigEndianKey]) != true else { return nil }
    self.init(
      commonFormat: common, sampleRate: rate, channels: channels,
      interleaved: AnyNumber.truth(settings[AVLinearPCMIsNonInterleaved]) != true)
  }

  public convenience init?(streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>) {
    let form = unsafe asbd.pointee
    guard form.mSampleRate > 0, form.mChannelsPerFrame > 0 else { return nil }
    self.init(form)
  }

  public convenience init(cmAudioFormatDescription formatDescription: CMAudioFormatDescription) {
    self.init(formatDescription.audioStreamBasicDescription ?? AudioStreamBasicDescription())
  }

  open var sampleRate: Double { form.mSampleRate }
  open var channelCount: AVAudioChannelCount { form.mChannelsPerFrame }
  open var isInterleaved: Bool { form.mFormatFlags & kAudioFormatFlagIsNonInterleaved == 0 }
  open var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }
  /// The form as Core Audio's functions take it. The pointer is the format's own, and as long valid.
  open var streamDescription: UnsafePointer<AudioStreamBasicDescription> {
    unsafe CMAudioFormatDescriptionGetStreamBasicDescription(formatDescription)!
  }
  open var commonFormat: AVAudioCommonFormat {
    guard form.mFormatID == kAudioFormatLinearPCM, form.mFormatFlags & kAudioFormatFlagIsBigEndian == 0 else {
      return .otherFormat
    }
    switch (form.mFormatFlags & kAudioFormatFlagIsFloat != 0, form.mBitsPerChannel) {
    case (true, 32): return .pcmFormatFloat32
    case (true, 64): return .pcmFormatFloat64
    case (false, 16): return .pcmFormatInt16
    case (false, 32): return .pcmFormatInt32
    default: return .otherFormat
    }
  }

  open var settings: [String: Any] {
    var made: [String: Any] = [
      AVFormatIDKey: form.mFormatID, AVSampleRateKey: form.mSampleRate, AVNumberOfChannelsKey: Int(form.mChannelsPerFrame),
    ]
    guard form.mFormatID == kAudioFormatLinearPCM else { return made }
    made[AVLinearPCMBitDepthKey] = Int(form.mBitsPerChannel)
    made[AVLinearPCMIsFloatKey] = form.mFormatFlags & kAudioFormatFlagIsFloat != 0
    made[AVLinearPCMIsBigEndianKey] = form.mFormatFlags & kAudioFormatFlagIsBigEndian != 0
    made[AVLinearPCMIsNonInterleaved] = !isInterleaved
    return made
  }

  /// Whether both forms are the same. Mono and stereo have the usual layout where none was told.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVAudioFormat, other.form == form else { return false }
    return layoutTag == other.layoutTag
  }
  private var layoutTag: AudioChannelLayoutTag? {
    let usual: [UInt32: AudioChannelLayoutTag] = [1: kAudioChannelLayoutTag_Mono, 2: kAudioChannelLayoutTag_Stereo]
    return channelLayout?.layoutTag ?? usual[channelCount]
  }
  open override var hash: Int { form.hashValue }

  /// The bytes of a sample of one channel.
  var bytesPerSample: Int { Int(form.mBitsPerChannel / 8) }
}
