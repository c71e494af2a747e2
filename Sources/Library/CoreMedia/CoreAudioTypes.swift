public typealias AudioFormatID = UInt32
public typealias AudioFormatFlags = UInt32
public typealias AudioChannelLayoutTag = UInt32
public typealias AudioChannelLabel = UInt32

public let kAudioFormatLinearPCM: AudioFormatID = 0x6C70_636D  // 'lpcm'
public let kAudioFormatMPEG4AAC: AudioFormatID = 0x6161_6320  // 'aac '
public let kAudioFormatMPEG4AAC_HE: AudioFormatID = 0x6161_6368  // 'aach'
public let kAudioFormatAppleLossless: AudioFormatID = 0x616C_6163  // 'alac'
public let kAudioFormatAC3: AudioFormatID = 0x6163_2D33  // 'ac-3'
public let kAudioFormatMPEGLayer3: AudioFormatID = 0x2E6D_7033  // '.mp3'
public let kAudioFormatFLAC: AudioFormatID = 0x666C_6163  // 'flac'
public let kAudioFormatOpus: AudioFormatID = 0x6F70_7573  // 'opus'
public let kAudioFormatMPEG4AAC_HE_V2: AudioFormatID = 0x6161_6370  // 'aacp'
public let kAudioFormatMPEG4AAC_LD: AudioFormatID = 0x6161_636C  // 'aacl'
public let kAudioFormatMPEG4AAC_ELD: AudioFormatID = 0x6161_6365  // 'aace'
public let kAudioFormatMPEGLayer1: AudioFormatID = 0x2E6D_7031  // '.mp1'
public let kAudioFormatMPEGLayer2: AudioFormatID = 0x2E6D_7032  // '.mp2'
public let kAudioFormatEnhancedAC3: AudioFormatID = 0x6563_2D33  // 'ec-3'
public let kAudioFormatAppleIMA4: AudioFormatID = 0x696D_6134  // 'ima4'
public let kAudioFormatULaw: AudioFormatID = 0x756C_6177  // 'ulaw'
public let kAudioFormatALaw: AudioFormatID = 0x616C_6177  // 'alaw'
public let kAudioFormatAMR: AudioFormatID = 0x7361_6D72  // 'samr'
public let kAudioFormatAPAC: AudioFormatID = 0x6170_6163  // 'apac'

public let kAudioFormatFlagIsFloat: AudioFormatFlags = 1
public let kAudioFormatFlagIsBigEndian: AudioFormatFlags = 2
public let kAudioFormatFlagIsSignedInteger: AudioFormatFlags = 4
public let kAudioFormatFlagIsPacked: AudioFormatFlags = 8
public let kAudioFormatFlagIsAlignedHigh: AudioFormatFlags = 16
public let kAudioFormatFlagIsNonInterleaved: AudioFormatFlags = 32
public let kAudioFormatFlagsNativeEndian: AudioFormatFlags = 0
public let kAudioFormatFlagsNativeFloatPacked: AudioFormatFlags = 9
public let kLinearPCMFormatFlagIsFloat = kAudioFormatFlagIsFloat
public let kLinearPCMFormatFlagIsBigEndian = kAudioFormatFlagIsBigEndian
public let kLinearPCMFormatFlagIsSignedInteger = kAudioFormatFlagIsSignedInteger
public let kLinearPCMFormatFlagIsPacked = kAudioFormatFlagIsPacked
public let kLinearPCMFormatFlagIsNonInterleaved = kAudioFormatFlagIsNonInterleaved

public let kAudioChannelLayoutTag_UseChannelDescriptions: AudioChannelLayoutTag = 0
public let kAudioChannelLayoutTag_Mono: AudioChannelLayoutTag = 100 << 16 | 1
public let kAudioChannelLayoutTag_Stereo: AudioChannelLayoutTag = 101 << 16 | 2
public let kAudioChannelLayoutTag_UseChannelBitmap: AudioChannelLayoutTag = 1 << 16
public let kAudioChannelLayoutTag_StereoHeadphones: AudioChannelLayoutTag = 102 << 16 | 2
public let kAudioChannelLayoutTag_Binaural: AudioChannelLayoutTag = 106 << 16 | 2
public let kAudioChannelLayoutTag_Quadraphonic: AudioChannelLayoutTag = 108 << 16 | 4
public let kAudioChannelLayoutTag_MPEG_3_0_A: AudioChannelLayoutTag = 113 << 16 | 3
public let kAudioChannelLayoutTag_MPEG_4_0_A: AudioChannelLayoutTag = 115 << 16 | 4
public let kAudioChannelLayoutTag_MPEG_5_0_A: AudioChannelLayoutTag = 117 << 16 | 5
public let kAudioChannelLayoutTag_MPEG_5_1_A: AudioChannelLayoutTag = 121 << 16 | 6
public let kAudioChannelLayoutTag_MPEG_5_1_B: AudioChannelLayoutTag = 122 << 16 | 6
public let kAudioChannelLayoutTag_MPEG_5_1_C: AudioChannelLayoutTag = 123 << 16 | 6
public let kAudioChannelLayoutTag_MPEG_5_1_D: AudioChannelLayoutTag = 124 << 16 | 6
public let kAudioChannelLayoutTag_AAC_5_1: AudioChannelLayoutTag = kAudioChannelLayoutTag_MPEG_5_1_D
public let kAudioChannelLayoutTag_MPEG_6_1_A: AudioChannelLayoutTag = 125 << 16 | 7
public let kAudioChannelLayoutTag_MPEG_7_1_A: AudioChannelLayoutTag = 126 << 16 | 8
public let kAudioChannelLayoutTag_MPEG_7_1_B: AudioChannelLayoutTag = 127 << 16 | 8
public let kAudioChannelLayoutTag_MPEG_7_1_C: AudioChannelLayoutTag = 128 << 16 | 8
public let kAudioChannelLayoutTag_DiscreteInOrder: AudioChannelLayoutTag = 147 << 16
public let kAudioChannelLayoutTag_Unknown: AudioChannelLayoutTag = 0xffff_0000

