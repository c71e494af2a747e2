internal import Formats

/// Export settings under a name: by quality, by AVFoundation's names (AVAssetExportSession), and by where the movie goes.
/// docs/export.md has a row for each.
package enum ExportPreset: String, Hashable, Sendable, Codable, CaseIterable {
  case low, medium, high, highest, lossless
  case lowQuality = "LowQuality"
  case mediumQuality = "MediumQuality"
  case highestQuality = "HighestQuality"
  case fits640x480 = "640x480"
  case fits960x540 = "960x540"
  case fits1280x720 = "1280x720"
  case fits1920x1080 = "1920x1080"
  case fits3840x2160 = "3840x2160"
  case hevcHighestQuality = "HEVCHighestQuality"
  case hevcFits1920x1080 = "HEVC1920x1080"
  case hevcFits3840x2160 = "HEVC3840x2160"
  case passthrough = "Passthrough"
  case appleM4A = "AppleM4A"
  case appleProRes422LPCM = "AppleProRes422LPCM"
  case appleProRes4444LPCM = "AppleProRes4444LPCM"
  case web, hls, youtube, vimeo, x, instagram, tiktok, archive, broadcast

  package var settings: ExportSettings {
    switch self {
    case .low: .h264(28, .fast, aac: 96)
    case .medium: .h264(23, .fast, aac: 128)
    case .high: ExportSettings()
    case .highest, .highestQuality: .h264(16, aac: 256)
    case .lossless: ExportSettings(fileType: .mkv, video: .ffv1, audio: .usual(.flac))
    case .lowQuality: .h264(28, .fast, aac: 64, within: PixelSize(426, 240))
    case .mediumQuality: .h264(23, .fast, aac: 128, within: PixelSize(640, 360))
    case .fits640x480: .h264(20, aac: 128, within: PixelSize(640, 480))
    case .fits960x540: .h264(20, aac: 128, within: PixelSize(960, 540))
    case .fits1280x720: .h264(20, aac: 192, within: PixelSize(1280, 720))
    case .fits1920x1080: .h264(20, aac: 192, within: PixelSize(1920, 1080))
    case .fits3840x2160: .h264(20, aac: 256, within: PixelSize(3840, 2160))
    case .hevcHighestQuality: .hevc(18, within: nil)
    case .hevcFits1920x1080: .hevc(22, within: PixelSize(1920, 1080))
    case .hevcFits3840x2160: .hevc(22, within: PixelSize(3840, 2160))
    case .passthrough: .copying
    case .appleM4A: ExportSettings(fileType: .m4a, audio: .aac(bitRate: 256_000))
    case .appleProRes422LPCM: .prores(.standard)
    case .appleProRes4444LPCM: .prores(.p4444)
    case .web: .h264(23, aac: 128, within: PixelSize(1920, 1080), startsEarly: true)
    case .hls: .ladder
    case .youtube: .h264(17, aac: 384, within: PixelSize(3840, 2160), startsEarly: true)
    case .vimeo: .h264(17, aac: 320, within: PixelSize(3840, 2160), startsEarly: true)
    case .x, .instagram, .tiktok: .h264(20, aac: 128, within: PixelSize(1920, 1080), startsEarly: true)
    case .archive:
      ExportSettings(
        fileType: .mkv, video: VideoCodecSettings(.ffv1(FFV1(chroma: .yuv422)), bitDepth: 10), audio: .usual(.flac))
    case .broadcast: .prores(.hq, within: PixelSize(1920, 1080))
    }
  }
}

extension ExportSettings {
  fileprivate static func h264(
    _ crf: Double, _ speed: H264.Speed = .medium, aac kilobits: Int, within size: PixelSize? = nil, startsEarly: Bool = false
  ) -> ExportSettings {
    var settings = ExportSettings(video: .h264(crf: crf, speed: speed), audio: .aac(bitRate: kilobits * 1000))
    (settings.maximumSize, settings.optimizeForNetworkUse) = (size, startsEarly)
    return settings
  }

  /// Pictures and sound are copied where they can be, and encoded at the highest quality elsewhere.
  fileprivate static var copying: ExportSettings {
    var settings = h264(16, aac: 256)
    (settings.video.copy, settings.audio.copy) = (.auto, .auto)
    return settings
  }

  /// Pieces for players that change between four sizes, as far as the frames have them.
  fileprivate static var ladder: ExportSettings {
    func bounded(_ bitRate: Double) -> VideoCodecSettings {
      var coder = H264(crf: 21)
      coder.maxBitRate = bitRate
      return VideoCodecSettings(.h264(coder))
    }
    var settings = ExportSettings(
      fileType: .cmaf, video: bounded(6_000_000), audio: .aac(bitRate: 128_000), maximumSize: PixelSize(1920, 1080))
    settings.renditions = [
      Rendition(.within(PixelSize(1280, 720)), bounded(3_200_000)), Rendition(.within(PixelSize(854, 480)), bounded(1_600_000)),
      Rendition(.within(PixelSize(640, 360)), bounded(900_000)),
    ]
    return settings
  }

  fileprivate static func hevc(_ crf: Double, within size: PixelSize?) -> ExportSettings {
    var settings = ExportSettings(video: VideoCodecSettings(.hevc(HEVC(crf: crf))), audio: .aac(bitRate: 256_000))
    settings.maximumSize = size
    return settings
  }

  fileprivate static func prores(_ profile: ProRes.Profile, within size: PixelSize? = nil) -> ExportSettings {
    var settings = ExportSettings(
      fileType: .mov, video: VideoCodecSettings(.prores(ProRes(profile: profile))), audio: .usual(.pcm))
    settings.maximumSize = size
    return settings
  }
}
