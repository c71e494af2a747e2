package import MediaTime

/// The format of the file that the edit becomes, and the part of the edit that it holds.
package struct ExportSettings: Hashable, Sendable {
  package var fileType: FileType
  package var video: VideoCodecSettings
  package var audio: AudioCodecSettings
  /// Whether the index stands before the media, so that playback can start before the download ends (mp4 and mov).
  package var optimizeForNetworkUse: Bool
  /// The part of the edit that is exported, for picture and sound alike; nil is the whole edit.
  package var timeRange: MediaTimeRange?

  package init(
    fileType: FileType = .mp4, video: VideoCodecSettings = .h264(), audio: AudioCodecSettings = .aac(),
    optimizeForNetworkUse: Bool = false, timeRange: MediaTimeRange? = nil
  ) {
    (self.fileType, self.video, self.audio) = (fileType, video, audio)
    (self.optimizeForNetworkUse, self.timeRange) = (optimizeForNetworkUse, timeRange)
  }
}

package enum FileType: String, Hashable, Sendable, CaseIterable { case mp4, mov, mkv }

package enum VideoCodec: String, Hashable, Sendable, CaseIterable { case h264, ffv1 }
package enum AudioCodec: String, Hashable, Sendable, CaseIterable { case aac, flac, pcm, mp3 }

package struct VideoCodecSettings: Hashable, Sendable {
  package var codec: VideoCodec
  /// x264's constant rate factor, from 0 (lossless) to 51; FFV1 does not use it.
  package var crf: Double
  /// x264's speed preset; FFV1 does not use it.
  package var speed: Speed
  /// The bits of a component: 8 or 10.
  package var bitDepth: Int
  /// The metadata of a movie in PQ or HLG. A part that is nil here is taken from its clips.
  package var hdrMetadata: HDRMetadata?

  package enum Speed: String, Hashable, Sendable, CaseIterable {
    case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow
  }

  package static func h264(crf: Double = 20, speed: Speed = .medium) -> VideoCodecSettings {
    VideoCodecSettings(codec: .h264, crf: crf, speed: speed, bitDepth: 8)
  }

  package static let ffv1 = VideoCodecSettings(codec: .ffv1, crf: 0, speed: .medium, bitDepth: 8)

  package init(codec: VideoCodec, crf: Double, speed: Speed, bitDepth: Int, hdrMetadata: HDRMetadata? = nil) {
    (self.codec, self.crf, self.speed) = (codec, crf, speed)
    (self.bitDepth, self.hdrMetadata) = (bitDepth, hdrMetadata)
  }
}

package struct AudioCodecSettings: Hashable, Sendable {
  package var codec: AudioCodec
  /// The number of samples per second.
  package var sampleRate: Int32
  package var channelLayout: ChannelLayout
  /// The bits per second of all channels together; FLAC and PCM do not use it.
  package var bitRate: Int

  package enum ChannelLayout: String, Hashable, Sendable, CaseIterable {
    case mono, stereo, surround51 = "5.1"

    package var channelCount: Int {
      switch self {
      case .mono: 1
      case .stereo: 2
      case .surround51: 6
      }
    }
  }

  package static func aac(
    sampleRate: Int32 = 48_000, channelLayout: ChannelLayout = .stereo, bitRate: Int = 192_000
  ) -> AudioCodecSettings {
    AudioCodecSettings(codec: .aac, sampleRate: sampleRate, channelLayout: channelLayout, bitRate: bitRate)
  }

  package init(codec: AudioCodec, sampleRate: Int32, channelLayout: ChannelLayout, bitRate: Int) {
    (self.codec, self.sampleRate, self.channelLayout, self.bitRate) = (codec, sampleRate, channelLayout, bitRate)
  }
}
