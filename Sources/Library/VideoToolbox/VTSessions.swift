@_exported public import CoreMedia

// All refused: no session is made: the status is `kVTCouldNotFindVideoEncoderErr`, `kVTCouldNotFindVideoDecoderErr` or
// `kVTPixelTransferNotSupportedErr`

// Sessions that encode and decode samples one by one. There are none here: what would make one says so by the status that VideoToolbox has
// for it, so that an app takes its other way, such as AVAssetWriter and AVAssetReader. Functions that take a session can only be called
// with one, and so never are.

/// A session that would encode.
public final class VTCompressionSession {
  private init() {}
}

/// A session that would decode.
public final class VTDecompressionSession {
  private init() {}
}

/// A session that would convert pixel buffers.
public final class VTPixelTransferSession {
  private init() {}
}

public typealias VTSession = AnyObject

public struct VTEncodeInfoFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let asynchronous = VTEncodeInfoFlags(rawValue: 1)
  public static let frameDropped = VTEncodeInfoFlags(rawValue: 2)
}

public struct VTDecodeInfoFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let asynchronous = VTDecodeInfoFlags(rawValue: 1)
  public static let frameDropped = VTDecodeInfoFlags(rawValue: 2)
  public static let imageBufferModifiable = VTDecodeInfoFlags(rawValue: 4)
}

public struct VTDecodeFrameFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let _EnableAsynchronousDecompression = VTDecodeFrameFlags(rawValue: 1)
  public static let _DoNotOutputFrame = VTDecodeFrameFlags(rawValue: 2)
  public static let _1xRealTimePlayback = VTDecodeFrameFlags(rawValue: 4)
  public static let _EnableTemporalProcessing = VTDecodeFrameFlags(rawValue: 8)
}

public typealias VTCompressionOutputCallback = (
  UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, OSStatus, VTEncodeInfoFlags, CMSampleBuffer?
) -> Void
public typealias VTCompressionOutputHandler = (OSStatus, VTEncodeInfoFlags, CMSampleBuffer?) -> Void
public typealias VTDecompressionOutputCallback = (
  UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, OSStatus, VTDecodeInfoFlags, CVImageBuffer?, CMTime, CMTime
) -> Void
public typealias VTDecompressionOutputHandler = (OSStatus, VTDecodeInfoFlags, CVImageBuffer?, CMTime, CMTime) -> Void

// @safe: the callback and the pointer are kept, and never called.
@safe public struct VTDecompressionOutputCallbackRecord {
  public var decompressionOutputCallback: VTDecompressionOutputCallback?
  public var decompressionOutputRefCon: UnsafeMutableRawPointer?
  public init() {}
  public init(
    decompressionOutputCallback: VTDecompressionOutputCallback?, decompressionOutputRefCon: UnsafeMutableRawPointer?
  ) {
    unsafe self.decompressionOutputCallback = decompressionOutputCallback
    unsafe self.decompressionOutputRefCon = decompressionOutputRefCon
  }
}

/// Makes no session.
///
/// - Returns: `kVTCouldNotFindVideoEncoderErr`, always.
public func VTCompressionSessionCreate(
  allocator: CFAllocator?, width: Int32, height: Int32, codecType: CMVideoCodecType, encoderSpecification: CFDictionary?,
  imageBufferAttributes: CFDictionary?, compressedDataAllocator: CFAllocator?, outputCallback: VTCompressionOutputCallback?,
  refcon: UnsafeMutableRawPointer?, compressionSessionOut: UnsafeMutablePointer<VTCompressionSession?>
) -> OSStatus {
  unsafe compressionSessionOut.initialize(to: nil)
  return kVTCouldNotFindVideoEncoderErr
}

public func VTCompressionSessionPrepareToEncodeFrames(_ session: VTCompressionSession) -> OSStatus { kVTInvalidSessionErr }
public func VTCompressionSessionInvalidate(_ session: VTCompressionSession) {}
public func VTCompressionSessionCompleteFrames(
  _ session: VTCompressionSession, untilPresentationTimeStamp completeUntilPresentationTimeStamp: CMTime
) -> OSStatus { kVTInvalidSessionErr }
public func VTCompressionSessionGetPixelBufferPool(_ session: VTCompressionSession) -> CVPixelBufferPool? { nil }

