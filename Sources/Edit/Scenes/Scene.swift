package import Formats
package import MediaTime
package import Timeline

/// The content of one output frame: a tree in which every value is evaluated for the frame's time. Whoever draws it, estimates
/// its cost or compares it with another scene needs nothing else of the edit (decision 0110).
///
/// A scene is a pure function of the edit and the frame's index. Chunk borders, workers and seeking cannot change it.
package struct Scene: Hashable, Sendable, Encodable {
  @Shared package var canvas: Canvas
  package let background: RGBAColor
  /// The nodes, bottommost first. Pictures and stills without opacity are left out.
  @Joined package var nodes: [Node]

  package init(canvas: Canvas, background: RGBAColor, nodes: [Node]) {
    self.init(Shared(wrappedValue: canvas), background: background, [Shared(wrappedValue: nodes)])
  }

  /// - Parameter nodes: the nodes in parts, which other scenes may have in common with this one.
  init(_ canvas: Shared<Canvas>, background: RGBAColor, _ nodes: [Shared<[Node]>]) {
    (_canvas, _nodes, self.background) = (canvas, Joined(nodes), background)
  }

  /// The properties of the frame that do not depend on its content.
  package struct Canvas: Hashable, Sendable, Encodable {
    /// The size that everything is placed in, in pixels.
    package let renderSize: PixelSize
    /// The size to which the whole frame is then scaled, in pixels.
    package let outputSize: PixelSize
    /// The bits of each sample.
    package let bitDepth: Int
    package let chroma: ChromaSampling
    /// Whether the frame has alpha.
    package let hasAlpha: Bool
    /// The frame's colour. No tag is unknown.
    package let color: ColorTags
    package let toneMap: ToneMap
    package let blending: Blending

    package init(
      renderSize: PixelSize, outputSize: PixelSize, bitDepth: Int, chroma: ChromaSampling = .yuv420,
      hasAlpha: Bool = false, color: ColorTags, toneMap: ToneMap, blending: Blending
    ) {
      (self.renderSize, self.outputSize, self.bitDepth, self.chroma) = (renderSize, outputSize, bitDepth, chroma)
      self.hasAlpha = hasAlpha
      (self.color, self.toneMap, self.blending) = (color, toneMap, blending)
    }
  }

  package indirect enum Node: Hashable, Sendable, Encodable {
    case picture(Picture, Placement)
    /// A transition, which covers the frame. Each side is drawn on the scene's background, and a side without nodes is the
    /// background alone. `progress` is in 0...1.
    case transition(Transition.Effect, from: [Node], to: [Node], progress: Double)
    case composed(Composed)
    /// A layer, or a part of one. The placement's opacity is the share that is left of the still's own.
    case still(Still, Placement)
    /// A text whose letters move.
    case movingText(MovingText, Placement)
    /// The whole video in a layer. It is a frame of its own, laid like a clip.
    case video(Scene, Placement)
    /// Nodes that are put together before they are laid over what is below.
    case group(Group)
    /// A filter of what lies below, as far as the cover is opaque.
    case backdrop([LayerFilter.Value], Cover)
    /// The two fields of a movie's frame, which are frames of their own. It is the only node of its scene.
    case woven(Woven)
  }

  /// Two frames of different moments, whose lines become the fields of one.
  package struct Woven: Hashable, Sendable, Encodable {
    /// The frame of the field that is shown first.
    package let first: Scene
    package let second: Scene
    package let fields: FieldWeave

    package init(_ first: Scene, _ second: Scene, _ fields: FieldWeave) {
      (self.first, self.second, self.fields) = (first, second, fields)
    }
  }

  /// Nodes that are laid over what is below as one picture.
  package struct Group: Hashable, Sendable, Encodable {
    /// The nodes, bottommost first.
    package let nodes: [Node]
    /// The still whose alpha decides how much is seen of each place; nil where all is seen.
    package let cover: Cover?
    /// The opacity, above 0 and at most 1.
    package let opacity: Double
    package let blendMode: BlendMode
    /// The nodes that decide, too, how much is seen of each place; nil where all is seen.
    package let mask: Mask?
    /// The filters of the nodes, whose lengths are in render pixels, before the cover and the mask.
    package let filters: [LayerFilter.Value]
    /// The shadow of what is seen of the nodes, below them.
    package let shadow: Shadow?

    package init(
      _ nodes: [Node], cover: Cover? = nil, opacity: Double = 1, blendMode: BlendMode = .normal, mask: Mask? = nil,
      filters: [LayerFilter.Value] = [], shadow: Shadow? = nil
    ) {
      (self.nodes, self.cover, self.opacity, self.blendMode) = (nodes, cover, opacity, blendMode)
      (self.mask, self.filters, self.shadow) = (mask, filters, shadow)
    }

    /// The group with other nodes and another opacity.
    package func with(_ nodes: [Node], opacity: Double? = nil, mask: Mask? = nil) -> Group {
      Group(
        nodes, cover: cover, opacity: opacity ?? self.opacity, blendMode: blendMode, mask: mask ?? self.mask, filters: filters,
        shadow: shadow)
    }
  }

  /// Nodes that are not seen themselves: they decide how much is seen of others.
  package struct Mask: Hashable, Sendable, Encodable {
    package let nodes: [Node]
    package let mode: MaskMode

    package init(_ nodes: [Node], _ mode: MaskMode) { (self.nodes, self.mode) = (nodes, mode) }
  }

  /// A shadow in render pixels.
  package struct Shadow: Hashable, Sendable, Encodable {
    package let color: RGBAColor
    package let offset: Point
    /// The standard deviations of the blur, across and down.
    package let deviation: Point

    package init(_ color: RGBAColor, offset: Point, deviation: Point) {
      (self.color, self.offset, self.deviation) = (color, offset, deviation)
    }
  }

  /// A still that is not seen itself: its alpha decides how much is seen of other nodes.
  package struct Cover: Hashable, Sendable, Encodable {
    package let still: Still
    package let placement: Placement

    package init(_ still: Still, _ placement: Placement) { (self.still, self.placement) = (still, placement) }
  }

  /// The way in which a picture is laid onto the canvas.
  package struct Placement: Hashable, Sendable, Encodable {
    /// The part that is seen, in display-size pixels; nil is the whole picture.
    package let crop: Rect?
    /// The map from display-size pixels, or a still's, to render pixels, or to what the projection maps to them.
    package let transform: AffineTransform
    /// The view of a plane that is turned in space, after the transform; nil where the picture stays in the plane.
    package let projection: Projection?
    /// The opacity. In a node it is above 0 and at most 1.
    package let opacity: Double

    package init(crop: Rect? = nil, transform: AffineTransform = .identity, projection: Projection? = nil, opacity: Double = 1) {
      (self.crop, self.transform, self.projection, self.opacity) = (crop, transform, projection, opacity)
    }
  }
}

