public typealias CMMediaType = FourCharCode
public typealias CMVideoCodecType = FourCharCode
public typealias CMPixelFormatType = FourCharCode
public typealias CMVideoFormatDescription = CMFormatDescription
public typealias CMAudioFormatDescription = CMFormatDescription
public typealias CMMetadataFormatDescription = CMFormatDescription

public let kCMMediaType_Video: CMMediaType = 0x7669_6465  // 'vide'
public let kCMMediaType_Audio: CMMediaType = 0x736F_756E  // 'soun'
public let kCMMediaType_Muxed: CMMediaType = 0x6D75_7878  // 'muxx'
public let kCMMediaType_Text: CMMediaType = 0x7465_7874  // 'text'
public let kCMMediaType_ClosedCaption: CMMediaType = 0x636C_6370  // 'clcp'
public let kCMMediaType_Subtitle: CMMediaType = 0x7362_746C  // 'sbtl'
public let kCMMediaType_TimeCode: CMMediaType = 0x746D_6364  // 'tmcd'
public let kCMMediaType_Metadata: CMMediaType = 0x6D65_7461  // 'meta'

public let kCMVideoCodecType_422YpCbCr8: CMVideoCodecType = kCVPixelFormatType_422YpCbCr8
public let kCMVideoCodecType_JPEG: CMVideoCodecType = 0x6A70_6567  // 'jpeg'
public let kCMVideoCodecType_H264: CMVideoCodecType = 0x6176_6331  // 'avc1'
public let kCMVideoCodecType_HEVC: CMVideoCodecType = 0x6876_6331  // 'hvc1'
public let kCMVideoCodecType_MPEG4Video: CMVideoCodecType = 0x6D70_3476  // 'mp4v'
public let kCMVideoCodecType_VP9: CMVideoCodecType = 0x7670_3039  // 'vp09'
public let kCMVideoCodecType_AV1: CMVideoCodecType = 0x6176_3031  // 'av01'
public let kCMVideoCodecType_AppleProRes4444: CMVideoCodecType = 0x6170_3468  // 'ap4h'
public let kCMVideoCodecType_AppleProRes422HQ: CMVideoCodecType = 0x6170_6368  // 'apch'
public let kCMVideoCodecType_AppleProRes422: CMVideoCodecType = 0x6170_636E  // 'apcn'
public let kCMVideoCodecType_AppleProRes422LT: CMVideoCodecType = 0x6170_6373  // 'apcs'
public let kCMVideoCodecType_AppleProRes422Proxy: CMVideoCodecType = 0x6170_636F  // 'apco'
public let kCMPixelFormat_32BGRA: CMPixelFormatType = kCVPixelFormatType_32BGRA
public let kCMPixelFormat_32ARGB: CMPixelFormatType = kCVPixelFormatType_32ARGB

public let kCMFormatDescriptionError_InvalidParameter: OSStatus = -12710
public let kCMFormatDescriptionError_AllocationFailed: OSStatus = -12711
public let kCMFormatDescriptionExtension_FormatName: CFString = "FormatName"
public let kCMFormatDescriptionExtension_ColorPrimaries: CFString = kCVImageBufferColorPrimariesKey
public let kCMFormatDescriptionExtension_TransferFunction: CFString = kCVImageBufferTransferFunctionKey
public let kCMFormatDescriptionExtension_YCbCrMatrix: CFString = kCVImageBufferYCbCrMatrixKey
public let kCMFormatDescriptionColorPrimaries_ITU_R_709_2: CFString = kCVImageBufferColorPrimaries_ITU_R_709_2
public let kCMFormatDescriptionColorPrimaries_ITU_R_2020: CFString = kCVImageBufferColorPrimaries_ITU_R_2020
public let kCMFormatDescriptionColorPrimaries_P3_D65: CFString = kCVImageBufferColorPrimaries_P3_D65
public let kCMFormatDescriptionTransferFunction_ITU_R_709_2: CFString = kCVImageBufferTransferFunction_ITU_R_709_2
public let kCMFormatDescriptionTransferFunction_ITU_R_2100_HLG: CFString = kCVImageBufferTransferFunction_ITU_R_2100_HLG
public let kCMFormatDescriptionTransferFunction_SMPTE_ST_2084_PQ: CFString = kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ
public let kCMFormatDescriptionYCbCrMatrix_ITU_R_709_2: CFString = kCVImageBufferYCbCrMatrix_ITU_R_709_2
public let kCMFormatDescriptionYCbCrMatrix_ITU_R_601_4: CFString = kCVImageBufferYCbCrMatrix_ITU_R_601_4
public let kCMFormatDescriptionYCbCrMatrix_ITU_R_2020: CFString = kCVImageBufferYCbCrMatrix_ITU_R_2020

