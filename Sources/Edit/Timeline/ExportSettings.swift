package import Formats
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
