/// A codec of a movie's sound. A new one is a case here and in `AudioCoding`, and a file such as AAC.swift.
package enum AudioCodec: String, Hashable, Sendable, CaseIterable {
  case aac, opus, mp3, ac3, eac3, flac, alac, pcm

  /// The codec where a document names it only: 192 kbit/s where it is lossy.
  package var usual: AudioCoding {
    switch self {
    case .aac: .aac(AAC())
    case .opus: .opus(Opus())
    case .mp3: .mp3(MP3())
    case .ac3: .ac3(AC3())
    case .eac3: .eac3(EAC3())
    case .flac: .flac(FLAC())
    case .alac: .alac(ALAC())
    case .pcm: .pcm(PCM())
    }
  }

  /// The file types that hold it.
  package var fileTypes: [FileType] { usual.coder.fileTypes }
  /// The sample rates, in samples per second, ascending.
  package var sampleRates: [Int32] { usual.coder.sampleRates }
  /// The bit rates, in bits per second of all channels together; nil for a lossless codec.
  package var bitRates: ClosedRange<Int>? { usual.coder.bitRates }
  package var isLossless: Bool { bitRates == nil }
}

/// A codec of a movie's sound, with the settings that this codec has.
package enum AudioCoding: Hashable, Sendable {
  case aac(AAC)
  case opus(Opus)
  case mp3(MP3)
  case ac3(AC3)
  case eac3(EAC3)
  case flac(FLAC)
  case alac(ALAC)
  case pcm(PCM)

  package var codec: AudioCodec {
    switch self {
    case .aac: .aac
    case .opus: .opus
    case .mp3: .mp3
    case .ac3: .ac3
    case .eac3: .eac3
    case .flac: .flac
    case .alac: .alac
    case .pcm: .pcm
    }
  }

  package var coder: any AudioCoder {
    switch self {
    case .aac(let coder): coder
    case .opus(let coder): coder
    case .mp3(let coder): coder
    case .ac3(let coder): coder
    case .eac3(let coder): coder
    case .flac(let coder): coder
    case .alac(let coder): coder
    case .pcm(let coder): coder
    }
  }

  /// The bits per second of all channels together; nil for a lossless codec. Setting it changes nothing there.
  package var bitRate: Int? {
    get {
      switch self {
      case .aac(let coder): coder.bitRate
      case .opus(let coder): coder.bitRate
      case .mp3(let coder): coder.bitRate
      case .ac3(let coder): coder.bitRate
      case .eac3(let coder): coder.bitRate
      case .flac, .alac, .pcm: nil
      }
    }
    set {
      guard let newValue else { return }
      switch self {
      case .aac: self = .aac(AAC(bitRate: newValue))
      case .opus: self = .opus(Opus(bitRate: newValue))
      case .mp3: self = .mp3(MP3(bitRate: newValue))
      case .ac3: self = .ac3(AC3(bitRate: newValue))
      case .eac3: self = .eac3(EAC3(bitRate: newValue))
      case .flac, .alac, .pcm: break
      }
    }
  }
}

extension AudioCoding {
  /// The samples of PCM; nil for every other codec.
  package var samples: PCM.Samples? { if case .pcm(let coder) = self { coder.samples } else { nil } }
}

/// The samples that an encoder takes: floats, or whole numbers of some bits; each channel on its own (planar), or interleaved.
package enum SampleForm: Hashable, Sendable {
  case floats(isPlanar: Bool)
  /// Whole numbers of 16, 24 or 32 bits; 24 bits are the upper ones of 32.
  case integers(bits: Int, isPlanar: Bool)
}

