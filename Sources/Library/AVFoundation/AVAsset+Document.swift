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
    preset.settings.sounds = soundOfOneLanguage(preset.settings)
    var lowering = try Lowering(
      Lowering.Request(
        asset: self, videoComposition: videoComposition, audioMix: audioMix, settings: preset.settings, bounds: preset.bounds,
        timeRange: timeRange), folder: pictures)
    return String(decoding: try lowering.timeline().canonicalJSON(), as: UTF8.self)
  }
}

extension AVAsset {
  /// The movie's sound with the language that all tracks have that are heard; none where they tell none, or different ones, and where the file type
  /// has no place for it.
  func soundOfOneLanguage(_ settings: ExportSettings) -> [MovieSound] {
    let tracks = (self as? AVComposition)?.compositionTracks ?? []
    let heard = tracks.filter { $0.mediaType == .audio && $0.isEnabled && !$0.edit.segments.isEmpty }
    let tags = Set(heard.map { $0.extendedLanguageTag ?? $0.languageCode ?? "und" })
    guard settings.fileType.holdsSounds, tags.count == 1, let tag = tags.first, tag != "und" else { return [] }
    return [MovieSound(of: heard.map(\.edit.id), language: tag, isDefault: true, audio: settings.audio)]
  }
}

extension Lowering {
  /// The path of the file that a layer's picture is written into.
  func path(of name: AssetID, _ image: CGImage) -> String { "\(folder)/\(name.rawValue).\(image.fileExtension)" }
}
