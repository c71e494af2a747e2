/// The places of a sound's channels.
// The memory is made in `init`, freed in `deinit`, and never changed.
/// - Partly: by tags and bitmaps; of a list of descriptions only the number
@safe open class AVAudioChannelLayout: NSObject, @unchecked Sendable {
  /// The layout as Core Audio's functions take it. The pointer is the object's own, and as long valid.
  public let layout: UnsafePointer<AudioChannelLayout>

  public init(layout: UnsafePointer<AudioChannelLayout>) {
    let memory = UnsafeMutablePointer<AudioChannelLayout>.allocate(capacity: 1)
    unsafe memory.initialize(to: layout.pointee)
    unsafe self.layout = UnsafePointer(memory)
    super.init()
  }

  /// Makes the layout of a tag; nil for a tag that stands for a list or a bitmap, and for one without channels.
  public convenience init?(layoutTag: AudioChannelLayoutTag) {
    guard layoutTag & 0xffff > 0 else { return nil }
    var layout = AudioChannelLayout()
    layout.mChannelLayoutTag = layoutTag
    unsafe self.init(layout: &layout)
  }

  open var layoutTag: AudioChannelLayoutTag { unsafe layout.pointee.mChannelLayoutTag }
  open var channelCount: AVAudioChannelCount {
    switch layoutTag {
    case kAudioChannelLayoutTag_UseChannelDescriptions: unsafe layout.pointee.mNumberChannelDescriptions
    case kAudioChannelLayoutTag_UseChannelBitmap: UInt32(unsafe layout.pointee.mChannelBitmap.rawValue.nonzeroBitCount)
    default: layoutTag & 0xffff
    }
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AVAudioChannelLayout else { return false }
    return unsafe layout.pointee == other.layout.pointee
  }
  open override var hash: Int { unsafe layout.pointee.hashValue }

  deinit { unsafe layout.deallocate() }
}

extension AVAudioFormat {
  /// Makes a form of samples in memory, whose channels are those of a layout.
  ///
  /// - Precondition: the form is a common one, the rate is above 0, and the layout has channels.
  public convenience init(
    commonFormat format: AVAudioCommonFormat, sampleRate: Double, interleaved: Bool, channelLayout layout: AVAudioChannelLayout
  ) {
    guard
      let made = AVAudioFormat(
        commonFormat: format, sampleRate: sampleRate, channels: layout.channelCount, interleaved: interleaved)
    else {
      preconditionFailure("AVAudioFormat: \(format) of \(layout.channelCount) channels at \(sampleRate) Hz is no form of samples")
    }
    self.init(unsafe made.streamDescription.pointee, layout)
  }

  /// Makes the usual form, floats of each channel by itself, whose channels are those of a layout.
  public convenience init(standardFormatWithSampleRate sampleRate: Double, channelLayout layout: AVAudioChannelLayout) {
    self.init(commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, interleaved: false, channelLayout: layout)
  }

  /// - Returns: nil where the description has no rate and no channels, or another number of them than the layout.
  public convenience init?(
    streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>, channelLayout layout: AVAudioChannelLayout?
  ) {
    let form = unsafe asbd.pointee
    guard form.mSampleRate > 0, form.mChannelsPerFrame > 0,
      layout.map({ $0.channelCount == form.mChannelsPerFrame }) ?? true
    else { return nil }
    self.init(form, layout)
  }
}