/// The size of a picture in pixels.
public struct CMVideoDimensions: Hashable, Sendable {
  public var width: Int32
  public var height: Int32
  public init() { (width, height) = (0, 0) }
  public init(width: Int32, height: Int32) { (self.width, self.height) = (width, height) }
}

/// The form of samples: pictures of a codec and size, or sound of a format.
// All is constant after `init`. The extensions are values that their maker hands over.
/// - Partly: as `CMSampleBuffer`
@safe public final class CMFormatDescription: @unchecked Sendable {
  /// The kind of media of a description.
  public struct MediaType: RawRepresentable, Hashable, Sendable {
    public var rawValue: CMMediaType
    public init(rawValue: CMMediaType) { self.rawValue = rawValue }
    public static let video = MediaType(rawValue: kCMMediaType_Video)
    public static let audio = MediaType(rawValue: kCMMediaType_Audio)
    public static let muxed = MediaType(rawValue: kCMMediaType_Muxed)
    public static let text = MediaType(rawValue: kCMMediaType_Text)
    public static let timeCode = MediaType(rawValue: kCMMediaType_TimeCode)
    public static let metadata = MediaType(rawValue: kCMMediaType_Metadata)
  }

  /// The codec or the pixel format of a description.
  public struct MediaSubType: RawRepresentable, Hashable, Sendable {
    public var rawValue: FourCharCode
    public init(rawValue: FourCharCode) { self.rawValue = rawValue }
    public static let h264 = MediaSubType(rawValue: kCMVideoCodecType_H264)
    public static let hevc = MediaSubType(rawValue: kCMVideoCodecType_HEVC)
    public static let proRes422 = MediaSubType(rawValue: kCMVideoCodecType_AppleProRes422)
    public static let linearPCM = MediaSubType(rawValue: kAudioFormatLinearPCM)
    public static let mpeg4AAC = MediaSubType(rawValue: kAudioFormatMPEG4AAC)
    public static let appleLossless = MediaSubType(rawValue: kAudioFormatAppleLossless)
  }

  let type: CMMediaType
  let subType: FourCharCode
  public let dimensions: CMVideoDimensions
  let sound: UnsafeMutablePointer<AudioStreamBasicDescription>?
  let layout: UnsafeMutablePointer<AudioChannelLayout>?
  let facts: [String: Any]
  /// The keys of metadata that changes with time; none for other media.
  package let metadataKeys: [MetadataKey]

  package init(video subType: FourCharCode, _ dimensions: CMVideoDimensions, _ facts: [String: Any] = [:]) {
    (type, self.subType, self.dimensions, self.facts, metadataKeys) = (kCMMediaType_Video, subType, dimensions, facts, [])
    unsafe (sound, layout) = (nil, nil)
  }

  package init(metadata subType: FourCharCode, _ keys: [MetadataKey]) {
    (type, self.subType, dimensions, metadataKeys) = (kCMMediaType_Metadata, subType, CMVideoDimensions(), keys)
    facts = keys.isEmpty ? [:] : [kCMFormatDescriptionExtensionKey_MetadataKeyTable: keys.map(\.facts)]
    unsafe (sound, layout) = (nil, nil)
  }

  package init(
    sound form: AudioStreamBasicDescription, layout: AudioChannelLayout? = nil, _ facts: [String: Any] = [:]
  ) {
    (type, subType, dimensions, self.facts, metadataKeys) = (kCMMediaType_Audio, form.mFormatID, CMVideoDimensions(), facts, [])
    let pointer = UnsafeMutablePointer<AudioStreamBasicDescription>.allocate(capacity: 1)
    unsafe pointer.initialize(to: form)
    unsafe sound = unsafe pointer
    unsafe self.layout = layout.map { layout in
      let pointer = UnsafeMutablePointer<AudioChannelLayout>.allocate(capacity: 1)
      unsafe pointer.initialize(to: layout)
      return unsafe pointer
    }
  }

  deinit {
    unsafe sound?.deallocate()
    unsafe layout?.deallocate()
  }

  public var mediaType: MediaType { MediaType(rawValue: type) }
  public var mediaSubType: MediaSubType { MediaSubType(rawValue: subType) }
  public var audioStreamBasicDescription: AudioStreamBasicDescription? { unsafe sound?.pointee }
}

