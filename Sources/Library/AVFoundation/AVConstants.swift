public struct AVMediaType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
  public static let video = AVMediaType("vide")
  public static let audio = AVMediaType("soun")
  public static let text = AVMediaType("text")
  public static let subtitle = AVMediaType("sbtl")
  public static let closedCaption = AVMediaType("clcp")
  public static let timecode = AVMediaType("tmcd")
  public static let metadata = AVMediaType("meta")
  public static let muxed = AVMediaType("muxx")
  public static let depthData = AVMediaType("dpth")
  public static let metadataObject = AVMediaType("mobj")
  public static let haptic = AVMediaType("hapt")
}

/// - Partly: as `AVAssetExportSession`
public struct AVFileType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public init(_ rawValue: String) { self.rawValue = rawValue }
  public static let mov = AVFileType("com.apple.quicktime-movie")
  public static let mp4 = AVFileType("public.mpeg-4")
  public static let m4v = AVFileType("com.apple.m4v-video")
  public static let m4a = AVFileType("com.apple.m4a-audio")
  public static let mp3 = AVFileType("public.mp3")
  public static let wav = AVFileType("com.microsoft.waveform-audio")
  public static let caf = AVFileType("com.apple.coreaudio-format")
  public static let aiff = AVFileType("public.aiff-audio")
  public static let aifc = AVFileType("public.aifc-audio")
  public static let ac3 = AVFileType("public.ac3-audio")
  public static let eac3 = AVFileType("public.enhanced-ac3-audio")
  public static let amr = AVFileType("org.3gpp.adaptive-multi-rate-audio")
  public static let au = AVFileType("public.au-audio")
  public static let mobile3GPP = AVFileType("public.3gpp")
  public static let mobile3GPP2 = AVFileType("public.3gpp2")
  public static let avci = AVFileType("public.avci")
  public static let dng = AVFileType("com.adobe.raw-image")
  public static let heif = AVFileType("public.heif")
  public static let tif = AVFileType("public.tiff")
  public static let SCC = AVFileType("com.scenarist.closed-caption")
  public static let iTT = AVFileType("com.apple.itunes-timed-text")
  public static let jpg = AVFileType("public.jpeg")
  public static let heic = AVFileType("public.heic")
}

/// Pictures of H.264, and a whole track of AAC, are copied, packet for packet, where nothing is done to them. All else is encoded at the highest
/// quality.
/// - Partly: pictures of H.264, and a whole track of AAC, are copied (docs/export.md#copying-instead-of-encoding) where nothing is done to
///   them; all else is encoded as by `AVAssetExportPresetHighestQuality`
public let AVAssetExportPresetPassthrough = "AVAssetExportPresetPassthrough"
public let AVAssetExportPresetLowQuality = "AVAssetExportPresetLowQuality"
public let AVAssetExportPresetMediumQuality = "AVAssetExportPresetMediumQuality"
public let AVAssetExportPresetHighestQuality = "AVAssetExportPresetHighestQuality"
public let AVAssetExportPreset640x480 = "AVAssetExportPreset640x480"
public let AVAssetExportPreset960x540 = "AVAssetExportPreset960x540"
public let AVAssetExportPreset1280x720 = "AVAssetExportPreset1280x720"
public let AVAssetExportPreset1920x1080 = "AVAssetExportPreset1920x1080"
public let AVAssetExportPreset3840x2160 = "AVAssetExportPreset3840x2160"
public let AVAssetExportPresetHEVCHighestQuality = "AVAssetExportPresetHEVCHighestQuality"
public let AVAssetExportPresetHEVC1920x1080 = "AVAssetExportPresetHEVC1920x1080"
public let AVAssetExportPresetHEVC3840x2160 = "AVAssetExportPresetHEVC3840x2160"
public let AVAssetExportPresetAppleM4A = "AVAssetExportPresetAppleM4A"
public let AVAssetExportPresetAppleProRes422LPCM = "AVAssetExportPresetAppleProRes422LPCM"
public let AVAssetExportPresetAppleProRes4444LPCM = "AVAssetExportPresetAppleProRes4444LPCM"

/// - Partly: all three are set, or none. PQ and HLG are refused in 8 bits, which every preset has
public let AVVideoColorPrimaries_ITU_R_709_2 = "ITU_R_709_2"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoColorPrimaries_SMPTE_C = "SMPTE_C"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoColorPrimaries_EBU_3213 = "EBU_3213"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoColorPrimaries_P3_D65 = "P3_D65"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoColorPrimaries_ITU_R_2020 = "ITU_R_2020"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoTransferFunction_ITU_R_709_2 = "ITU_R_709_2"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoTransferFunction_SMPTE_ST_2084_PQ = "SMPTE_ST_2084_PQ"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoTransferFunction_ITU_R_2100_HLG = "ITU_R_2100_HLG"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoTransferFunction_IEC_sRGB = "IEC_sRGB"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoTransferFunction_Linear = "Linear"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoYCbCrMatrix_ITU_R_709_2 = "ITU_R_709_2"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoYCbCrMatrix_ITU_R_601_4 = "ITU_R_601_4"
/// - Partly: as `AVVideoColorPrimaries_ITU_R_709_2`
public let AVVideoYCbCrMatrix_ITU_R_2020 = "ITU_R_2020"

public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
public let AVURLAssetAllowsCellularAccessKey = "AVURLAssetAllowsCellularAccessKey"

/// The time that stands for a movie's beginning in `beginTime`. Core Animation takes 0 for the time of day.
public let AVCoreAnimationBeginTimeAtZero: CFTimeInterval = 1e-100

/// The methods by which sound that is played faster or slower is made. All but `varispeed` keep its pitch, by the same method here.
/// - Partly: as `AVAudioMixInputParameters`
public struct AVAudioTimePitchAlgorithm: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let lowQualityZeroLatency = AVAudioTimePitchAlgorithm(rawValue: "LowQualityZeroLatency")
  public static let timeDomain = AVAudioTimePitchAlgorithm(rawValue: "TimeDomain")
  public static let spectral = AVAudioTimePitchAlgorithm(rawValue: "Spectral")
  /// The pitch rises and falls with the speed.
  public static let varispeed = AVAudioTimePitchAlgorithm(rawValue: "Varispeed")
}

extension AVAssetTrack {
  /// The ways in which tracks are bound to each other.
  /// - Refused: a writer that is told to bind tracks fails when it begins
  public struct AssociationType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let audioFallback = AssociationType(rawValue: "fall")
    public static let chapterList = AssociationType(rawValue: "chap")
    public static let forcedSubtitlesOnly = AssociationType(rawValue: "forc")
    public static let selectionFollower = AssociationType(rawValue: "folw")
    public static let timecode = AssociationType(rawValue: "tmcd")
    public static let metadataReferent = AssociationType(rawValue: "cdsc")
  }
}
