import Compositing
import EditFiles
import Formats
import Media
import Rendering
import Scenes
import Timeline

/// The work that is measured.
struct Work {
  /// Makes frame `index` of `count`.
  let show: (_ index: Int, _ count: Int) throws -> Void

  private init(_ show: @escaping (_ index: Int, _ count: Int) throws -> Void) { self.show = show }

  /// - Parameter collage: makes the collage that a frame shows.
  private init(compositor: Compositor, _ collage: @escaping (_ index: Int, _ count: Int) -> Collage) {
    self.init { index, count in _ = try compositor.composite(collage(index, count)) }
  }

  /// The frames of an edit, from its first one on, its media read and decoded on this thread.
  static func edit(_ path: String) throws -> Work {
    let (document, policy) = (try DocumentFile(path: path), SourcePolicy(roots: ["/"]))
    let edit = try EditFile(document, ProbedAssets(document.assets[...], policy: policy), policy).edit
    let (renderer, length) = (PictureRenderer(edit: edit, policy: policy), try edit.frameCount)
    return Work { index, _ in _ = try renderer.frame(index % length) }
  }

  static func transition(
    _ effect: Transition.Effect, from: Pictures, to: Pictures, _ blending: Blending = .encoded
  ) -> Work {
    Work(compositor: compositor(from, blending)) { index, count in
      let sides = (from: whole(from[index]), to: whole(to[index]))
      return collage([.transition(effect, from: [sides.from], to: [sides.to], progress: (Double(index) + 0.5) / Double(count))])
    }
  }

  /// A picture that is turned clockwise about the middle of the frame.
  static func rotation(_ pictures: Pictures, sine: Double, cosine: Double) -> Work {
    let (x, y) = (Double(pictures.size.width) / 2, Double(pictures.size.height) / 2)
    let turn = AffineTransform(1, 0, 0, 1, -x, -y).then(AffineTransform(cosine, sine, -sine, cosine, x, y))
    return one(Scene.Placement(transform: turn), pictures, compositor(pictures))
  }

  static func scaling(_ pictures: Pictures, to size: PixelSize) -> Work {
    let (width, height) = (Double(size.width), Double(size.height))
    let map = AffineTransform(width / Double(pictures.size.width), 0, 0, height / Double(pictures.size.height), 0, 0)
    return one(
      Scene.Placement(transform: map), pictures, Compositor(renderSize: size, format: pictures.all[0].format, color: .bt709))
  }

  /// A picture that fills the frame, and over it `count` small ones along the diagonal. Every second one is half opaque.
  static func layers(_ ground: Pictures, _ small: Pictures, count: Int) -> Work {
    let step = (
      x: (ground.size.width - small.size.width) / max(count - 1, 1) & ~1,
      y: (ground.size.height - small.size.height) / max(count - 1, 1) & ~1
    )
    let places = (0..<count).map { index in
      Scene.Placement(
        transform: AffineTransform(1, 0, 0, 1, Double(index * step.x), Double(index * step.y)),
        opacity: index.isMultiple(of: 2) ? 1 : 0.5)
    }
    return Work(compositor: compositor(ground)) { index, _ in
      collage([whole(ground[index])] + places.map { .picture(small[index], $0) })
    }
  }

  /// High-range pictures that are converted to 8-bit BT.709.
  static func toneMap(_ pictures: Pictures) -> Work {
    one(Scene.Placement(), pictures, Compositor(renderSize: pictures.size, format: .yuv420, color: .bt709))
  }

  private static func one(_ placement: Scene.Placement, _ pictures: Pictures, _ compositor: Compositor) -> Work {
    Work(compositor: compositor) { index, _ in collage([.picture(pictures[index], placement)]) }
  }

  private static func compositor(_ pictures: Pictures, _ blending: Blending = .encoded) -> Compositor {
    Compositor(renderSize: pictures.size, format: pictures.all[0].format, color: .bt709, blending: blending)
  }

  private static func collage(_ pieces: [Collage.Piece]) -> Collage { Collage(background: .black, pieces: pieces) }

  private static func whole(_ picture: SourcePicture) -> Collage.Piece { .picture(picture, Scene.Placement()) }
}