public func VTCompressionSessionEncodeFrame(
  _ session: VTCompressionSession, imageBuffer: CVImageBuffer, presentationTimeStamp: CMTime, duration: CMTime,
  frameProperties: CFDictionary?, sourceFrameRefcon: UnsafeMutableRawPointer?,
  infoFlagsOut: UnsafeMutablePointer<VTEncodeInfoFlags>?
) -> OSStatus { kVTInvalidSessionErr }

public func VTCompressionSessionEncodeFrame(
  _ session: VTCompressionSession, imageBuffer: CVImageBuffer, presentationTimeStamp: CMTime, duration: CMTime,
  frameProperties: CFDictionary?, infoFlagsOut: UnsafeMutablePointer<VTEncodeInfoFlags>?,
  outputHandler: @escaping VTCompressionOutputHandler
) -> OSStatus { kVTInvalidSessionErr }

/// Makes no session.
///
/// - Returns: `kVTCouldNotFindVideoDecoderErr`, always.
public func VTDecompressionSessionCreate(
  allocator: CFAllocator?, formatDescription videoFormatDescription: CMVideoFormatDescription,
  decoderSpecification videoDecoderSpecification: CFDictionary?,
  imageBufferAttributes destinationImageBufferAttributes: CFDictionary?,
  outputCallback: UnsafePointer<VTDecompressionOutputCallbackRecord>?,
  decompressionSessionOut: UnsafeMutablePointer<VTDecompressionSession?>
) -> OSStatus {
  unsafe decompressionSessionOut.initialize(to: nil)
  return kVTCouldNotFindVideoDecoderErr
}

/// Makes no session.
///
/// - Returns: `kVTCouldNotFindVideoDecoderErr`, always.
public func VTDecompressionSessionCreate(
  allocator: CFAllocator?, formatDescription videoFormatDescription: CMVideoFormatDescription,
  decoderSpecification videoDecoderSpecification: CFDictionary?,
  imageBufferAttributes destinationImageBufferAttributes: CFDictionary?,
  decompressionSessionOut: UnsafeMutablePointer<VTDecompressionSession?>
) -> OSStatus {
  unsafe decompressionSessionOut.initialize(to: nil)
  return kVTCouldNotFindVideoDecoderErr
}

public func VTDecompressionSessionInvalidate(_ session: VTDecompressionSession) {}
public func VTDecompressionSessionFinishDelayedFrames(_ session: VTDecompressionSession) -> OSStatus { kVTInvalidSessionErr }
public func VTDecompressionSessionWaitForAsynchronousFrames(_ session: VTDecompressionSession) -> OSStatus {
  kVTInvalidSessionErr
}
public func VTDecompressionSessionCanAcceptFormatDescription(
  _ session: VTDecompressionSession, formatDescription newFormatDesc: CMFormatDescription
) -> Bool { false }

public func VTDecompressionSessionDecodeFrame(
  _ session: VTDecompressionSession, sampleBuffer: CMSampleBuffer, flags decodeFlags: VTDecodeFrameFlags,
  frameRefcon sourceFrameRefCon: UnsafeMutableRawPointer?, infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>?
) -> OSStatus { kVTInvalidSessionErr }

public func VTDecompressionSessionDecodeFrame(
  _ session: VTDecompressionSession, sampleBuffer: CMSampleBuffer, flags decodeFlags: VTDecodeFrameFlags,
  infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>?, outputHandler: @escaping VTDecompressionOutputHandler
) -> OSStatus { kVTInvalidSessionErr }

public func VTSessionSetProperty(_ session: VTSession, key propertyKey: CFString, value propertyValue: CFTypeRef?) -> OSStatus {
  kVTInvalidSessionErr
}
public func VTSessionSetProperties(_ session: VTSession, propertyDictionary: CFDictionary) -> OSStatus { kVTInvalidSessionErr }

/// Makes no session.
///
/// - Returns: `kVTPixelTransferNotSupportedErr`, always.
public func VTPixelTransferSessionCreate(
  allocator: CFAllocator?, pixelTransferSessionOut: UnsafeMutablePointer<VTPixelTransferSession?>
) -> OSStatus {
  unsafe pixelTransferSessionOut.initialize(to: nil)
  return kVTPixelTransferNotSupportedErr
}
public func VTPixelTransferSessionTransferImage(
  _ session: VTPixelTransferSession, from sourceBuffer: CVPixelBuffer, to destinationBuffer: CVPixelBuffer
) -> OSStatus { kVTInvalidSessionErr }
public func VTPixelTransferSessionInvalidate(_ session: VTPixelTransferSession) {}
