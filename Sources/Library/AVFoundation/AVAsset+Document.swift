internal import Document
internal import Formats
internal import Timeline

extension AVAsset {
  /// The edit as a document of Spool (docs/document.md), as an export would send it to the farm, in canonical form.
  ///
  /// - Parameters:
  ///   - videoComposition: how pictures are laid over each other; nil for the first video track alone.
  ///   - audioMix: the volumes; nil for sound as it is.
  ///   - presetName: the preset that an export would have.
  ///   - fileType: the file type that an export would have.
  ///   - timeRange: the range that would be exported; nil for all.
  ///   - pictures: the folder in which the pictures of layers are thought to lie. They are not written.
  /// - Throws: an `AVError` for what a document cannot say.
  public func spoolDocument(
    videoComposition: AVVideoComposition? = nil, audioMix: AVAudioMix? = nil,
    presetName: String = AVAssetExportPresetHighestQuality, fileType: AVFileType = .mp4, timeRange: CMTimeRange? = nil,
    pictures: String = "pictures"
  ) throws -> String {
    var preset = try PresetSettings(presetName)
    try preset.take(fileType)
    var lowering = try Lowering(
      Lowering.Request(
        asset: self, videoComposition: videoComposition, audioMix: audioMix, settings: preset.settings, bounds: preset.bounds,
        timeRange: timeRange), folder: pictures)
    return String(decoding: try lowering.timeline().canonicalJSON(), as: UTF8.self)
  }
}

extension Lowering {
  /// The path of the file that a layer's picture is written into.
  func path(of name: AssetID, _ image: CGImage) -> String { "\(folder)/\(name.rawValue).\(image.fileExtension)" }
}
