internal import Compositing
internal import Drawing
package import Media
internal import MediaTime
package import Timeline

/// Renders output frames of an edit, one at a time, in any order. What a frame looks like depends on the edit and the
/// frame's index alone (decision D2). Belongs to one thread.
package final class PictureRenderer {
  package let edit: ResolvedTimeline
  private let policy: SourcePolicy
  private let readers: SourceReaders
  private let number: Int
  private let isNested: Bool
  private let fonts: FontBook
  /// Of the compositions that the last scene showed.
  private var nested: [Nested: PictureRenderer] = [:]
  private let overlays: OverlayPictures
  private let compositor: Compositor
  private let composed: ComposedPictures
  private let compositing: CustomCompositing
  private var last: (shown: Shown, frame: PixelBuffer)?

  private struct Nested: Hashable {
    let track: TrackID
    let composition: CompositionID
  }

  /// What a frame is made of. Frames made of the same are the same: a 25 fps clip at 30 fps repeats every fifth.
  private struct Shown: Equatable {
    let background: RGBAColor
    let picture: Scene.Picture
    let overlays: [Int]
    let opacities: [Double]
    let buffers: [PixelBuffer]

    static func == (a: Shown, b: Shown) -> Bool {
      a.background == b.background && a.picture == b.picture && a.overlays == b.overlays
        && a.opacities == b.opacities && a.buffers.elementsEqual(b.buffers, by: ===)
    }
  }

  /// - Parameters:
  ///   - fonts: those that the edit's texts are drawn with; nil: those that are installed, by their names.
  ///   - compositing: the compositors that the edit's instructions may name.
  /// - Precondition: the edit has a picture.
  package convenience init(
    edit: ResolvedTimeline, policy: SourcePolicy, fonts: [FontFace]? = nil, compositing: CustomCompositing = .init()
  ) {
    let policy = policy.pinned(to: edit)
    self.init(
      edit: edit, policy: policy, readers: SourceReaders(policy: policy), FontBook(fonts), compositing, isNested: false)
  }

  private init(
    edit: ResolvedTimeline, policy: SourcePolicy, readers: SourceReaders, _ fonts: FontBook, _ compositing: CustomCompositing,
    isNested: Bool
  ) {
    guard let composition = edit.videoComposition else { preconditionFailure("the edit has no picture") }
    (self.edit, self.policy, self.readers, number) = (edit, policy, readers, readers.addRenderer())
    (self.fonts, self.compositing, self.isNested) = (fonts, compositing, isNested)
    composed = ComposedPictures(edit, composition, compositing)
    compositor = Compositor(
      renderSize: composition.renderSize, outputSize: composition.outputSize, format: edit.renderFormat, color: edit.color,
      toneMap: composition.toneMap, blending: composition.blending)
    overlays = OverlayPictures(edit: edit, compositor: compositor, policy: policy, fonts: fonts)
  }

  /// How often it opened a source, those of nested compositions counted; each time costs the way from a keyframe.
  package var sourceOpenings: Int { readers.openings }

  /// The assets of which the last frame shows pictures that stand in for damaged ones.
  package var standIns: Set<AssetID> { readers.standIns }

  /// The composited frame `index`, before encoding.
  ///
  /// - Precondition: `index` lies in `0..<edit.frameCount`.
  /// - Throws: `MediaError` naming asset, track and time; `DrawingError` for a missing font or glyph; `CompositingError`;
  ///   `ComposingError` of a compositor of the user's own; `Cancellation.Cancelled`.
  package func frame(_ index: Int) throws -> PixelBuffer {
    try compositing.cancellation.check()
    if !isNested { readers.beginFrame() }
    var scene = try edit.scene(at: index)
    var sources: [PlacedPicture: SourcePicture] = [:]
    var nested: [Nested: PictureRenderer] = [:]
    for picture in scene.placedPictures { sources[picture] = try source(of: picture, &nested) }
    self.nested = nested
    if nested.isEmpty, !scene.isComposed { compositing.entered(nil) }
    if case .composed(let picture) = scene.picture {
      (scene, sources) = try composed.replacing(picture, of: scene, sources)
    }
    let shown = try Shown(
      background: scene.background, picture: scene.picture.withoutTimes, overlays: scene.overlays,
      opacities: overlays.opacities(in: scene), buffers: scene.placedPictures.compactMap { sources[$0]?.buffer })
    defer { readers.addStandIns(overlays.standIns(in: scene)) }
    if let last, last.shown == shown { return last.frame }
    let frame = try compositor.composite(
      scene, sources: sources, overlays: overlays.pictures(for: scene), wipeMap: overlays.wipeMap(for: scene))
    last = (shown, frame)
    return frame
  }

  /// - Parameter shown: the renderers of the nested compositions that this scene shows.
  private func source(of picture: PlacedPicture, _ shown: inout [Nested: PictureRenderer]) throws -> SourcePicture {
    let buffer: PixelBuffer
    switch picture.source {
    case .asset(let asset, let position):
      buffer = try readers.frame(for: picture, asset, position, of: edit, renderer: number)
    case .composition(let id):
      let key = Nested(track: picture.track, composition: id)
      let edit = edit.edit(of: id)
      let renderer =
        shown[key] ?? nested[key]
        ?? PictureRenderer(edit: edit, policy: policy, readers: readers, fonts, compositing, isNested: true)
      shown[key] = renderer
      buffer = try renderer.frame(edit.frameIndex(at: picture.sourceTime, orJustBefore: picture.isReversed))
    }
    return SourcePicture(buffer: buffer, facts: edit.picture(of: picture.source))
  }
}

extension ResolvedTimeline {
  /// The layout that frames are composited and encoded in.
  package var renderFormat: PixelFormat { PixelFormat(.yuv420, bitDepth: timeline.export.video.bitDepth) }
}
