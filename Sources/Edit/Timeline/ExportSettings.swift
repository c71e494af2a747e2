package import Formats
package import MediaTime

/// The format of the file that the edit becomes, and the part of the edit that it holds.
package struct ExportSettings: Hashable, Sendable {
  package var fileType: FileType
  package var video: VideoCodecSettings
  package var audio: AudioCodecSettings
  /// Whether the index stands before the media, so that playback can start before the download ends (mp4 and mov).
  package var optimizeForNetworkUse: Bool
  /// The size that the picture does not exceed, upright or turned by a quarter; nil is any. A larger picture is scaled down.
  package var maximumSize: PixelSize?
  /// The part of the edit that is exported, for picture and sound alike; nil is the whole edit.
  package var timeRange: MediaTimeRange?

  package init(
    fileType: FileType = .mp4, video: VideoCodecSettings = .h264(), audio: AudioCodecSettings = .aac(),
    optimizeForNetworkUse: Bool = false, maximumSize: PixelSize? = nil, timeRange: MediaTimeRange? = nil
  ) {
    (self.fileType, self.video, self.audio) = (fileType, video, audio)
    (self.optimizeForNetworkUse, self.maximumSize, self.timeRange) = (optimizeForNetworkUse, maximumSize, timeRange)
  }
}

extension ExportSettings {
  /// FFmpeg's names of the encoders that a build of FFmpeg may lack, of a movie with a picture, sound or both.
  package func optionalEncoders(hasPicture: Bool, hasSound: Bool) -> [String] {
    let names = (hasPicture ? [video.coding.coder.encoderName] : []) + (hasSound ? [audio.coding.coder.encoderName] : [])
    return names.filter(Self.optionalEncoders.contains)
  }

  /// The encoders that are libraries of their own, except for those that every farm has had from the start.
  package static let optionalEncoders = ["libx265", "libsvtav1", "libvpx-vp9", "libopus"]
}
