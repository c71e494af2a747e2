internal import Formats
internal import Timeline

/// The settings that a preset's name stands for.
struct ExportPreset {
  var settings: ExportSettings
  /// The sides that the picture must fit into; nil for any size.
  var bounds: CGSize?

  /// The presets that the farm can make.
  static let names = [
    AVAssetExportPresetLowQuality, AVAssetExportPresetMediumQuality, AVAssetExportPresetHighestQuality,
    AVAssetExportPreset640x480, AVAssetExportPreset960x540, AVAssetExportPreset1280x720, AVAssetExportPreset1920x1080,
    AVAssetExportPreset3840x2160, AVAssetExportPresetPassthrough,
  ]

  /// The presets that are known and refused.
  static let refused = [
    AVAssetExportPresetHEVCHighestQuality, AVAssetExportPresetHEVC1920x1080, AVAssetExportPresetHEVC3840x2160,
    AVAssetExportPresetAppleM4A, AVAssetExportPresetAppleProRes422LPCM,
  ]

  private static let sizes = [
    AVAssetExportPreset640x480: CGSize(width: 640, height: 480), AVAssetExportPreset960x540: CGSize(width: 960, height: 540),
    AVAssetExportPreset1280x720: CGSize(width: 1280, height: 720),
    AVAssetExportPreset1920x1080: CGSize(width: 1920, height: 1080),
    AVAssetExportPreset3840x2160: CGSize(width: 3840, height: 2160),
  ]

  /// - Throws: an error for a preset that the farm cannot make.
  init(_ name: String) throws(AVError) {
    switch name {
    case AVAssetExportPresetLowQuality:
      settings = ExportSettings(video: .h264(crf: 28, speed: .fast), audio: .aac(bitRate: 96_000))
    case AVAssetExportPresetMediumQuality:
      settings = ExportSettings(video: .h264(crf: 23, speed: .fast), audio: .aac(bitRate: 128_000))
    case AVAssetExportPresetHighestQuality, AVAssetExportPresetPassthrough:
      settings = ExportSettings(video: .h264(crf: 16), audio: .aac(bitRate: 256_000))
    default:
      guard let size = Self.sizes[name] else {
        throw AVError(.encoderNotFound, "presetName: \(name) has no encoder here", property: "presetName")
      }
      (settings, bounds) = (ExportSettings(), size)
    }
  }

  /// - Throws: an error for a kind of file that the farm does not write.
  mutating func take(_ fileType: AVFileType?) throws(AVError) {
    switch fileType {
    case .mp4: settings.fileType = .mp4
    case .mov: settings.fileType = .mov
    case nil: throw AVError(.incorrectlyConfigured, "outputFileType: is not set", property: "outputFileType")
    case let other?:
      throw AVError(
        .unsupportedOutputSettings, "outputFileType: \(other.rawValue) is not written; mp4 and mov are",
        property: "outputFileType")
    }
  }
}
