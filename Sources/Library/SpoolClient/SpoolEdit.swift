public import AVFoundation

/// An edit in AVFoundation's terms that becomes a document of Spool (docs/document.md).
///
/// It is written against AVFoundation's public interface alone, so that the same source is meant for apps on Apple's systems, too;
/// only the build on Linux was tried. What a document cannot say is refused by name. A document that is made shows what the edit says.
public struct SpoolEdit {
  public var composition: AVComposition
  /// How the tracks are laid into the frame. Without one, the first video track is seen, fitted into the frame. Its `animationTool` must be
  /// nil, because nobody can look into one: name the layers in `layers`.
  public var videoComposition: AVVideoComposition?
  public var audioMix: AVAudioMix?
  /// The layers over the video.
  public var layers: SpoolLayers?
  public var export: SpoolExport
  /// The families of the farm that stand for fonts which it lacks, by the names of these fonts' families. Weight and slant stay.
  public var fontSubstitutes = SpoolEdit.usualFontSubstitutes

  /// The fonts of Apple's systems that others stand for, whose letters are as wide; of Helvetica Neue, nearly. Farms that were set up
  /// as Spool's documentation says have them.
  public static let usualFontSubstitutes = [
    "Helvetica": "Liberation Sans", "Helvetica Neue": "Liberation Sans", "Arial": "Liberation Sans",
    "Times": "Liberation Serif", "Times New Roman": "Liberation Serif", "Times New Roman PS": "Liberation Serif",
    "Courier": "Liberation Mono", "Courier New": "Liberation Mono", "Courier New PS": "Liberation Mono",
    "Menlo": "DejaVu Sans Mono",
  ]

  public init(
    _ composition: AVComposition, videoComposition: AVVideoComposition? = nil, audioMix: AVAudioMix? = nil,
    layers: SpoolLayers? = nil, export: SpoolExport = SpoolExport()
  ) {
    (self.composition, self.videoComposition, self.audioMix) = (composition, videoComposition, audioMix)
    (self.layers, self.export) = (layers, export)
  }

  /// The document, as UTF-8.
  ///
  /// - Parameter place: gives each medium and each picture of the layers the place at which the farm finds it, and puts it there first if
  ///   need be. It is asked once for each, after everything else was found to be sayable. Media that are behind URLs already are not asked for.
  /// - Throws: a `SpoolClientError` for what a document cannot say, and whatever loading and placing throw.
  public func document(placing place: (SpoolMedium) async throws -> SpoolPlace) async throws -> Data {
    var translation = EditTranslation(composition, fontSubstitutes: fontSubstitutes)
    try await translation.addTracks(holdingLastPicture: videoComposition == nil)
    if let videoComposition { try translation.add(videoComposition, showingLayers: layers != nil) }
    if let layers { try translation.add(layers, renderSize: videoComposition?.renderSize) }
    try translation.add(audioMix)
    try translation.add(export)
    return try await translation.document(placing: place)
  }
}

/// A tree of layers over the video, as an `AVVideoCompositionCoreAnimationTool` is given it.
public struct SpoolLayers {
  /// The layer in which the video is seen.
  public var videoLayer: CALayer
  /// The layer on which it and the others stand. Its coordinates have their origin at the bottom left.
  public var animationLayer: CALayer

  public init(postProcessingAsVideoLayer videoLayer: CALayer, in animationLayer: CALayer) {
    (self.videoLayer, self.animationLayer) = (videoLayer, animationLayer)
  }
}

/// The kind of movie that is made.
public struct SpoolExport: Hashable, Sendable {
  /// A preset of Spool (docs/export.md), such as "high", or one of AVFoundation's names.
  public var preset: String
  /// A file type of Spool, such as "mov"; nil for the preset's own.
  public var fileType: String?
  /// The part of the edit that is exported; nil for all of it.
  public var timeRange: CMTimeRange?

  public init(preset: String = "highest", fileType: String? = nil, timeRange: CMTimeRange? = nil) {
    (self.preset, self.fileType, self.timeRange) = (preset, fileType, timeRange)
  }
}

/// A medium that the farm must be able to read.
public enum SpoolMedium: Sendable {
  /// A file of this machine.
  case file(URL)
  /// A picture of a layer, as PNG, with a name that no other picture of the edit has.
  case picture(name: String, png: Data)
}

/// A place at which the farm finds a medium.
public enum SpoolPlace: Hashable, Sendable {
  /// An absolute path on the farm's machines.
  case path(String)
  /// An http, https or s3 URL.
  case url(String)
}
