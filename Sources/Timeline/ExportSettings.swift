package import MediaTime

/// What file the edit becomes.
package struct ExportSettings: Hashable, Sendable {
  package var fileType: FileType
  package var video: VideoCodecSettings
  package var audio: AudioCodecSettings
  /// Puts the index before the media, so that playback starts before the download ends (mp4 and mov).
  package var optimizeForNetworkUse: Bool
  /// The part of the edit that is exported, picture and sound alike; nil is all of it.
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
  /// x264's constant rate factor, 0 (lossless) ... 51; unused by FFV1.
  package var crf: Double
  /// x264's speed preset; unused by FFV1.
  package var speed: Speed
  /// 8 or 10 bits a component.
  package var bitDepth: Int
  /// Of a movie in PQ or HLG; what is nil here is carried over from its clips.
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
  /// Samples per second.
  package var sampleRate: Int32
  package var channelLayout: ChannelLayout
  /// Bits per second; unused by FLAC and PCM.
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
