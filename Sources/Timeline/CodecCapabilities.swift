/// The abilities of each codec, as the encoders and muxers of FFmpeg 5.1 have them. A combination that players do not support
/// counts as impossible: MP3 in MP4, and FLAC in MP4, which FFmpeg calls experimental.
extension VideoCodec {
  package var fileTypes: [FileType] {
    switch self {
    case .h264: [.mp4, .mov, .mkv]
    case .ffv1: [.mov, .mkv]
    }
  }
}

extension AudioCodec {
  package var fileTypes: [FileType] {
    switch self {
    // FFmpeg's Matroska muxer states no codec delay for AAC and MP3, so that their sound would start up to 45 ms late.
    case .aac: [.mp4, .mov]
    case .mp3: [.mov]
    case .pcm: [.mov, .mkv]
    case .flac: [.mkv]
    }
  }

  /// The sample rates, in samples per second, ascending.
  package var sampleRates: [Int32] {
    let common: [Int32] = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
    switch self {
    case .mp3: return common
    case .aac: return common + [64_000, 88_200, 96_000]
    case .flac, .pcm: return common + [88_200, 96_000, 176_400, 192_000]
    }
  }

  /// The bit rates, in bits per second of all channels together; nil for a lossless codec.
  package var bitRates: ClosedRange<Int>? {
    switch self {
    case .aac: 16_000...1_536_000
    case .mp3: 8_000...320_000
    case .flac, .pcm: nil
    }
  }
}

extension VideoCodecSettings {
  /// The settings of a codec where a document names the codec only.
  package static func usual(_ codec: VideoCodec) -> VideoCodecSettings {
    switch codec {
    case .h264: .h264()
    case .ffv1: .ffv1
    }
  }
}

extension AudioCodecSettings {
  /// The settings of a codec where a document names the codec only: 48 kHz stereo, and 192 kbit/s where it is lossy.
  package static func usual(_ codec: AudioCodec) -> AudioCodecSettings {
    AudioCodecSettings(codec: codec, sampleRate: 48_000, channelLayout: .stereo, bitRate: codec.bitRates == nil ? 0 : 192_000)
  }
}
