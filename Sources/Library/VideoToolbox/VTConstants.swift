@_exported public import CoreFoundation

// The names of settings of encoders. A writer takes them among its compression properties.

// Partly: kept by H.264 and HEVC. `DataRateLimits` is one pair, and the level of a profile is the least one that the pictures need
public let kVTCompressionPropertyKey_AverageBitRate: CFString = "AverageBitRate"
public let kVTCompressionPropertyKey_ProfileLevel: CFString = "ProfileLevel"
public let kVTCompressionPropertyKey_AllowFrameReordering: CFString = "AllowFrameReordering"
public let kVTCompressionPropertyKey_AllowTemporalCompression: CFString = "AllowTemporalCompression"
public let kVTCompressionPropertyKey_MaxKeyFrameInterval: CFString = "MaxKeyFrameInterval"
public let kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration: CFString = "MaxKeyFrameIntervalDuration"
public let kVTCompressionPropertyKey_H264EntropyMode: CFString = "H264EntropyMode"
public let kVTCompressionPropertyKey_Quality: CFString = "Quality"
public let kVTCompressionPropertyKey_DataRateLimits: CFString = "DataRateLimits"
public let kVTH264EntropyMode_CAVLC: CFString = "CAVLC"
public let kVTH264EntropyMode_CABAC: CFString = "CABAC"

// Partly: taken, and changes nothing of a movie here
public let kVTCompressionPropertyKey_RealTime: CFString = "RealTime"
public let kVTCompressionPropertyKey_ExpectedFrameRate: CFString = "ExpectedFrameRate"
public let kVTCompressionPropertyKey_ExpectedDuration: CFString = "ExpectedDuration"
public let kVTCompressionPropertyKey_AllowOpenGOP: CFString = "AllowOpenGOP"
public let kVTCompressionPropertyKey_PrioritizeEncodingSpeedOverQuality: CFString = "PrioritizeEncodingSpeedOverQuality"
public let kVTCompressionPropertyKey_NumberOfPendingFrames: CFString = "NumberOfPendingFrames"
public let kVTCompressionPropertyKey_MaxFrameDelayCount: CFString = "MaxFrameDelayCount"
public let kVTCompressionPropertyKey_HDRMetadataInsertionMode: CFString = "HDRMetadataInsertionMode"
public let kVTCompressionPropertyKey_PreserveDynamicHDRMetadata: CFString = "PreserveDynamicHDRMetadata"
public let kVTHDRMetadataInsertionMode_None: CFString = "None"
public let kVTHDRMetadataInsertionMode_Auto: CFString = "Auto"

/// The pixels' shape, as horizontal and vertical spacing.
public let kVTCompressionPropertyKey_PixelAspectRatio: CFString = "PixelAspectRatio"

// Refused: a writer refuses the property by its name. Colours are set beside the compression properties
public let kVTCompressionPropertyKey_ConstantBitRate: CFString = "ConstantBitRate"
public let kVTCompressionPropertyKey_ColorPrimaries: CFString = "ColorPrimaries"
public let kVTCompressionPropertyKey_TransferFunction: CFString = "TransferFunction"
public let kVTCompressionPropertyKey_YCbCrMatrix: CFString = "YCbCrMatrix"
public let kVTCompressionPropertyKey_TargetQualityForAlpha: CFString = "TargetQualityForAlpha"

// Refused: a writer refuses the property by its name: no free encoder makes several layers (MV-HEVC)
public let kVTCompressionPropertyKey_MVHEVCVideoLayerIDs: CFString = "MVHEVCVideoLayerIDs"
public let kVTCompressionPropertyKey_MVHEVCViewIDs: CFString = "MVHEVCViewIDs"
public let kVTCompressionPropertyKey_MVHEVCLeftAndRightViewIDs: CFString = "MVHEVCLeftAndRightViewIDs"
public let kVTCompressionPropertyKey_HasLeftStereoEyeView: CFString = "HasLeftStereoEyeView"
public let kVTCompressionPropertyKey_HasRightStereoEyeView: CFString = "HasRightStereoEyeView"
public let kVTCompressionPropertyKey_HeroEye: CFString = "HeroEye"
public let kVTCompressionPropertyKey_StereoCameraBaseline: CFString = "StereoCameraBaseline"
public let kVTCompressionPropertyKey_HorizontalFieldOfView: CFString = "HorizontalFieldOfView"
public let kVTCompressionPropertyKey_HorizontalDisparityAdjustment: CFString = "HorizontalDisparityAdjustment"

/// - Refused: a reader gives the first layer, and refuses a list of several
public let kVTDecompressionPropertyKey_RequestedMVHEVCVideoLayerIDs: CFString = "RequestedMVHEVCVideoLayerIDs"

// Refused: encoders are those of the program, on the processor: no session is made, and none is listed
public let kVTVideoEncoderSpecification_EnableHardwareAcceleratedVideoEncoder: CFString = "EnableHardwareAcceleratedVideoEncoder"
public let kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder: CFString =
  "RequireHardwareAcceleratedVideoEncoder"
public let kVTVideoDecoderSpecification_EnableHardwareAcceleratedVideoDecoder: CFString = "EnableHardwareAcceleratedVideoDecoder"
public let kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder: CFString =
  "RequireHardwareAcceleratedVideoDecoder"
public let kVTVideoEncoderSpecification_EncoderID: CFString = "EncoderID"
public let kVTVideoEncoderList_CodecType: CFString = "CodecType"
public let kVTVideoEncoderList_EncoderID: CFString = "EncoderID"

// Refused: no session is made that converts pictures
public let kVTPixelTransferPropertyKey_ScalingMode: CFString = "ScalingMode"
public let kVTScalingMode_Normal: CFString = "Normal"
public let kVTScalingMode_CropSourceToCleanAperture: CFString = "CropSourceToCleanAperture"
public let kVTScalingMode_Letterbox: CFString = "Letterbox"
public let kVTScalingMode_Trim: CFString = "Trim"

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
