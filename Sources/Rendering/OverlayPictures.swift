internal import Compositing
internal import Drawing
internal import Media
internal import Timeline

/// The stills of scenes, drawn for the frames of one compositor. Each is drawn once, when it is first seen, and dropped when it
/// is not seen any more. So the cost of a lyric video grows with its lines on screen and not with its frames. One thread at a
/// time.
final class OverlayPictures {
  private struct Drawn {
    let picture: OverlayPicture
    /// The picture as it was faded last.
    var faded: (fade: Double, picture: OverlayPicture)

    init(_ picture: OverlayPicture) { (self.picture, faded) = (picture, (1, picture)) }
  }

  private let images: StillImages
  private let fonts: FontBook
  private let compositor: Compositor
  private var drawn: [Scene.Still: Drawn] = [:]
  private var shown: Set<Scene.Still> = []

  init(_ images: StillImages, _ fonts: FontBook, for compositor: Compositor) {
    (self.images, self.fonts, self.compositor) = (images, fonts, compositor)
  }

  /// The picture of a still, ready to be drawn over a frame.
  ///
  /// - Parameter fade: the share that is left of the still's own opacity, 0...1.
  func picture(of still: Scene.Still, fade: Double) throws -> OverlayPicture {
    shown.insert(still)
    var known = try drawn[still] ?? Drawn(draw(still))
    if known.faded.fade != fade { known.faded = (fade, known.picture.faded(to: fade)) }
    drawn[still] = known
    return known.faded.picture
  }

  /// Drops the stills that this scene did not show.
  func finishScene() {
    drawn = drawn.filter { shown.contains($0.key) }
    shown = []
  }

  private func draw(_ still: Scene.Still) throws -> OverlayPicture {
    let (renderSize, target) = (compositor.renderSize, compositor.overlayFormat)
    let raster =
      switch still.content {
      case .text(let text): try Raster(text: text, in: renderSize, fonts: fonts)
      case .image(let content): try Raster(image: images.image(of: content.asset), content: content, in: renderSize)
      }
    return OverlayPicture(
      raster, opacity: still.opacity, renderSize: renderSize, format: target.format, color: target.color)
  }
}

extension OverlayPictures {
  /// The files and folders that drawing texts needs. Some may not exist.
  static var fontPlaces: [String] { FontPlaces.all }
}
