internal import Formats
internal import Timeline

/// The settings that a preset's name stands for.
struct PresetSettings {
  var settings: ExportSettings
  /// The sides that the picture must fit into; nil for any size.
  var bounds: CGSize?

  /// The presets that the farm can make.
  static let names = [
    AVAssetExportPresetLowQuality, AVAssetExportPresetMediumQuality, AVAssetExportPresetHighestQuality,
    AVAssetExportPreset640x480, AVAssetExportPreset960x540, AVAssetExportPreset1280x720, AVAssetExportPreset1920x1080,
    AVAssetExportPreset3840x2160, AVAssetExportPresetPassthrough, AVAssetExportPresetHEVCHighestQuality,
    AVAssetExportPresetHEVC1920x1080, AVAssetExportPresetHEVC3840x2160, AVAssetExportPresetAppleM4A,
    AVAssetExportPresetAppleProRes422LPCM, AVAssetExportPresetAppleProRes4444LPCM,
  ]

  /// The kinds of file that a preset's movie can be.
  static func fileTypes(_ name: String) -> [AVFileType] {
    switch name {
    case AVAssetExportPresetAppleM4A: [.m4a]
    case AVAssetExportPresetAppleProRes422LPCM, AVAssetExportPresetAppleProRes4444LPCM: [.mov]
    default: names.contains(name) ? [.mov, .mp4, .m4v] : []
    }
  }

  private static let sizes = [
    AVAssetExportPreset640x480: CGSize(width: 640, height: 480), AVAssetExportPreset960x540: CGSize(width: 960, height: 540),
    AVAssetExportPreset1280x720: CGSize(width: 1280, height: 720),
    AVAssetExportPreset1920x1080: CGSize(width: 1920, height: 1080),
    AVAssetExportPreset3840x2160: CGSize(width: 3840, height: 2160),
  ]

  private let name: String

  /// - Throws: an error for a preset that the farm cannot make.
  init(_ name: String) throws(AVError) {
    self.name = name
    switch name {
    case AVAssetExportPresetLowQuality:
      settings = ExportSettings(video: .h264(crf: 28, speed: .fast), audio: .aac(bitRate: 96_000))
    case AVAssetExportPresetMediumQuality:
      settings = ExportSettings(video: .h264(crf: 23, speed: .fast), audio: .aac(bitRate: 128_000))
    case AVAssetExportPresetHighestQuality:
      settings = ExportSettings(video: .h264(crf: 16), audio: .aac(bitRate: 256_000))
    default:
      if let size = Self.sizes[name] {
        (settings, bounds) = (ExportSettings(), size)
        return
      }
      // Documents have the other presets under AVFoundation's names.
      guard let known = ExportPreset(rawValue: name.replacingOccurrences(of: "AVAssetExportPreset", with: "")) else {
        throw AVError(.encoderNotFound, "presetName: \(name) has no encoder here", property: "presetName")
      }
      settings = known.settings
      bounds = settings.maximumSize.map { CGSize(width: $0.width, height: $0.height) }
      settings.maximumSize = nil
    }
  }

  /// - Throws: an error for a kind of file that the farm does not write.
  mutating func take(_ fileType: AVFileType?) throws(AVError) {
    guard let fileType else { throw AVError(.incorrectlyConfigured, "outputFileType: is not set", property: "outputFileType") }
    let possible = Self.fileTypes(name)
    guard possible.contains(fileType) else {
      let words = possible.map(\.rawValue).joined(separator: ", ")
      throw AVError(
        .unsupportedOutputSettings, "outputFileType: \(fileType.rawValue) is not written with this preset; \(words)",
        property: "outputFileType")
    }
    settings.fileType = try fileType.written()
  }
}
