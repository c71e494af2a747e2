internal import Compositing
internal import Drawing
internal import Formats
internal import Media
internal import Scenes
internal import Timeline

/// The pictures of scenes' stills, drawn for the frames of one compositor. Each is drawn once, when it is first seen, and dropped when it
/// is not seen any more. So the cost of a lyric video grows with its lines on screen and not with its frames. One thread at a
/// time.
final class StillPictures {
  let supplies: SceneSupplies
  let compositor: Compositor
  /// The stills that were drawn; nil for one of which nothing can be seen.
  private var drawn: [Scene.Still: PlacedPicture?] = [:]
  /// The stills of the last scene, and of this one, in the order in which they were asked for.
  private var (last, shown): ([Shown], [Shown]) = ([], [])
  /// The parts of moving texts that were drawn for the last frame, and for this one.
  var (parts, shownParts): ([TextPart: PlacedPicture?], [TextPart: PlacedPicture?]) = ([:], [:])

  init(_ supplies: SceneSupplies, for compositor: Compositor) { (self.supplies, self.compositor) = (supplies, compositor) }

  /// A still with its placement, and the piece that shows it.
  private struct Shown {
    let still: Scene.Still
    let placement: Scene.Placement
    let piece: Collage.Piece?
  }

  /// The piece of a frame that shows a still; nil when nothing of it can be seen.
  ///
  /// Scenes that follow each other mostly show the same stills in the same order, so those of the last one are tried first. That
  /// needs no look at what is drawn.
  func piece(of still: Scene.Still, _ placement: Scene.Placement) throws -> Collage.Piece? {
    if shown.count < last.count, case let known = last[shown.count], known.still.isCopy(of: still), known.placement == placement {
      shown.append(known)
      return known.piece
    }
    let known = try drawn[still] ?? draw(still)
    drawn[still] = .some(known)
    let piece = known.map { self.piece(of: $0, placement) }
    shown.append(Shown(still: still, placement: placement, piece: piece))
    return piece
  }

  /// The piece that shows a picture whose place counts in the pixels of a still.
  func piece(of placed: PlacedPicture, _ placement: Scene.Placement) -> Collage.Piece {
    .picture(
      SourcePicture(rendered: placed.picture, color: compositor.graphicsFormat.color),
      Scene.Placement(
        crop: placement.crop.map { Rect($0.x - Double(placed.x), $0.y - Double(placed.y), $0.width, $0.height) },
        transform: AffineTransform.translation(Double(placed.x), Double(placed.y)).then(placement.transform),
        projection: placement.projection, opacity: placement.opacity))
  }

  /// Drops the stills that this scene did not show.
  func finishScene() {
    if !shown.elementsEqual(last, by: { $0.still.isCopy(of: $1.still) }) {
      let seen = Set(shown.map(\.still))
      drawn = drawn.filter { seen.contains($0.key) }
    }
    (last, shown) = (shown, [])
    (parts, shownParts) = (shownParts, [:])
  }

  private func draw(_ still: Scene.Still) throws -> PlacedPicture? {
    let (renderSize, target) = (compositor.renderSize, compositor.graphicsFormat)
    supplies.drawingCount += 1
    let images = supplies.images
    let drawing = try PlacedPicture(still: still, in: renderSize, fonts: supplies.fonts) { asset throws(MediaError) in
      try images.image(of: asset)
    }
    return try drawing.flatMap { drawing in
      switch still.extent {
      case .frame:
        try PlacedPicture(
          graphics: drawing, opacity: still.opacity, renderSize: renderSize, format: target.format, color: target.color)
      case .whole:
        try PlacedPicture(movable: drawing, opacity: still.opacity, format: target.format, color: target.color)
      }
    }
  }
}

extension StillPictures {
  /// The files and folders that drawing texts needs. Some may not exist.
  static var fontPlaces: [String] { FontPlaces.all }
}
