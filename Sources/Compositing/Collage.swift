package import Media
package import Timeline

/// What a frame is put together from: a scene in which pictures stand where they are shown.
package struct Collage {
  package let background: RGBAColor
  /// Bottommost first.
  package let pieces: [Piece]

  package init(background: RGBAColor, pieces: [Piece]) { (self.background, self.pieces) = (background, pieces) }

  package indirect enum Piece {
    case picture(SourcePicture, Scene.Placement)
    /// It covers the frame. Each side lies on the collage's background, which is all of a side without pieces. `progress` in 0...1.
    case transition(Transition.Effect, from: [Piece], to: [Piece], progress: Double)
    case overlay(OverlayPicture)
  }

  /// Gives the still picture of an asset that a wipe goes by; for one asset always the same.
  package typealias WipeMaps = (AssetID) throws(MediaError) -> StillImage
}

/// A decoded frame and what its track says about it.
package struct SourcePicture {
  /// As stored: orientation and pixel aspect are applied here. Not written to.
  package let buffer: PixelBuffer
  package let facts: VideoFacts

  package init(buffer: PixelBuffer, facts: VideoFacts) { (self.buffer, self.facts) = (buffer, facts) }

  /// A frame that was rendered: upright, with square pixels.
  ///
  /// - Parameter color: nothing unknown.
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