extension CMFormatDescription: Hashable {
  public static func == (a: CMFormatDescription, b: CMFormatDescription) -> Bool {
    a.type == b.type && a.subType == b.subType && a.dimensions == b.dimensions
      && a.audioStreamBasicDescription == b.audioStreamBasicDescription && a.metadataKeys == b.metadataKeys
  }
  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(subType)
    hasher.combine(dimensions)
  }
}

public func CMFormatDescriptionGetMediaType(_ desc: CMFormatDescription) -> CMMediaType { desc.type }
public func CMFormatDescriptionGetMediaSubType(_ desc: CMFormatDescription) -> FourCharCode { desc.subType }
public func CMFormatDescriptionGetExtensions(_ desc: CMFormatDescription) -> CFDictionary? {
  desc.facts.isEmpty ? nil : desc.facts
}
public func CMFormatDescriptionGetExtension(_ desc: CMFormatDescription, extensionKey: CFString) -> CFTypeRef? {
  desc.facts[extensionKey]
}
public func CMFormatDescriptionEqual(
  _ formatDescription: CMFormatDescription?, otherFormatDescription: CMFormatDescription?
) -> Bool { formatDescription == otherFormatDescription }

public func CMVideoFormatDescriptionGetDimensions(_ videoDesc: CMVideoFormatDescription) -> CMVideoDimensions {
  videoDesc.dimensions
}
public func CMVideoFormatDescriptionCreate(
  allocator: CFAllocator?, codecType: CMVideoCodecType, width: Int32, height: Int32, extensions: CFDictionary?,
  formatDescriptionOut: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus {
  guard width > 0, height > 0 else { return kCMFormatDescriptionError_InvalidParameter }
  unsafe formatDescriptionOut.initialize(
    to: CMFormatDescription(
      video: codecType, CMVideoDimensions(width: width, height: height), extensions ?? [:]))
  return noErr
}

public func CMVideoFormatDescriptionCreateForImageBuffer(
  allocator: CFAllocator?, imageBuffer: CVImageBuffer, formatDescriptionOut: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus {
  unsafe formatDescriptionOut.initialize(to: CMFormatDescription(of: imageBuffer))
  return noErr
}

public func CMVideoFormatDescriptionMatchesImageBuffer(
  _ videoDesc: CMVideoFormatDescription, imageBuffer: CVImageBuffer
) -> Bool { videoDesc == CMFormatDescription(of: imageBuffer) }

extension CMFormatDescription {
  /// Makes the description of a picture in memory.
  public convenience init(imageBuffer: CVImageBuffer) throws { self.init(of: imageBuffer) }

  package convenience init(of picture: CVPixelBuffer) {
    self.init(
      video: picture.type, CMVideoDimensions(width: Int32(picture.width), height: Int32(picture.height)),
      CVBufferCopyAttachments(picture, .shouldPropagate) ?? [:])
  }
}

public func CMAudioFormatDescriptionCreate(
  allocator: CFAllocator?, asbd: UnsafePointer<AudioStreamBasicDescription>, layoutSize: Int,
  layout: UnsafePointer<AudioChannelLayout>?, magicCookieSize: Int, magicCookie: UnsafeRawPointer?, extensions: CFDictionary?,
  formatDescriptionOut: UnsafeMutablePointer<CMAudioFormatDescription?>
) -> OSStatus {
  unsafe formatDescriptionOut.initialize(
    to: unsafe CMFormatDescription(
      sound: asbd.pointee, layout: layoutSize > 0 ? layout?.pointee : nil, extensions ?? [:]))
  return noErr
}

/// The form of the sound; nil for pictures. The pointer is valid as long as the description lives.
public func CMAudioFormatDescriptionGetStreamBasicDescription(
  _ desc: CMAudioFormatDescription
) -> UnsafePointer<AudioStreamBasicDescription>? { unsafe desc.sound.map { unsafe UnsafePointer($0) } }

public func CMAudioFormatDescriptionGetChannelLayout(
  _ desc: CMAudioFormatDescription, sizeOut: UnsafeMutablePointer<Int>?
) -> UnsafePointer<AudioChannelLayout>? {
  unsafe sizeOut?.pointee = desc.layout == nil ? 0 : MemoryLayout<AudioChannelLayout>.size
  return unsafe desc.layout.map { unsafe UnsafePointer($0) }
}
