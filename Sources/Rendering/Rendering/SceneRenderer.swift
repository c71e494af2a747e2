internal import Compositing
internal import Drawing
internal import Formats
internal import Media
internal import Scenes
internal import Timeline

/// The resources that render the scenes of an edit and of its nested compositions. One thread at a time.
final class SceneSupplies {
  let readers: SourceReaders
  let images: StillImages
  let fonts: FontBook
  let compositing: CustomCompositing
  let instructions: CustomInstructions
  let texts: MovingTexts
  /// The number of pictures that were drawn of stills and of the parts of moving texts.
  var drawingCount = 0

  init(_ edit: ResolvedTimeline, policy: SourcePolicy, fonts: FontBook, compositing: CustomCompositing) {
    readers = SourceReaders(edit, policy: policy)
    images = StillImages(edit.timeline, policy: policy)
    (self.fonts, self.compositing) = (fonts, compositing)
    instructions = CustomInstructions(compositing.registry)
    texts = MovingTexts(fonts)
  }

  /// The answers that tell whether two scenes show the same picture. They read the clips' frames.
  var witness: SceneWitness {
    SceneWitness(
      shownFrame: { [readers] clip, picture in try readers.frame(of: clip, picture).shown },
      traits: { [instructions] statement, time in try instructions.traits(of: statement, at: time) },
      textStates: { [texts] text in try texts.states(of: text) })
  }
}

/// Renders the scenes of one place: those of the edit itself, or those of a nested composition on a track. One thread at a time.
///
/// Its memory only saves work: a frame is a pure function of its scene.
final class SceneRenderer {
  /// A place in the scene at which a nested composition is shown.
  private struct Place: Hashable {
    let path: [TrackID]
    let composition: CompositionID
  }

  /// The objects that work for one canvas.
  private struct Easel {
    let canvas: Scene.Canvas
    let compositor: Compositor
    let stills: StillPictures
    let composed: ComposedPictures

    init(_ canvas: Scene.Canvas, _ supplies: SceneSupplies) {
      self.canvas = canvas
      compositor = Compositor(
        renderSize: canvas.renderSize, outputSize: canvas.outputSize, format: canvas.format, color: canvas.color,
        toneMap: canvas.toneMap, blending: canvas.blending, hasAlpha: canvas.hasAlpha)
      stills = StillPictures(supplies, for: compositor)
      composed = ComposedPictures(supplies, canvas)
    }
  }

  private let supplies: SceneSupplies
  /// The objects for the canvas of the last scene. The scenes of a place have one canvas.
  private var easel: Easel?
  /// The renderers of the nested compositions in the last scene that was drawn.
  private var nested: [Place: SceneRenderer] = [:]
  /// The renderer of the video in a layer; nil until there is one.
  private var video: SceneRenderer?
  /// The renderer of the fields' frames; nil until there are some.
  private var fields: SceneRenderer?
  /// The last scene and its frame. Frames often repeat: a clip of 25 fps at 30 fps repeats every fifth frame.
  private var last: (scene: Settled<Scene>, frame: PixelBuffer)?

  init(_ supplies: SceneSupplies) { self.supplies = supplies }

  /// The frame of `scene`, for reading only, and the scene reduced to the values that decide it.
  func frame(of scene: Scene) throws -> (PixelBuffer, Settled<Scene>) {
    let settled = try scene.settled(by: supplies.witness)
    if let last, last.scene == settled { return (last.frame, settled) }
    let easel = easel.flatMap { $0.canvas == scene.canvas ? $0 : nil } ?? Easel(scene.canvas, supplies)
    self.easel = easel
    var drawing = DrawnScene(background: scene.background, easel: easel)
    let pieces = try pieces(of: scene.nodes, &drawing)
    nested = drawing.nested
    let frame = try easel.compositor.composite(Collage(background: scene.background, pieces: pieces)) {
      [images = supplies.images] asset throws(MediaError) in try images.image(of: asset)
    }
    easel.stills.finishScene()
    last = (settled, frame)
    return (frame, settled)
  }

  /// A scene that is being drawn.
  private struct DrawnScene {
    let background: RGBAColor
    let easel: Easel
    /// The renderers of the nested compositions that the scene has shown so far.
    var nested: [Place: SceneRenderer] = [:]
  }

