// The names that Swift had for these before version 4, and some before version 4.2.
@available(*, deprecated, renamed: "AVMediaType.video") public let AVMediaTypeVideo = AVMediaType.video
@available(*, deprecated, renamed: "AVMediaType.audio") public let AVMediaTypeAudio = AVMediaType.audio
@available(*, deprecated, renamed: "AVMediaType.text") public let AVMediaTypeText = AVMediaType.text
@available(*, deprecated, renamed: "AVMediaType.subtitle") public let AVMediaTypeSubtitle = AVMediaType.subtitle
@available(*, deprecated, renamed: "AVMediaType.closedCaption") public let AVMediaTypeClosedCaption = AVMediaType.closedCaption
@available(*, deprecated, renamed: "AVMediaType.timecode") public let AVMediaTypeTimecode = AVMediaType.timecode
@available(*, deprecated, renamed: "AVMediaType.metadata") public let AVMediaTypeMetadata = AVMediaType.metadata
@available(*, deprecated, renamed: "AVMediaType.muxed") public let AVMediaTypeMuxed = AVMediaType.muxed
@available(*, deprecated, renamed: "AVFileType.mov") public let AVFileTypeQuickTimeMovie = AVFileType.mov
@available(*, deprecated, renamed: "AVFileType.mp4") public let AVFileTypeMPEG4 = AVFileType.mp4
@available(*, deprecated, renamed: "AVFileType.m4v") public let AVFileTypeAppleM4V = AVFileType.m4v
@available(*, deprecated, renamed: "AVFileType.m4a") public let AVFileTypeAppleM4A = AVFileType.m4a
@available(*, deprecated, renamed: "AVFileType.mp3") public let AVFileTypeMPEGLayer3 = AVFileType.mp3
@available(*, deprecated, renamed: "AVFileType.wav") public let AVFileTypeWAVE = AVFileType.wav
@available(*, deprecated, renamed: "AVFileType.caf") public let AVFileTypeCoreAudioFormat = AVFileType.caf
@available(*, deprecated, renamed: "AVFileType.aiff") public let AVFileTypeAIFF = AVFileType.aiff
@available(*, deprecated, renamed: "AVFileType.aifc") public let AVFileTypeAIFC = AVFileType.aifc
@available(*, deprecated, renamed: "AVFileType.ac3") public let AVFileTypeAC3 = AVFileType.ac3
@available(*, deprecated, renamed: "AVFileType.amr") public let AVFileTypeAMR = AVFileType.amr
@available(*, deprecated, renamed: "AVFileType.mobile3GPP") public let AVFileType3GPP = AVFileType.mobile3GPP
@available(*, deprecated, renamed: "AVFileType.jpg") public let AVFileTypeJPEG = AVFileType.jpg
@available(*, deprecated, renamed: "AVMediaCharacteristic.visual")
public let AVMediaCharacteristicVisual = AVMediaCharacteristic.visual
@available(*, deprecated, renamed: "AVMediaCharacteristic.audible")
public let AVMediaCharacteristicAudible = AVMediaCharacteristic.audible
@available(*, deprecated, renamed: "AVMediaCharacteristic.legible")
public let AVMediaCharacteristicLegible = AVMediaCharacteristic.legible
@available(*, deprecated, renamed: "AVMediaCharacteristic.frameBased")
public let AVMediaCharacteristicFrameBased = AVMediaCharacteristic.frameBased
@available(*, deprecated, renamed: "AVAudioTimePitchAlgorithm.lowQualityZeroLatency")
public let AVAudioTimePitchAlgorithmLowQualityZeroLatency = AVAudioTimePitchAlgorithm.lowQualityZeroLatency
@available(*, deprecated, renamed: "AVAudioTimePitchAlgorithm.timeDomain")
public let AVAudioTimePitchAlgorithmTimeDomain = AVAudioTimePitchAlgorithm.timeDomain
@available(*, deprecated, renamed: "AVAudioTimePitchAlgorithm.spectral")
public let AVAudioTimePitchAlgorithmSpectral = AVAudioTimePitchAlgorithm.spectral
@available(*, deprecated, renamed: "AVAudioTimePitchAlgorithm.varispeed")
public let AVAudioTimePitchAlgorithmVarispeed = AVAudioTimePitchAlgorithm.varispeed
@available(*, deprecated, renamed: "AVLayerVideoGravity.resize")
public let AVLayerVideoGravityResize = AVLayerVideoGravity.resize
@available(*, deprecated, renamed: "AVLayerVideoGravity.resizeAspect")
public let AVLayerVideoGravityResizeAspect = AVLayerVideoGravity.resizeAspect
@available(*, deprecated, renamed: "AVLayerVideoGravity.resizeAspectFill")
public let AVLayerVideoGravityResizeAspectFill = AVLayerVideoGravity.resizeAspectFill
@available(*, deprecated, renamed: "AVMetadataKeySpace.common") public let AVMetadataKeySpaceCommon = AVMetadataKeySpace.common
@available(*, deprecated, renamed: "AVMetadataKeySpace.quickTimeMetadata")
public let AVMetadataKeySpaceQuickTimeMetadata = AVMetadataKeySpace.quickTimeMetadata
@available(*, deprecated, renamed: "AVMetadataKeySpace.quickTimeUserData")
public let AVMetadataKeySpaceQuickTimeUserData = AVMetadataKeySpace.quickTimeUserData
@available(*, deprecated, renamed: "AVMetadataKeySpace.id3") public let AVMetadataKeySpaceID3 = AVMetadataKeySpace.id3
@available(*, deprecated, renamed: "AVMetadataKeySpace.iTunes") public let AVMetadataKeySpaceiTunes = AVMetadataKeySpace.iTunes
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyTitle")
public let AVMetadataCommonKeyTitle = AVMetadataKey.commonKeyTitle
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyCreator")
public let AVMetadataCommonKeyCreator = AVMetadataKey.commonKeyCreator
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyAuthor")
public let AVMetadataCommonKeyAuthor = AVMetadataKey.commonKeyAuthor
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyArtist")
public let AVMetadataCommonKeyArtist = AVMetadataKey.commonKeyArtist
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyAlbumName")
public let AVMetadataCommonKeyAlbumName = AVMetadataKey.commonKeyAlbumName
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyDescription")
public let AVMetadataCommonKeyDescription = AVMetadataKey.commonKeyDescription
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyCopyrights")
public let AVMetadataCommonKeyCopyrights = AVMetadataKey.commonKeyCopyrights
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyCreationDate")
public let AVMetadataCommonKeyCreationDate = AVMetadataKey.commonKeyCreationDate
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyLocation")
public let AVMetadataCommonKeyLocation = AVMetadataKey.commonKeyLocation
@available(*, deprecated, renamed: "AVMetadataKey.commonKeySoftware")
public let AVMetadataCommonKeySoftware = AVMetadataKey.commonKeySoftware
@available(*, deprecated, renamed: "AVMetadataKey.commonKeyArtwork")
public let AVMetadataCommonKeyArtwork = AVMetadataKey.commonKeyArtwork
@available(*, deprecated, renamed: "AVAssetExportSession.Status")
public typealias AVAssetExportSessionStatus = AVAssetExportSession.Status
@available(*, deprecated, renamed: "AVAssetReader.Status") public typealias AVAssetReaderStatus = AVAssetReader.Status
@available(*, deprecated, renamed: "AVAssetWriter.Status") public typealias AVAssetWriterStatus = AVAssetWriter.Status
@available(*, deprecated, renamed: "AVAssetImageGenerator.Result")
public typealias AVAssetImageGeneratorResult = AVAssetImageGenerator.Result
@available(*, deprecated, renamed: "AVPlayer.Status") public typealias AVPlayerStatus = AVPlayer.Status
@available(*, deprecated, renamed: "AVPlayerItem.Status") public typealias AVPlayerItemStatus = AVPlayerItem.Status
@available(*, deprecated, renamed: "AVPlayer.TimeControlStatus")
public typealias AVPlayerTimeControlStatus = AVPlayer.TimeControlStatus
@available(*, deprecated, renamed: "AVPlayer.ActionAtItemEnd")
public typealias AVPlayerActionAtItemEnd = AVPlayer.ActionAtItemEnd
@available(*, deprecated, renamed: "AVCaptureDevice.Position")
public typealias AVCaptureDevicePosition = AVCaptureDevice.Position
