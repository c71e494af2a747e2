// All refused: no file is opened: the status is `kAudioFileUnsupportedFileTypeError`

// Files of sound by the functions of Core Audio. None is ever opened: what would open one says so by its status. AVAudioFile, AVAssetReader
// and AVAssetWriter read and write sound.

/// A file that would be open.
public final class ExtAudioFile {
  private init() {}
}

public typealias ExtAudioFileRef = ExtAudioFile
public typealias ExtAudioFilePropertyID = UInt32
public typealias AudioFileTypeID = UInt32
public typealias ULONG = UInt32

public struct AudioFileFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let eraseFile = AudioFileFlags(rawValue: 1)
  public static let dontPageAlignAudioData = AudioFileFlags(rawValue: 2)
}

public let kExtAudioFileProperty_FileDataFormat: ExtAudioFilePropertyID = 0x6666_6D74  // 'ffmt'
public let kExtAudioFileProperty_ClientDataFormat: ExtAudioFilePropertyID = 0x6366_6D74  // 'cfmt'
public let kExtAudioFileProperty_FileLengthFrames: ExtAudioFilePropertyID = 0x2366_726D  // '#frm'
public let kAudioFileAIFFType: AudioFileTypeID = 0x4149_4646  // 'AIFF'
public let kAudioFileWAVEType: AudioFileTypeID = 0x5741_5645  // 'WAVE'
public let kAudioFileCAFType: AudioFileTypeID = 0x6361_6666  // 'caff'
public let kAudioFileM4AType: AudioFileTypeID = 0x6D34_6166  // 'm4af'
public let kAudioFileMP3Type: AudioFileTypeID = 0x4D50_4733  // 'MPG3'
public let kAudioFileUnsupportedFileTypeError: OSStatus = 0x7479_703F  // 'typ?'
public let kAudioFileNotOpenError: OSStatus = -38

/// Opens no file.
///
/// - Returns: `kAudioFileUnsupportedFileTypeError`, always.
@discardableResult
public func ExtAudioFileOpenURL(_ inURL: CFURL, _ outExtAudioFile: UnsafeMutablePointer<ExtAudioFileRef?>) -> OSStatus {
  unsafe outExtAudioFile.initialize(to: nil)
  return kAudioFileUnsupportedFileTypeError
}

/// Makes no file.
///
/// - Returns: `kAudioFileUnsupportedFileTypeError`, always.
@discardableResult
public func ExtAudioFileCreateWithURL(
  _ inURL: CFURL, _ inFileType: AudioFileTypeID, _ inStreamDesc: UnsafePointer<AudioStreamBasicDescription>,
  _ inChannelLayout: UnsafePointer<AudioChannelLayout>?, _ inFlags: UInt32,
  _ outExtAudioFile: UnsafeMutablePointer<ExtAudioFileRef?>
) -> OSStatus {
  unsafe outExtAudioFile.initialize(to: nil)
  return kAudioFileUnsupportedFileTypeError
}

@discardableResult
public func ExtAudioFileGetProperty(
  _ inExtAudioFile: ExtAudioFileRef, _ inPropertyID: ExtAudioFilePropertyID, _ ioPropertyDataSize: UnsafeMutablePointer<UInt32>,
  _ outPropertyData: UnsafeMutableRawPointer
) -> OSStatus { kAudioFileNotOpenError }

@discardableResult
public func ExtAudioFileSetProperty(
  _ inExtAudioFile: ExtAudioFileRef, _ inPropertyID: ExtAudioFilePropertyID, _ inPropertyDataSize: UInt32,
  _ inPropertyData: UnsafeRawPointer
) -> OSStatus { kAudioFileNotOpenError }

@discardableResult
public func ExtAudioFileRead(
  _ inExtAudioFile: ExtAudioFileRef, _ ioNumberFrames: UnsafeMutablePointer<UInt32>,
  _ ioData: UnsafeMutablePointer<AudioBufferList>
) -> OSStatus { kAudioFileNotOpenError }

@discardableResult
public func ExtAudioFileWrite(
  _ inExtAudioFile: ExtAudioFileRef, _ inNumberFrames: UInt32, _ ioData: UnsafePointer<AudioBufferList>
) -> OSStatus { kAudioFileNotOpenError }

@discardableResult
public func ExtAudioFileDispose(_ inExtAudioFile: ExtAudioFileRef) -> OSStatus { kAudioFileNotOpenError }