extension Scene {
  /// The picture that a track shows at one moment.
  package struct Picture: Hashable, Sendable, Encodable {
    package enum Content: Hashable, Sendable, Encodable {
      case clip(Clip)
      /// The frame of a nested composition. Its own scene describes it.
      case nested(CompositionID, Scene)
    }

    package let content: Content
    /// The tracks that lead to the picture, the outermost first. Each path has a reader of its own.
    @Unwritten package var path: [TrackID]
    /// The time on the source's clock. The frame that is shown is the last one whose time is not after it.
    package let time: Rational
    /// Whether the picture is played backwards. The frame that is shown is then the last one whose time is before `time`.
    package let isReversed: Bool

    package init(_ content: Content, path: [TrackID], time: Rational, isReversed: Bool = false) {
      (self.content, self.time, self.isReversed) = (content, time, isReversed)
      _path = Unwritten(wrappedValue: path)
    }

    package var source: SegmentSource {
      switch content {
      case .clip(let clip): .asset(clip.asset, trackPosition: clip.trackPosition)
      case .nested(let composition, _): .composition(composition)
      }
    }
  }

  /// A track of an asset's media.
  package struct Clip: Hashable, Sendable, Encodable {
    package let asset: AssetID
    /// The track's position among the asset's playable video tracks, from zero.
    package let trackPosition: Int
    /// The facts that probing found.
    @Shared package var video: VideoFacts
    package let treatment: AssetTreatment

    package init(
      _ asset: AssetID, trackPosition: Int = 0, video: VideoFacts, treatment: AssetTreatment = AssetTreatment()
    ) {
      self.init(asset, trackPosition: trackPosition, Shared(wrappedValue: video), treatment: treatment)
    }

    init(_ asset: AssetID, trackPosition: Int, _ video: Shared<VideoFacts>, treatment: AssetTreatment) {
      _video = video
      (self.asset, self.trackPosition, self.treatment) = (asset, trackPosition, treatment)
    }
  }

