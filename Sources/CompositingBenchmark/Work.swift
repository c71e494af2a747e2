import Compositing
import Media
import MediaTime
import Timeline

/// What is measured: scenes of pictures, and the compositor that makes frames of them.
struct Work {
  let compositor: Compositor
  /// What frame `index` of `count` shows.
  let scene: (_ index: Int, _ count: Int) -> (Scene, [PlacedPicture: SourcePicture])

  static func transition(
    _ effect: Transition.Effect, from: Pictures, to: Pictures, _ blending: Blending = .encoded
  ) -> Work {
    let (outgoing, incoming) = (placed("from"), placed("to"))
    return Work(compositor: compositor(from, blending)) { index, count in
      let progress = (Double(index) + 0.5) / Double(count)
      return (
        scene(.transition(effect, from: outgoing, to: incoming, progress: progress)),
        [outgoing: from[index], incoming: to[index]]
      )
    }
  }

  /// Turned about the middle of the frame, clockwise.
  static func rotation(_ pictures: Pictures, sine: Double, cosine: Double) -> Work {
    let (x, y) = (Double(pictures.size.width) / 2, Double(pictures.size.height) / 2)
    let turn = AffineTransform(1, 0, 0, 1, -x, -y).then(AffineTransform(cosine, sine, -sine, cosine, x, y))
    return one(placed("V", turn), pictures, compositor(pictures))
  }

  static func scaling(_ pictures: Pictures, to size: PixelSize) -> Work {
    let (width, height) = (Double(size.width), Double(size.height))
    let map = AffineTransform(width / Double(pictures.size.width), 0, 0, height / Double(pictures.size.height), 0, 0)
    return one(placed("V", map), pictures, Compositor(renderSize: size, format: pictures.all[0].format, color: .bt709))
  }

  /// A picture that fills the frame, and over it `count` small ones along the diagonal, by turns opaque and half so.
  static func layers(_ ground: Pictures, _ small: Pictures, count: Int) -> Work {
    let step = (
      x: (ground.size.width - small.size.width) / max(count - 1, 1) & ~1,
      y: (ground.size.height - small.size.height) / max(count - 1, 1) & ~1
    )
    let all =
      [placed("ground")]
      + (0..<count).map { index in
        let place = AffineTransform(1, 0, 0, 1, Double(index * step.x), Double(index * step.y))
        return placed("\(index)", place, opacity: index.isMultiple(of: 2) ? 1 : 0.5)
      }
    return Work(compositor: compositor(ground)) { index, _ in
      let shown = [ground[index]] + (0..<count).map { _ in small[index] }
      return (scene(.layers(all)), Dictionary(uniqueKeysWithValues: zip(all, shown)))
    }
  }

  /// To 8-bit BT.709.
  static func toneMap(_ pictures: Pictures) -> Work {
    one(placed("V"), pictures, Compositor(renderSize: pictures.size, format: .yuv420, color: .bt709))
  }

  private static func one(_ picture: PlacedPicture, _ pictures: Pictures, _ compositor: Compositor) -> Work {
    Work(compositor: compositor) { index, _ in (scene(.layers([picture])), [picture: pictures[index]]) }
  }

  private static func compositor(_ pictures: Pictures, _ blending: Blending = .encoded) -> Compositor {
    Compositor(renderSize: pictures.size, format: pictures.all[0].format, color: .bt709, blending: blending)
  }

  private static func scene(_ picture: Scene.Picture) -> Scene {
    Scene(time: .zero, background: .black, picture: picture, overlays: [])
  }

  private static func placed(_ track: String, _ transform: AffineTransform = .identity, opacity: Double = 1) -> PlacedPicture {
    PlacedPicture(
      track: TrackID(track), source: SegmentSource(asset: AssetID(track)), sourceTime: Rational(0), crop: nil,
      transform: transform, opacity: opacity)
  }
}