/// The form of a stream of sound.
public struct AudioStreamBasicDescription: Hashable, Sendable {
  public var mSampleRate: Double
  public var mFormatID: AudioFormatID
  public var mFormatFlags: AudioFormatFlags
  public var mBytesPerPacket: UInt32
  public var mFramesPerPacket: UInt32
  public var mBytesPerFrame: UInt32
  public var mChannelsPerFrame: UInt32
  public var mBitsPerChannel: UInt32
  public var mReserved: UInt32

  public init() {
    self.init(
      mSampleRate: 0, mFormatID: 0, mFormatFlags: 0, mBytesPerPacket: 0, mFramesPerPacket: 0, mBytesPerFrame: 0,
      mChannelsPerFrame: 0, mBitsPerChannel: 0, mReserved: 0)
  }

  public init(
    mSampleRate: Double, mFormatID: AudioFormatID, mFormatFlags: AudioFormatFlags, mBytesPerPacket: UInt32,
    mFramesPerPacket: UInt32, mBytesPerFrame: UInt32, mChannelsPerFrame: UInt32, mBitsPerChannel: UInt32, mReserved: UInt32
  ) {
    (self.mSampleRate, self.mFormatID, self.mFormatFlags) = (mSampleRate, mFormatID, mFormatFlags)
    (self.mBytesPerPacket, self.mFramesPerPacket, self.mBytesPerFrame) = (mBytesPerPacket, mFramesPerPacket, mBytesPerFrame)
    (self.mChannelsPerFrame, self.mBitsPerChannel, self.mReserved) = (mChannelsPerFrame, mBitsPerChannel, mReserved)
  }
}

/// The description of a packet whose length is not always the same.
public struct AudioStreamPacketDescription: Hashable, Sendable {
  public var mStartOffset: Int64
  public var mVariableFramesInPacket: UInt32
  public var mDataByteSize: UInt32
  public init() { (mStartOffset, mVariableFramesInPacket, mDataByteSize) = (0, 0, 0) }
  public init(mStartOffset: Int64, mVariableFramesInPacket: UInt32, mDataByteSize: UInt32) {
    (self.mStartOffset, self.mVariableFramesInPacket) = (mStartOffset, mVariableFramesInPacket)
    self.mDataByteSize = mDataByteSize
  }
}

/// - Partly: by tags; lists of descriptions are not read
public struct AudioChannelDescription: Hashable, Sendable {
  public var mChannelLabel: AudioChannelLabel
  public var mChannelFlags: UInt32
  public var mCoordinates: SIMD3<Float>
  public init() { (mChannelLabel, mChannelFlags, mCoordinates) = (0, 0, .zero) }
}

/// A set of channels, by their places.
public struct AudioChannelBitmap: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let bit_Left = AudioChannelBitmap(rawValue: 1)
  public static let bit_Right = AudioChannelBitmap(rawValue: 2)
  public static let bit_Center = AudioChannelBitmap(rawValue: 4)
  public static let bit_LFEScreen = AudioChannelBitmap(rawValue: 8)
  public static let bit_LeftSurround = AudioChannelBitmap(rawValue: 16)
  public static let bit_RightSurround = AudioChannelBitmap(rawValue: 32)
}

/// The places of channels, by a tag. Lists of descriptions are not read here.
/// - Partly: by tags; lists of descriptions are not read
public struct AudioChannelLayout: Hashable, Sendable {
  public var mChannelLayoutTag: AudioChannelLayoutTag
  public var mChannelBitmap: AudioChannelBitmap
  public var mNumberChannelDescriptions: UInt32
  public var mChannelDescriptions: AudioChannelDescription
  public init() {
    self.init(
      mChannelLayoutTag: 0, mChannelBitmap: [], mNumberChannelDescriptions: 0, mChannelDescriptions: AudioChannelDescription())
  }

  public init(
    mChannelLayoutTag: AudioChannelLayoutTag, mChannelBitmap: AudioChannelBitmap, mNumberChannelDescriptions: UInt32,
    mChannelDescriptions: AudioChannelDescription
  ) {
    (self.mChannelLayoutTag, self.mChannelBitmap) = (mChannelLayoutTag, mChannelBitmap)
    (self.mNumberChannelDescriptions, self.mChannelDescriptions) = (mNumberChannelDescriptions, mChannelDescriptions)
  }
}

/// A piece of memory with sound.
@safe public struct AudioBuffer {
  public var mNumberChannels: UInt32
  public var mDataByteSize: UInt32
  public var mData: UnsafeMutableRawPointer?
  public init() { unsafe (mNumberChannels, mDataByteSize, mData) = (0, 0, nil) }
  public init(mNumberChannels: UInt32, mDataByteSize: UInt32, mData: UnsafeMutableRawPointer?) {
    unsafe (self.mNumberChannels, self.mDataByteSize, self.mData) = unsafe (mNumberChannels, mDataByteSize, mData)
  }
}

/// One piece of memory, or the first of several.
public struct AudioBufferList {
  public var mNumberBuffers: UInt32
  public var mBuffers: AudioBuffer
  public init() { (mNumberBuffers, mBuffers) = (0, AudioBuffer()) }
  public init(mNumberBuffers: UInt32, mBuffers: AudioBuffer) {
    (self.mNumberBuffers, self.mBuffers) = (mNumberBuffers, mBuffers)
  }
}
public typealias Float64 = Double
