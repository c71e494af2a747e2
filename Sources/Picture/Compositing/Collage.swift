package import Formats
package import Media
package import Scenes
package import Timeline

/// The pictures of which a frame is put together: a scene in which decoded and drawn pictures stand where they are shown.
package struct Collage {
  package let background: RGBAColor
  /// The pieces, bottommost first.
  package let pieces: [Piece]

  package init(background: RGBAColor, pieces: [Piece]) { (self.background, self.pieces) = (background, pieces) }

  package indirect enum Piece {
    case picture(SourcePicture, Scene.Placement)
    /// A transition, which covers the frame. Each side is drawn on the collage's background, and a side without pieces is the
    /// background alone. `progress` is in 0...1.
    case transition(Transition.Effect, from: [Piece], to: [Piece], progress: Double)
    /// Pieces that are put together before they are laid over what is below.
    case group(Group)
    /// A filter of what lies below, as far as the cover is opaque.
    case backdrop([LayerFilter.Value], Cover)
  }

  /// A picture that is not seen itself: its alpha decides how much is seen of each place.
  package struct Cover {
    package let picture: SourcePicture
    package let placement: Scene.Placement

    package init(picture: SourcePicture, placement: Scene.Placement) { (self.picture, self.placement) = (picture, placement) }
  }

  /// Pieces that are not seen themselves: they decide how much is seen of others.
  package struct Mask {
    package let pieces: [Piece]
    package let mode: MaskMode

    package init(_ pieces: [Piece], _ mode: MaskMode) { (self.pieces, self.mode) = (pieces, mode) }
  }

  package struct Group {
    /// The pieces, bottommost first.
    package let pieces: [Piece]
    /// The picture whose alpha decides how much is seen of each place; nil where all is seen.
    package let cover: Cover?
    /// The opacity, 0...1.
    package let opacity: Double
    package let blendMode: BlendMode
    /// The pieces that decide, too, how much is seen of each place; nil where all is seen.
    package let mask: Mask?
    /// The filters of the pieces, before the cover and the mask. Lengths are in render pixels.
    package let filters: [LayerFilter.Value]
    /// The shadow of what is seen of the pieces, below them.
    package let shadow: Scene.Shadow?

    package init(
      _ pieces: [Piece], cover: Cover?, opacity: Double, blendMode: BlendMode, mask: Mask? = nil,
      filters: [LayerFilter.Value] = [], shadow: Scene.Shadow? = nil
    ) {
      (self.pieces, self.cover, self.opacity, self.blendMode) = (pieces, cover, opacity, blendMode)
      (self.mask, self.filters, self.shadow) = (mask, filters, shadow)
    }
  }

  /// Gives the still picture that a wipe goes by. It gives the same picture for an asset every time.
  package typealias WipeMaps = (AssetID) throws(MediaError) -> StillImage
}

/// A decoded frame, and the facts about its track.
package struct SourcePicture {
  /// The frame as it is stored, with its alpha. Orientation and pixel aspect are applied here. The buffer is never written to.
  package let buffer: PixelBuffer
  package let facts: VideoFacts

  package init(buffer: PixelBuffer, facts: VideoFacts) { (self.buffer, self.facts) = (buffer, facts) }

  /// Makes a picture of a frame that was rendered or drawn. It is upright and has square pixels.
  ///
  /// - Parameter color: the frame's colour. No tag may be unknown.
  package init(rendered buffer: PixelBuffer, color: ColorTags) {
    let size = PixelSize(buffer.width, buffer.height)
    let facts = VideoFacts(
      naturalSize: size, displaySize: size, orientation: .up, pixelAspect: PixelSize(1, 1), nominalFrameRate: nil,
      pixelFormat: buffer.format.description, bitDepth: buffer.format.bitDepth, color: color)
    self.init(buffer: buffer, facts: facts)
  }
}

extension SourcePicture {
  var format: PictureFormat {
    PictureFormat(
      width: buffer.width, height: buffer.height, format: buffer.format, color: facts.color,
      taggedHeight: facts.naturalSize.height)
  }
}
