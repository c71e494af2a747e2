/// The name of settings for a writer.
public struct AVOutputSettingsPreset: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let preset640x480 = AVOutputSettingsPreset(rawValue: "AVOutputSettingsPreset640x480")
  public static let preset960x540 = AVOutputSettingsPreset(rawValue: "AVOutputSettingsPreset960x540")
  public static let preset1280x720 = AVOutputSettingsPreset(rawValue: "AVOutputSettingsPreset1280x720")
  public static let preset1920x1080 = AVOutputSettingsPreset(rawValue: "AVOutputSettingsPreset1920x1080")
  public static let preset3840x2160 = AVOutputSettingsPreset(rawValue: "AVOutputSettingsPreset3840x2160")
  public static let hevc1920x1080 = AVOutputSettingsPreset(rawValue: "AVOutputSettingsPresetHEVC1920x1080")
  public static let hevc3840x2160 = AVOutputSettingsPreset(rawValue: "AVOutputSettingsPresetHEVC3840x2160")
  public static let hevc7680x4320 = AVOutputSettingsPreset(rawValue: "AVOutputSettingsPresetHEVC7680x4320")

  /// HEVC with transparency, which has no encoder here.
  /// - Refused: an assistant of it is nil
  public static let hevc1920x1080WithAlpha = AVOutputSettingsPreset(rawValue: "AVOutputSettingsPresetHEVC1920x1080WithAlpha")
  /// - Refused: an assistant of it is nil
  public static let hevc3840x2160WithAlpha = AVOutputSettingsPreset(rawValue: "AVOutputSettingsPresetHEVC3840x2160WithAlpha")

  fileprivate static let sizes: [(preset: Self, width: Int32, height: Int32)] = [
    (.preset640x480, 640, 480), (.preset960x540, 960, 540), (.preset1280x720, 1280, 720), (.preset1920x1080, 1920, 1080),
    (.preset3840x2160, 3840, 2160), (.hevc1920x1080, 1920, 1080), (.hevc3840x2160, 3840, 2160), (.hevc7680x4320, 7680, 4320),
  ]
}

/// Settings for the inputs of a writer that go well together. They may be changed before they are used.
///
/// Pictures become no larger than their source, keep its shape, and have even sides. Apple's bit rates are not public: here a picture has a
/// tenth of a bit for each pixel, and with HEVC six tenths of that.
/// - Partly: bit rates are chosen here; sound is AAC of 128 kbit/s for two channels
open class AVOutputSettingsAssistant: NSObject {
  private let isHEVC: Bool
  private let bounds: (width: Int32, height: Int32)
  /// The form of the sound that is written; nil for stereo at 44,100 samples a second.
  open var sourceAudioFormat: CMAudioFormatDescription?
  /// The form of the pictures that are written; nil for pictures of the preset's size.
  open var sourceVideoFormat: CMVideoFormatDescription?
  open var sourceVideoAverageFrameDuration = CMTime(value: 1, timescale: 30)
  open var sourceVideoMinFrameDuration = CMTime(value: 1, timescale: 30)

  open class func availableOutputSettingsPresets() -> [AVOutputSettingsPreset] { AVOutputSettingsPreset.sizes.map(\.preset) }

  /// - Returns: nil for a preset that has no encoder here.
  public init?(preset presetIdentifier: AVOutputSettingsPreset) {
    guard let found = AVOutputSettingsPreset.sizes.first(where: { $0.preset == presetIdentifier }) else { return nil }
    bounds = (found.width, found.height)
    isHEVC = presetIdentifier.rawValue.contains("HEVC")
    super.init()
  }

  open var outputFileType: AVFileType { .mov }

  open var videoSettings: [String: Any]? {
    let (width, height) = size
    let seconds = sourceVideoAverageFrameDuration.seconds
    let rate = seconds > 0 && seconds.isFinite ? 1 / seconds : 30
    let bits = Double(width) * Double(height) * rate * (isHEVC ? 0.06 : 0.1)
    return [
      AVVideoCodecKey: (isHEVC ? AVVideoCodecType.hevc : .h264).rawValue, AVVideoWidthKey: width, AVVideoHeightKey: height,
      AVVideoCompressionPropertiesKey: [
        AVVideoAverageBitRateKey: Int(max(bits, 100_000)),
        AVVideoProfileLevelKey: isHEVC ? "HEVC_Main_AutoLevel" : AVVideoProfileLevelH264HighAutoLevel,
      ] as [String: Any],
    ]
  }

  open var audioSettings: [String: Any]? {
    let given = sourceAudioFormat.flatMap { unsafe CMAudioFormatDescriptionGetStreamBasicDescription($0)?.pointee }
    let channels = given.map { $0.mChannelsPerFrame > 2 ? 6 : Int($0.mChannelsPerFrame) } ?? 2
    return [
      AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: given.map { $0.mSampleRate > 44_100 ? 48_000.0 : 44_100 } ?? 44_100,
      AVNumberOfChannelsKey: channels, AVEncoderBitRateKey: 64_000 * channels,
    ]
  }

  /// The largest size of the source's shape within the preset's bounds, not larger than the source.
  private var size: (width: Int, height: Int) {
    guard let source = sourceVideoFormat.map({ CMVideoFormatDescriptionGetDimensions($0) }), source.width > 0, source.height > 0
    else { return (Int(bounds.width), Int(bounds.height)) }
    // Pictures that stand upright have the preset's sides the other way round.
    let isUpright = source.height > source.width
    let (width, height) = isUpright ? (bounds.height, bounds.width) : bounds
    let scale = min(1, Double(width) / Double(source.width), Double(height) / Double(source.height))
    func even(_ side: Int32) -> Int { max(2, Int((Double(side) * scale / 2).rounded()) * 2) }
    return (even(source.width), even(source.height))
  }
}
