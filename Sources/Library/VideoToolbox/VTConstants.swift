@_exported public import CoreFoundation

// The names of settings of encoders. Which of them an export or a writer takes is said in the page about AVFoundation.

public let kVTCompressionPropertyKey_AverageBitRate: CFString = "AverageBitRate"
public let kVTCompressionPropertyKey_ProfileLevel: CFString = "ProfileLevel"
public let kVTCompressionPropertyKey_RealTime: CFString = "RealTime"
public let kVTCompressionPropertyKey_AllowFrameReordering: CFString = "AllowFrameReordering"
public let kVTCompressionPropertyKey_AllowTemporalCompression: CFString = "AllowTemporalCompression"
public let kVTCompressionPropertyKey_AllowOpenGOP: CFString = "AllowOpenGOP"
public let kVTCompressionPropertyKey_MaxKeyFrameInterval: CFString = "MaxKeyFrameInterval"
public let kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration: CFString = "MaxKeyFrameIntervalDuration"
public let kVTCompressionPropertyKey_ExpectedFrameRate: CFString = "ExpectedFrameRate"
public let kVTCompressionPropertyKey_ExpectedDuration: CFString = "ExpectedDuration"
public let kVTCompressionPropertyKey_H264EntropyMode: CFString = "H264EntropyMode"
public let kVTCompressionPropertyKey_Quality: CFString = "Quality"
public let kVTCompressionPropertyKey_DataRateLimits: CFString = "DataRateLimits"
public let kVTCompressionPropertyKey_ConstantBitRate: CFString = "ConstantBitRate"
public let kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality: CFString = "PrioritizeEncodingSpeedOverQuality"
public let kVTCompressionPropertyKey_ColorPrimaries: CFString = "ColorPrimaries"
public let kVTCompressionPropertyKey_TransferFunction: CFString = "TransferFunction"
public let kVTCompressionPropertyKey_YCbCrMatrix: CFString = "YCbCrMatrix"
public let kVTCompressionPropertyKey_HDRMetadataInsertionMode: CFString = "HDRMetadataInsertionMode"
public let kVTCompressionPropertyKey_PreserveDynamicHDRMetadata: CFString = "PreserveDynamicHDRMetadata"
public let kVTCompressionPropertyKey_PixelAspectRatio: CFString = "PixelAspectRatio"
public let kVTCompressionPropertyKey_NumberOfPendingFrames: CFString = "NumberOfPendingFrames"
public let kVTCompressionPropertyKey_TargetQualityForAlpha: CFString = "TargetQualityForAlpha"
public let kVTCompressionPropertyKey_MaxFrameDelayCount: CFString = "MaxFrameDelayCount"
public let kVTHDRMetadataInsertionMode_None: CFString = "None"
public let kVTHDRMetadataInsertionMode_Auto: CFString = "Auto"
public let kVTProfileLevel_HEVC_Main_AutoLevel: CFString = "HEVC_Main_AutoLevel"
public let kVTProfileLevel_HEVC_Main10_AutoLevel: CFString = "HEVC_Main10_AutoLevel"
public let kVTProfileLevel_HEVC_Main42210_AutoLevel: CFString = "HEVC_Main42210_AutoLevel"
public let kVTProfileLevel_H264_Baseline_AutoLevel: CFString = "H264_Baseline_AutoLevel"
public let kVTProfileLevel_H264_Baseline_3_1: CFString = "H264_Baseline_3_1"
public let kVTProfileLevel_H264_Baseline_4_1: CFString = "H264_Baseline_4_1"
public let kVTProfileLevel_H264_Main_AutoLevel: CFString = "H264_Main_AutoLevel"
public let kVTProfileLevel_H264_Main_3_1: CFString = "H264_Main_3_1"
public let kVTProfileLevel_H264_Main_4_0: CFString = "H264_Main_4_0"
public let kVTProfileLevel_H264_High_AutoLevel: CFString = "H264_High_AutoLevel"
public let kVTProfileLevel_H264_High_4_0: CFString = "H264_High_4_0"
public let kVTProfileLevel_H264_High_4_1: CFString = "H264_High_4_1"
public let kVTProfileLevel_H264_High_5_2: CFString = "H264_High_5_2"
public let kVTH264EntropyMode_CAVLC: CFString = "CAVLC"
public let kVTH264EntropyMode_CABAC: CFString = "CABAC"
public let kVTVideoEncoderSpecification_EnableHardwareAcceleratedVideoEncoder: CFString = "EnableHardwareAcceleratedVideoEncoder"
public let kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder: CFString =
  "RequireHardwareAcceleratedVideoEncoder"
public let kVTVideoEncoderSpecification_EncoderID: CFString = "EncoderID"
public let kVTVideoEncoderList_CodecType: CFString = "CodecType"
public let kVTVideoEncoderList_EncoderID: CFString = "EncoderID"

public let kVTInvalidSessionErr: OSStatus = -12903
public let kVTParameterErr: OSStatus = -12902
public let kVTAllocationFailedErr: OSStatus = -12904
public let kVTPixelTransferNotSupportedErr: OSStatus = -12905
public let kVTCouldNotFindVideoDecoderErr: OSStatus = -12906
public let kVTCouldNotCreateInstanceErr: OSStatus = -12907
public let kVTCouldNotFindVideoEncoderErr: OSStatus = -12908
public let kVTVideoDecoderBadDataErr: OSStatus = -12909
public let kVTPropertyNotSupportedErr: OSStatus = -12900

/// Whether this machine decodes a codec in hardware. Hardware is not used here.
public func VTIsHardwareDecodeSupported(_ codecType: FourCharCode) -> Bool { false }