/// The facts of a codec of sound. A combination that players do not support counts as impossible: MP3 in MP4, and FLAC in MP4,
/// which FFmpeg calls experimental.
package protocol AudioCoder: Hashable, Sendable {
  /// The file types that hold it, as the encoders and muxers of FFmpeg 5.1 have them.
  var fileTypes: [FileType] { get }
  /// The sample rates, in samples per second, ascending.
  var sampleRates: [Int32] { get }
  /// The bit rates, in bits per second of all channels together; nil for a lossless codec. Not every layout and sample rate has all of them.
  var bitRates: ClosedRange<Int>? { get }
  /// The bit rates that the encoder makes of a layout at a sample rate: those at which it encodes any sound, and makes no other rate of.
  func bitRates(of layout: AudioCodecSettings.ChannelLayout, sampleRate: Int32) -> ClosedRange<Int>?
  /// Whether the encoder makes the nearest bit rate of one that it does not make. Others fail.
  var makesNearestBitRate: Bool { get }
  var mostChannels: Int { get }
  /// FFmpeg's name of the encoder.
  var encoderName: String { get }
  var sampleForm: SampleForm { get }
  /// The samples of a block, at a whole number of which the sound may be divided into parts that are encoded by themselves; nil where it may
  /// not (decision 0200). Blocks of a lossless codec are counted from the first sample, and those of a lossy one from the end.
  func dividedBlock(sampleRate: Int32) -> Int64?
  /// Whether the packets of a source can be the movie's.
  var copiesPackets: Bool { get }
}

extension AudioCoder {
  /// The sample rates that every codec has.
  static var commonRates: [Int32] { [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] }
  package var mostChannels: Int { 6 }
  package var makesNearestBitRate: Bool { false }
  package var copiesPackets: Bool { false }
  package func bitRates(of layout: AudioCodecSettings.ChannelLayout, sampleRate: Int32) -> ClosedRange<Int>? { bitRates }
  /// Lossy encoders of FFmpeg take planar floats. Whole numbers of 24 bits keep the precision of the mix's floats at full scale.
  package var sampleForm: SampleForm { bitRates == nil ? .integers(bits: 24, isPlanar: false) : .floats(isPlanar: true) }
}

/// How a movie's sound is encoded.
package struct AudioCodecSettings: Hashable, Sendable {
  package var coding: AudioCoding
  /// The number of samples per second.
  package var sampleRate: Int32
  package var channelLayout: ChannelLayout
  /// Whether the packets of a source's sound are copied where it is the movie's.
  package var copy = CopyRule.never

  package enum ChannelLayout: String, Hashable, Sendable, CaseIterable {
    case mono, stereo
    case surround51 = "5.1"
    case surround71 = "7.1"
    case surround714 = "7.1.4"
  }

  package init(_ coding: AudioCoding, sampleRate: Int32 = 48_000, channelLayout: ChannelLayout = .stereo) {
    (self.coding, self.sampleRate, self.channelLayout) = (coding, sampleRate, channelLayout)
  }

  package var codec: AudioCodec { coding.codec }

  /// The bit rates that its layout and sample rate have; nil for a lossless codec.
  package var bitRates: ClosedRange<Int>? { coding.coder.bitRates(of: channelLayout, sampleRate: sampleRate) }

  /// The nearest bit rate to its own that its layout and sample rate have; nil for a lossless codec.
  package var nearestBitRate: Int? {
    guard let bitRates, let bitRate = coding.bitRate else { return nil }
    return min(max(bitRate, bitRates.lowerBound), bitRates.upperBound)
  }

  /// Brings a bit rate that nobody chose for this layout and sample rate to the nearest one that they have.
  package mutating func fitBitRate() { coding.bitRate = nearestBitRate }

  package static func aac(
    sampleRate: Int32 = 48_000, channelLayout: ChannelLayout = .stereo, bitRate: Int = 192_000
  ) -> AudioCodecSettings {
    AudioCodecSettings(.aac(AAC(bitRate: bitRate)), sampleRate: sampleRate, channelLayout: channelLayout)
  }

  /// The settings of a codec where a document names the codec only: 48 kHz stereo.
  package static func usual(_ codec: AudioCodec) -> AudioCodecSettings { AudioCodecSettings(codec.usual) }

  /// The settings with the byte order that a file type has for PCM.
  package func stored(in type: FileType) -> AudioCodecSettings {
    guard case .pcm(var coder) = coding else { return self }
    coder.isBigEndian = type == .aiff
    var settings = self
    settings.coding = .pcm(coder)
    return settings
  }
}