  private func pieces(of nodes: [Scene.Node], _ drawing: inout DrawnScene) throws -> [Collage.Piece] {
    var pieces: [Collage.Piece] = []
    for node in nodes {
      switch node {
      case .picture(let picture, let placement): pieces.append(.picture(try source(picture, &drawing), placement))
      case .transition(let effect, let from, let to, let progress):
        pieces.append(
          .transition(
            effect, from: try self.pieces(of: from, &drawing), to: try self.pieces(of: to, &drawing), progress: progress))
      case .composed(let composed): pieces += try self.pieces(of: composed, &drawing)
      case .still(let still, let placement):
        if let piece = try drawing.easel.stills.piece(of: still, placement) { pieces.append(piece) }
      case .movingText(let text, let placement): pieces += try drawing.easel.stills.pieces(of: text, placement)
      case .video(let scene, let placement):
        let renderer = video ?? SceneRenderer(supplies)
        video = renderer
        pieces.append(.picture(SourcePicture(rendered: try renderer.frame(of: scene).0, color: scene.canvas.color), placement))
      case .group(let group): if let piece = try piece(of: group, &drawing) { pieces.append(piece) }
      case .backdrop(let filters, let cover):
        if let cover = try self.cover(cover, drawing) { pieces.append(.backdrop(filters, cover)) }
      case .woven(let woven):
        let frame = try frame(of: woven)
        pieces.append(.picture(SourcePicture(rendered: frame, color: woven.first.canvas.color), Scene.Placement()))
      }
    }
    return pieces
  }

  private func frame(of woven: Scene.Woven) throws -> PixelBuffer {
    let renderer = fields ?? SceneRenderer(supplies)
    fields = renderer
    let (first, second) = try (renderer.frame(of: woven.first).0, renderer.frame(of: woven.second).0)
    return try FieldWeaver.woven(first, second, woven.fields)
  }

  /// The piece of a group; nil where its cover hides all of it.
  private func piece(of group: Scene.Group, _ drawing: inout DrawnScene) throws -> Collage.Piece? {
    let pieces = try pieces(of: group.nodes, &drawing)
    var cover: Collage.Cover?
    if let wanted = group.cover {
      guard let drawn = try self.cover(wanted, drawing) else { return nil }
      cover = drawn
    }
    var mask: Collage.Mask?
    if let wanted = group.mask {
      let pieces = try self.pieces(of: wanted.nodes, &drawing)
      if pieces.isEmpty { return nil }
      mask = Collage.Mask(pieces, wanted.mode)
    }
    if pieces.isEmpty { return nil }
    return .group(
      Collage.Group(
        pieces, cover: cover, opacity: group.opacity, blendMode: group.blendMode, mask: mask, filters: group.filters,
        shadow: group.shadow))
  }

  /// The picture of a cover; nil where it is clear.
  private func cover(_ cover: Scene.Cover, _ drawing: DrawnScene) throws -> Collage.Cover? {
    guard case .picture(let picture, let placement)? = try drawing.easel.stills.piece(of: cover.still, cover.placement) else {
      return nil
    }
    return Collage.Cover(picture: picture, placement: placement)
  }

  private func pieces(of composed: Scene.Composed, _ drawing: inout DrawnScene) throws -> [Collage.Piece] {
    var pieces: [Collage.Piece]
    switch composed.content {
    case .passthrough(let nodes): pieces = try self.pieces(of: nodes, &drawing)
    case .request(let sources, _):
      var pictures: [(TrackID, SourcePicture)] = []
      for source in sources { pictures.append((source.track, try self.source(source.picture, &drawing))) }
      let frame = try drawing.easel.composed.frame(of: composed, pictures, over: drawing.background)
      pieces = [.picture(frame, Scene.Placement())]
    }
    let traits = try supplies.instructions.traits(of: composed.statement, at: composed.time)
    guard traits.enablePostProcessing else { return pieces }
    let layers = try self.pieces(of: composed.stills, &drawing)
    return composed.isInLayers ? layers : pieces + layers
  }

  private func source(_ picture: Scene.Picture, _ drawing: inout DrawnScene) throws -> SourcePicture {
    switch picture.content {
    case .clip(let clip):
      return SourcePicture(buffer: try supplies.readers.frame(of: clip, picture).buffer, facts: clip.video)
    case .nested(let composition, let scene):
      let place = Place(path: picture.path, composition: composition)
      let renderer = drawing.nested[place] ?? nested[place] ?? SceneRenderer(supplies)
      drawing.nested[place] = renderer
      return SourcePicture(rendered: try renderer.frame(of: scene).0, color: scene.canvas.color)
    }
  }
}

extension Scene.Canvas {
  /// The layout in which frames are composited.
  var format: PixelFormat {
    hasAlpha ? Compositor.formatWithAlpha(like: .init(chroma)) : PixelFormat(.init(chroma), bitDepth: bitDepth)
  }
}
