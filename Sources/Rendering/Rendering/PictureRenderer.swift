internal import Compositing
internal import Drawing
package import Formats
package import Media
package import Scenes
package import Timeline

/// Renders output frames of an edit, one at a time, in any order. A frame's picture depends on the edit and the frame's index
/// only (decision 0110). One thread at a time.
package final class PictureRenderer {
  package let edit: ResolvedTimeline
  private let reel: SceneReel
  private let supplies: SceneSupplies
  private let root: SceneRenderer
  /// Brings frames with alpha into the render format; nil where frames have no alpha.
  private let converter: AlphaConverter?
  /// The assets of which the last frame shows a picture in place of a damaged one.
  package private(set) var standIns: Set<AssetID> = []

  /// - Parameters:
  ///   - fonts: the font faces in which the edit's texts are drawn; nil means the document's and the installed fonts, by their
  ///     names.
  ///   - compositing: the compositors that the edit's instructions may name.
  /// - Precondition: the edit has a picture.
  package init(
    edit: ResolvedTimeline, policy: SourcePolicy, fonts: [FontFace]? = nil, compositing: CustomCompositing = .init()
  ) {
    (self.edit, reel) = (edit, SceneReel(edit))
    let policy = policy.pinned(to: edit)
    let book = FontBook(fonts, of: DocumentFonts(of: edit, policy))
    supplies = SceneSupplies(edit, policy: policy, fonts: book, compositing: compositing)
    root = SceneRenderer(supplies)
    let video = edit.timeline.export.video
    converter =
      video.hasAlpha
      ? AlphaConverter(
        format: edit.renderFormat, alphaBits: video.coding.coder.alphaBits(video.bitDepth), color: edit.color)
      : nil
  }

  /// The number of times that a source was opened, in nested compositions too. Each time it is decoded from a keyframe.
  package var sourceOpenings: Int { supplies.readers.openings }

  /// The number of pictures that were drawn so far of images, texts and shapes, in nested compositions too. One that is shown in
  /// frame after frame, wherever it lies there, is drawn once.
  package var drawingCount: Int { supplies.drawingCount }

  /// The nanoseconds that were spent in fetching and decoding clips so far.
  var readingNanoseconds: Int64 { supplies.readers.nanoseconds }

  /// The composited frame `index`, before encoding.
  ///
  /// - Precondition: `index` lies in `0..<edit.frameCount`.
  /// - Throws: `MediaError` that names asset, track and time; `DrawingError` for a missing font or glyph; `CompositingError`;
  ///   `ComposingError` of a compositor of the user's own; `Cancellation.Cancelled`; `TimeError`.
  package func frame(_ index: Int) throws -> PixelBuffer {
    try supplies.compositing.cancellation.check()
    supplies.readers.beginFrame()
    let scene = try reel.scene(at: index)
    if !scene.asksCompositorWithin { supplies.compositing.entered(nil) }
    let (frame, settled) = try root.frame(of: scene)
    standIns = supplies.readers.standIns
    let damaged = supplies.images.damaged
    if !damaged.isEmpty { standIns.formUnion(settled.stillAssets.intersection(damaged)) }
    return try converter.map { converter throws(CompositingError) in try converter.converted(frame) } ?? frame
  }
}

extension ResolvedTimeline {
  /// The layout in which frames are encoded, and composited where they have no alpha.
  package var renderFormat: PixelFormat {
    PixelFormat(.init(timeline.export.video.chroma), bitDepth: timeline.export.video.bitDepth)
  }
}
