import Compositing
import FarmTesting
import Formats
import Media
import Testing
import Timeline

@Suite struct `A transition` {
  static let others: [Transition.Effect] =
    [.dissolve, .dip(RGBAColor(0.9, 0.2, 0.1)), .blurDissolve(radius: 0.1)]
    + Transition.Motion.allCases.flatMap { motion in Transition.Side.allCases.map { .motion(motion, $0) } }
    + Transition.Zoom.allCases.map { .zoom($0) }

  private func frame(_ effect: Transition.Effect, _ progress: Double, _ sides: Sides) throws -> Samples {
    try Compositor(sides.from.width, sides.from.height, sides.from.format).transition(
      effect, Layer(samples: sides.from), Layer(samples: sides.to), progress: progress)
  }

  @Test(arguments: others.indices)
  func `begins with one picture and ends with the other`(_ index: Int) throws {
    let effect = Self.others[index]
    for format in [PixelFormat(.yuv420), PixelFormat(.yuv420, bitDepth: 10)] {
      let sides = Sides(format, 64, 48)
      #expect(try frame(effect, 0, sides) == sides.from)
      #expect(try frame(effect, 1.0.nextDown, sides).distance(to: sides.to) <= 1)
    }
  }

  @Test func `dips into nothing but its colour halfway`() throws {
    let sides = Sides(.yuv420, 64, 48)
    let color = RGBAColor(0.9, 0.2, 0.1)
    #expect(try frame(.dip(color), 0.5, sides) == Compositor(64, 48).frame([], background: color))
  }

  /// The expression of xfade for the sample at a place of one of the pictures.
  private static func plane(_ picture: String, _ place: String) -> String {
    (0...2).map { "eq(PLANE,\($0))*\(picture)\($0)(\(place))" }.joined(separator: "+")
  }

  /// The expression of xfade for the distance from the centre. It is 1 at the pixels in the corners.
  private static let radius = "hypot(X+0.5-W/2,Y+0.5-H/2)/hypot((W-1)/2,(H-1)/2)"

  /// Effects, and the options of xfade that say the same. Progress is 1 - P.
  private static let oracles: [(Transition.Effect, String)] = [
    (.dissolve, "fade"),
    (.motion(.push, .fromRight), "slideleft"), (.motion(.push, .fromLeft), "slideright"),
    (.motion(.push, .fromBottom), "slideup"), (.motion(.push, .fromTop), "slidedown"),
    (.wipe(.smpte(.barLeftToRight), .init()), "wiperight"),
    (.wipe(.smpte(.barLeftToRight), .init(isReversed: true)), "wipeleft"),
    (.wipe(.smpte(.barTopToBottom), .init()), "wipedown"),
    (.wipe(.smpte(.barTopToBottom), .init(isReversed: true)), "wipeup"),
    (.wipe(.smpte(.boxTopLeft), .init(isReversed: true)), "wipetl"),
    (.wipe(.smpte(.boxTopRight), .init(isReversed: true)), "wipetr"),
    (.wipe(.smpte(.boxBottomLeft), .init(isReversed: true)), "wipebl"),
    (.wipe(.smpte(.boxBottomRight), .init(isReversed: true)), "wipebr"),
    (.motion(.slide, .fromLeft), "custom:expr='if(lt(X,W*(1-P)),\(plane("b", "X+W*P,Y")),A)'"),
    (.motion(.swipe, .fromTop), "custom:expr='if(lt(Y,H*(1-P)),B,\(plane("a", "X,Y-H*(1-P)")))'"),
    (.wipe(.smpte(.ellipseCircle), .init()), "custom:expr='if(lt(\(radius),1-P),B,A)'"),
    (.wipe(.smpte(.irisDiamond), .init()), "custom:expr='if(lt(abs((X+0.5)/W-0.5)+abs((Y+0.5)/H-0.5),1-P),B,A)'"),
    (.wipe(.smpte(.clockClockwiseTwelve), .init()), "custom:expr='if(lt(PI-atan2(X+0.5-W/2,Y+0.5-H/2),2*PI*(1-P)),B,A)'"),
    (.wipe(.smpte(.fanCenterTop), .init()), "custom:expr='if(gt(abs(atan2(X+0.5-W/2,Y+0.5-H/2)),PI*P),B,A)'"),
    (.wipe(.smpte(.veeDown), .init()), "custom:expr='if(lt((Y+0.5)/H/2+abs((X+0.5)/W-0.5),1-P),B,A)'"),
    (.wipe(.smpte(.ellipseCircle), .init(softness: 0.5)), "custom:expr='A+(B-A)*clip(3*(1-P)-2*\(radius),0,1)'"),
  ]

  @Test(arguments: oracles.indices, [PixelFormat(.yuv444), PixelFormat(.yuv444, bitDepth: 10)])
  func `is what ffmpeg's xfade makes of it, but for the edge's own pixels`(_ index: Int, _ format: PixelFormat) throws {
    let (effect, transition) = Self.oracles[index]
    let sides = Sides(format, 64, 48)
    for eighths in [2, 5] {
      let frame = try frame(effect, Double(eighths) / 8, sides)
      let oracle = try FFmpegOracle.crossed(sides.from, sides.to, transition, eighths: eighths)
      let off = (0..<3 * 48 * 64).filter { index in
        let (plane, y, x) = (index / (48 * 64), index / 64 % 48, index % 64)
        guard abs(frame.at(plane, x, y) - oracle.at(plane, x, y)) > 1 else { return false }
        // Either result is right for a pixel whose centre the edge passes.
        let around = (-1...1).flatMap { dy in (-1...1).map { dx in frame.at(plane, x + dx, y + dy) >= sides.middle } }
        return !around.contains(true) || !around.contains(false)
      }
      #expect(off.isEmpty, "\(effect) at \(eighths)/8")
    }
  }

  @Test func `that blurs leaves a flat picture as it is`() throws {
    for depth in [8, 10] {
      let format = PixelFormat(.yuv420, bitDepth: depth)
      let flat = Layer(samples: Samples(format, 64, 48) { plane, _, _ in [200, 90, 130][plane] << (depth - 8) })
      for progress in [0.1, 0.5, 0.83] {
        let frame = try Compositor(64, 48, format).transition(.blurDissolve(radius: 0.5), flat, flat, progress: progress)
        #expect(frame == flat.samples)
      }
    }
  }
}
