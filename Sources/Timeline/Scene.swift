package import MediaTime

/// What one output frame shows: a tree in which every value is evaluated for the frame's time, so that who draws it, prices it or
/// compares it with another needs nothing else of the edit (decision 0110).
///
/// It is a pure function of the edit and the frame's index. Chunk borders, workers and seeking cannot change it.
package struct Scene: Hashable, Sendable {
  package let canvas: Canvas
  package let background: RGBAColor
  /// Bottommost first; what cannot be seen is left out.
  package let nodes: [Node]

  package init(canvas: Canvas, background: RGBAColor, nodes: [Node]) {
    (self.canvas, self.background, self.nodes) = (canvas, background, nodes)
  }

  /// What the frame is like, whatever it shows.
  package struct Canvas: Hashable, Sendable {
    /// The size that everything is placed in, in pixels.
    package let renderSize: PixelSize
    /// The size that the whole is then scaled to.
    package let outputSize: PixelSize
    /// Of each sample; the frame is 4:2:0.
    package let bitDepth: Int
    /// Nothing unknown.
    package let color: ColorTags
    package let toneMap: ToneMap
    package let blending: Blending

    package init(
      renderSize: PixelSize, outputSize: PixelSize, bitDepth: Int, color: ColorTags, toneMap: ToneMap, blending: Blending
    ) {
      (self.renderSize, self.outputSize, self.bitDepth) = (renderSize, outputSize, bitDepth)
      (self.color, self.toneMap, self.blending) = (color, toneMap, blending)
    }
  }

  package indirect enum Node: Hashable, Sendable {
    case picture(Picture, Placement)
    /// It covers the frame. Each side lies on the scene's background, which is all of a side without nodes. `progress` in 0...1.
    case transition(Transition.Effect, from: [Node], to: [Node], progress: Double)
    case composed(Composed)
    /// `fade` in 0...1: how much of the still's own opacity is left.
    case still(Still, fade: Double)
  }

  /// How a picture is laid onto the canvas.
  package struct Placement: Hashable, Sendable {
    /// The part that is seen, in display-size pixels; nil is the whole picture.
    package let crop: Rect?
    /// From display-size pixels to render pixels.
    package let transform: AffineTransform
    /// Above 0, up to 1.
    package let opacity: Double

    package init(crop: Rect? = nil, transform: AffineTransform = .identity, opacity: Double = 1) {
      (self.crop, self.transform, self.opacity) = (crop, transform, opacity)
    }
  }

  /// A text or an image, which is drawn once for all frames that show it.
  package struct Still: Hashable, Sendable {
    package let content: Layer.Content
    /// What the layer has throughout, 0...1; where that changes, 1, and the node's fade says what it is.
    package let opacity: Double

    package init(_ content: Layer.Content, opacity: Double = 1) {
      (self.content, self.opacity) = (content, opacity)
    }
  }
}

extension Scene {
  /// What a track shows at one moment.
  package struct Picture: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
      case clip(Clip)
      /// The frame of a nested composition, which its own scene says.
      case nested(CompositionID, Scene)
    }

    package let content: Content
    /// The tracks that lead to it, the outermost first. One reader reads what one path leads to.
    package let path: [TrackID]
    /// On the source's clock; the frame shown is the last one whose time is not after it.
    package let time: Rational
    /// Whether it is played backwards: the frame shown is then the last one whose time is before `time`.
    package let isReversed: Bool

    package init(_ content: Content, path: [TrackID], time: Rational, isReversed: Bool = false) {
      (self.content, self.path, self.time, self.isReversed) = (content, path, time, isReversed)
    }

    package var source: SegmentSource {
      switch content {
      case .clip(let clip): .asset(clip.asset, trackPosition: clip.trackPosition)
      case .nested(let composition, _): .composition(composition)
      }
    }
  }

  /// A track of an asset's media.
  package struct Clip: Hashable, Sendable {
    package let asset: AssetID
    /// Counts the asset's playable tracks of pictures, from zero.
    package let trackPosition: Int
    /// What probing found.
    package let video: VideoFacts
    package let treatment: AssetTreatment

    package init(
      _ asset: AssetID, trackPosition: Int = 0, video: VideoFacts, treatment: AssetTreatment = AssetTreatment()
    ) {
      (self.asset, self.trackPosition, self.video, self.treatment) = (asset, trackPosition, video, treatment)
    }
  }

  /// What a compositor of the user's own answers for, and what lies over it.
  package struct Composed: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
      /// A frame that the compositor makes. `progress` of the instruction, in [0, 1).
      case request([Source], progress: Double)
      /// Only the passthrough track has a picture, which is shown without asking. It has no node where it cannot be seen.
      case passthrough([Node])
    }

    /// The picture of a required track as it is: whole, opaque, from the frame's corner.
    package struct Source: Hashable, Sendable {
      package let track: TrackID
      package let picture: Picture
    }

    package let statement: CompositorStatement
    /// On the clock of its composition.
    package let time: MediaTime
    /// Its composition's.
    package let frameDuration: MediaTime
    package let content: Content
    /// The stills over it, unless its instruction declines them.
    package let stills: [Node]
  }
}

extension Scene {
  /// Every picture that its nodes show, bottommost first; what nested scenes show is theirs to tell.
  package var pictures: [Picture] { nodes.flatMap(\.pictures) }

  /// Whether a compositor of the user's own answers for one of its nodes.
  package var asksCompositor: Bool { nodes.contains { if case .composed = $0 { true } else { false } } }

  /// Whether it or a scene within it asks a compositor of the user's own.
  package var asksCompositorWithin: Bool {
    asksCompositor
      || pictures.contains { if case .nested(_, let scene) = $0.content { scene.asksCompositorWithin } else { false } }
  }

  /// The assets whose pictures it shows, nested scenes included.
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

  /// The still pictures that it shows and that its wipes go by, nested scenes included.
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
    case .still: []
    }
  }

  fileprivate var stillAssets: [AssetID] {
    switch self {
    case .picture: []
    case .transition(let effect, let from, let to, _): (from + to).flatMap(\.stillAssets) + effect.stillAssets
    case .composed(let composed): composed.stills.flatMap(\.stillAssets)
    case .still(let still, _): if case .image(let image) = still.content { [image.asset] } else { [] }
    }
  }
}

extension Scene.Composed {
  fileprivate var pictures: [Scene.Picture] {
    switch content {
    case .request(let sources, _): sources.map(\.picture)
    case .passthrough(let nodes): nodes.flatMap(\.pictures)
    }
  }
}

extension Transition.Effect {
  fileprivate var stillAssets: [AssetID] {
    if case .wipe(.image(let asset), _) = self { [asset] } else { [] }
  }
}
