// The keys of the settings with which pictures are encoded.
public let AVVideoCodecKey = "AVVideoCodecKey"
public let AVVideoWidthKey = "AVVideoWidthKey"
public let AVVideoHeightKey = "AVVideoHeightKey"
public let AVVideoScalingModeKey = "AVVideoScalingModeKey"
public let AVVideoScalingModeFit = "AVVideoScalingModeFit"
public let AVVideoScalingModeResize = "AVVideoScalingModeResize"
public let AVVideoScalingModeResizeAspect = "AVVideoScalingModeResizeAspect"
public let AVVideoScalingModeResizeAspectFill = "AVVideoScalingModeResizeAspectFill"
public let AVVideoPixelAspectRatioKey = "PixelAspectRatio"
public let AVVideoPixelAspectRatioHorizontalSpacingKey = "HorizontalSpacing"
public let AVVideoPixelAspectRatioVerticalSpacingKey = "VerticalSpacing"
/// - Partly: a part of the picture is shown in mov and mp4 in one piece, with the index at the end
public let AVVideoCleanApertureKey = "CleanAperture"
public let AVVideoCleanApertureWidthKey = "Width"
public let AVVideoCleanApertureHeightKey = "Height"
public let AVVideoCleanApertureHorizontalOffsetKey = "HorizontalOffset"
public let AVVideoCleanApertureVerticalOffsetKey = "VerticalOffset"
public let AVVideoColorPropertiesKey = "AVVideoColorPropertiesKey"
public let AVVideoColorPrimariesKey = "ColorPrimaries"
public let AVVideoTransferFunctionKey = "TransferFunction"
public let AVVideoYCbCrMatrixKey = "YCbCrMatrix"
public let AVVideoAllowWideColorKey = "AVVideoAllowWideColorKey"
public let AVVideoCompressionPropertiesKey = "AVVideoCompressionPropertiesKey"
public let AVVideoDecompressionPropertiesKey = "AVVideoDecompressionPropertiesKey"
/// - Partly: kept in one pass over the pictures as they come, by x264 within a tenth for movies of a few seconds, by x265 within
///   a quarter, and closer the longer they are; it is counted with the first picture's duration. H.264 and HEVC only
public let AVVideoAverageBitRateKey = "AverageBitRate"
/// - Partly: stands for a rate factor, and is outdone by a bit rate
public let AVVideoQualityKey = "Quality"
/// - Partly: kept by H.264 and HEVC
public let AVVideoMaxKeyFrameIntervalKey = "MaxKeyFrameInterval"
/// - Partly: kept by H.264 and HEVC
public let AVVideoMaxKeyFrameIntervalDurationKey = "MaxKeyFrameIntervalDuration"
/// - Partly: kept by H.264 and HEVC
public let AVVideoAllowFrameReorderingKey = "AllowFrameReordering"
/// - Partly: the profile is kept. The level is the least one that the pictures need; a named one that they exceed is refused
public let AVVideoProfileLevelKey = "ProfileLevel"
public let AVVideoProfileLevelH264BaselineAutoLevel = "H264_Baseline_AutoLevel"
public let AVVideoProfileLevelH264Baseline30 = "H264_Baseline_3_0"
public let AVVideoProfileLevelH264Baseline31 = "H264_Baseline_3_1"
public let AVVideoProfileLevelH264Baseline41 = "H264_Baseline_4_1"
public let AVVideoProfileLevelH264MainAutoLevel = "H264_Main_AutoLevel"
public let AVVideoProfileLevelH264Main30 = "H264_Main_3_0"
public let AVVideoProfileLevelH264Main31 = "H264_Main_3_1"
public let AVVideoProfileLevelH264Main32 = "H264_Main_3_2"
public let AVVideoProfileLevelH264Main41 = "H264_Main_4_1"
public let AVVideoProfileLevelH264HighAutoLevel = "H264_High_AutoLevel"
public let AVVideoProfileLevelH264High40 = "H264_High_4_0"
public let AVVideoProfileLevelH264High41 = "H264_High_4_1"
/// - Partly: kept by H.264 and HEVC
public let AVVideoH264EntropyModeKey = "H264EntropyMode"
public let AVVideoH264EntropyModeCAVLC = "CAVLC"
public let AVVideoH264EntropyModeCABAC = "CABAC"
/// - Partly: change nothing of a movie here. Every other compression property is refused by its name
public let AVVideoExpectedSourceFrameRateKey = "ExpectedFrameRate"
/// - Partly: as `AVVideoExpectedSourceFrameRateKey`
public let AVVideoAverageNonDroppableFrameRateKey = "AverageNonDroppableFrameRate"

/// A codec of pictures.
public struct AVVideoCodecType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let h264 = AVVideoCodecType(rawValue: "avc1")
  public static let hevc = AVVideoCodecType(rawValue: "hvc1")
  public static let hevcWithAlpha = AVVideoCodecType(rawValue: "muxa")
  public static let jpeg = AVVideoCodecType(rawValue: "jpeg")
  public static let proRes422 = AVVideoCodecType(rawValue: "apcn")
  public static let proRes422HQ = AVVideoCodecType(rawValue: "apch")
  public static let proRes422LT = AVVideoCodecType(rawValue: "apcs")
  public static let proRes422Proxy = AVVideoCodecType(rawValue: "apco")
  public static let proRes4444 = AVVideoCodecType(rawValue: "ap4h")
}

@available(*, deprecated, renamed: "AVVideoCodecType.h264")
public let AVVideoCodecH264 = "avc1"
@available(*, deprecated, renamed: "AVVideoCodecType.hevc")
public let AVVideoCodecHEVC = "hvc1"
@available(*, deprecated, renamed: "AVVideoCodecType.jpeg")
public let AVVideoCodecJPEG = "jpeg"

// The keys of the settings with which sound is encoded.
public let AVFormatIDKey = "AVFormatIDKey"
public let AVSampleRateKey = "AVSampleRateKey"
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"
public let AVChannelLayoutKey = "AVChannelLayoutKey"
public let AVEncoderBitRateKey = "AVEncoderBitRateKey"
public let AVEncoderBitRatePerChannelKey = "AVEncoderBitRatePerChannelKey"
public let AVEncoderAudioQualityKey = "AVEncoderQualityKey"
public let AVEncoderBitRateStrategyKey = "AVEncoderBitRateStrategyKey"
public let AVEncoderBitDepthHintKey = "AVEncoderBitDepthHintKey"
public let AVAudioBitRateStrategy_Constant = "AVAudioBitRateStrategy_Constant"
public let AVAudioBitRateStrategy_Variable = "AVAudioBitRateStrategy_Variable"
public let AVSampleRateConverterAudioQualityKey = "AVSampleRateConverterQualityKey"
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"
public let AVLinearPCMIsNonInterleavedKey = "AVLinearPCMIsNonInterleaved"

/// The quality of an encoder of sound or of a converter of rates. All is of the highest here.
public enum AVAudioQuality: Int, Sendable { case min = 0, low = 32, medium = 64, high = 96, max = 127 }