  /// A frame by a compositor of the user's own, and the stills over it.
  package struct Composed: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
      /// A frame that the compositor must make. `progress` is that of the instruction, in [0, 1).
      case request([Source], progress: Double)
      /// The picture of the passthrough track, which is shown without asking the compositor, since no other required track has a
      /// picture. There is no node where the picture cannot be seen.
      case passthrough([Node])
    }

    /// The picture of a required track as it is: whole, opaque, from the frame's corner.
    package struct Source: Hashable, Sendable {
      package let track: TrackID
      package let picture: Picture
    }

    package let statement: CompositorStatement
    /// The time on the clock of the frame's composition.
    package let time: MediaTime
    /// The frame duration of the frame's composition.
    package let frameDuration: MediaTime
    package let content: Content
    /// The layers over the frame. They are not drawn where the compositor's instruction declines them (`enablePostProcessing`).
    package let stills: [Node]
    /// Whether the layers include the frame itself, in a video layer, so that it is seen there only.
    package let isInLayers: Bool

    package init(
      statement: CompositorStatement, time: MediaTime, frameDuration: MediaTime, content: Content, stills: [Node],
      isInLayers: Bool = false
    ) {
      (self.statement, self.time, self.frameDuration) = (statement, time, frameDuration)
      (self.content, self.stills, self.isInLayers) = (content, stills, isInLayers)
    }
  }
}

extension Scene {
  /// Every picture that the nodes show, in their order, with those of the video in a layer. Pictures in nested scenes are left out.
  package var pictures: [Picture] { nodes.flatMap(\.pictures) }

  /// Whether one of the nodes is a frame by a compositor of the user's own.
  package var asksCompositor: Bool { nodes.contains(where: \.asksCompositor) }

  /// Whether this scene or one nested in it has a frame by a compositor of the user's own.
  package var asksCompositorWithin: Bool {
    asksCompositor
      || pictures.contains { if case .nested(_, let scene) = $0.content { scene.asksCompositorWithin } else { false } }
  }

  /// The assets whose pictures the scene shows, also in nested scenes.
  package var assets: Set<AssetID> {
    var assets = stillAssets
    for picture in pictures {
      switch picture.content {
      case .clip(let clip): assets.insert(clip.asset)
      case .nested(_, let scene): assets.formUnion(scene.assets)
      }
    }
    return assets
  }

  /// The still pictures that the scene draws, and those that its wipes go by, also in nested scenes.
  package var stillAssets: Set<AssetID> {
    var assets = Set(nodes.flatMap(\.stillAssets))
    for picture in pictures {
      if case .nested(_, let scene) = picture.content { assets.formUnion(scene.stillAssets) }
    }
    return assets
  }
}

extension Scene.Node {
  fileprivate var pictures: [Scene.Picture] {
    switch self {
    case .picture(let picture, _): [picture]
    case .transition(_, let from, let to, _): (from + to).flatMap(\.pictures)
    case .composed(let composed): composed.pictures
    case .still, .movingText: []
    case .video(let scene, _): scene.pictures
    case .group(let group): (group.nodes + (group.mask?.nodes ?? [])).flatMap(\.pictures)
    case .backdrop: []
    case .woven(let woven): woven.first.pictures + woven.second.pictures
    }
  }

  fileprivate var asksCompositor: Bool {
    switch self {
    case .composed: true
    case .video(let scene, _): scene.asksCompositor
    case .group(let group): (group.nodes + (group.mask?.nodes ?? [])).contains(where: \.asksCompositor)
    case .woven(let woven): woven.first.asksCompositor || woven.second.asksCompositor
    case .picture, .transition, .still, .movingText, .backdrop: false
    }
  }

  fileprivate var stillAssets: [AssetID] {
    switch self {
    case .picture, .movingText: []
    case .transition(let effect, let from, let to, _): (from + to).flatMap(\.stillAssets) + effect.stillAssets
    case .composed(let composed): composed.stills.flatMap(\.stillAssets)
    case .still(let still, _): still.drawing.assets
    case .video(let scene, _): scene.nodes.flatMap(\.stillAssets)
    case .group(let group):
      (group.nodes + (group.mask?.nodes ?? [])).flatMap(\.stillAssets) + (group.cover?.still.drawing.assets ?? [])
    case .backdrop(_, let cover): cover.still.drawing.assets
    case .woven(let woven): (woven.first.nodes + woven.second.nodes).flatMap(\.stillAssets)
    }
  }
}

extension Scene.Composed {
  fileprivate var pictures: [Scene.Picture] {
    let own =
      switch content {
      case .request(let sources, _): sources.map(\.picture)
      case .passthrough(let nodes): nodes.flatMap(\.pictures)
      }
    return own + (statement.traits.enablePostProcessing ? stills.flatMap(\.pictures) : [])
  }
}

extension Transition.Effect {
  fileprivate var stillAssets: [AssetID] {
    if case .wipe(.image(let asset), _) = self { [asset] } else { [] }
  }
}
