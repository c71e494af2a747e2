import Compositing
import FarmTesting
import Formats
import Media
import Testing
import Timeline

extension SMPTEWipe: CustomTestStringConvertible {
  public var testDescription: String { rawValue }
}

/// Two pictures whose samples tell which picture they come from. All samples of the incoming one are in the upper half of the
/// scale.
struct Sides {
  let from: Samples
  let to: Samples
  let middle: Int

  init(_ format: PixelFormat, _ width: Int, _ height: Int, seed: UInt64 = 3) {
    var random = SeededRandom(seed: seed)
    let middle = 1 << (format.bitDepth - 1)
    from = Samples(format, width, height) { _, _, _ in Int.random(in: 0..<middle, using: &random) }
    to = Samples(format, width, height) { _, _, _ in Int.random(in: middle..<2 * middle, using: &random) }
    self.middle = middle
  }

  /// Whether each sample of the plane is the incoming picture's; nil where it is neither picture's.
  func shown(_ frame: Samples, plane: Int = 0) -> [Bool?] {
    frame.planes[plane].indices.map { index in
      let sample = frame.planes[plane][index]
      return sample == from.planes[plane][index] ? false : sample == to.planes[plane][index] ? true : nil
    }
  }
}

@Suite struct `A wipe` {
  private static let size = (width: 70, height: 46)

  private func frame(
    _ wipe: SMPTEWipe, _ progress: Double, _ sides: Sides, _ edge: Transition.WipeEdge = .init()
  ) throws -> Samples {
    try Compositor(sides.from.width, sides.from.height, sides.from.format).transition(
      .wipe(.smpte(wipe), edge), Layer(samples: sides.from), Layer(samples: sides.to), progress: progress)
  }

  @Test(arguments: SMPTEWipe.allCases)
  func `begins with one picture and ends with the other`(_ wipe: SMPTEWipe) throws {
    let sides = Sides(.yuv420, Self.size.width, Self.size.height)
    for edge in [
      Transition.WipeEdge(), .init(softness: 0.3), .init(softness: 0.1, borderWidth: 0.2), .init(isReversed: true),
    ] {
      #expect(try frame(wipe, 0, sides, edge) == sides.from)
      #expect(try frame(wipe, 1.0.nextDown, sides, edge) == sides.to)
    }
  }

  @Test(arguments: SMPTEWipe.allCases, [PixelFormat(.yuv444), PixelFormat(.yuv444, bitDepth: 10)])
  func `with a hard edge shows either picture, and never goes back`(_ wipe: SMPTEWipe, _ format: PixelFormat) throws {
    let sides = Sides(format, Self.size.width, Self.size.height)
    var before = [Bool](repeating: false, count: Self.size.width * Self.size.height)
    for progress in [0.15, 0.4, 0.5, 0.6, 0.85] {
      let frame = try frame(wipe, progress, sides)
      let shown = sides.shown(frame).compactMap(\.self)
      #expect(shown.count == before.count)
      #expect(shown.contains(true) && shown.contains(false), "at \(progress)")
      #expect(zip(before, shown).allSatisfy { !$0 || $1 })
      #expect(sides.shown(frame, plane: 1) == shown && sides.shown(frame, plane: 2) == shown)
      before = shown
    }
  }

  @Test(arguments: SMPTEWipe.allCases)
  func `reversed shows what it did not show from the other side`(_ wipe: SMPTEWipe) throws {
    let sides = Sides(PixelFormat(.yuv444), Self.size.width, Self.size.height)
    let ahead = sides.shown(try frame(wipe, 0.375, sides)).compactMap(\.self)
    let back = sides.shown(try frame(wipe, 0.625, sides, .init(isReversed: true))).compactMap(\.self)
    // Only pixels at the very edge may belong to both or to neither.
    #expect(zip(ahead, back).count { $0 == $1 } <= 2)
  }

  /// Turned pairs would need a square frame; mirrored ones do not.
  @Test(arguments: [
    (SMPTEWipe.boxTopLeft, SMPTEWipe.boxTopRight), (.diagonalTopLeft, .diagonalTopRight), (.veeLeft, .veeRight),
    (.barnVeeLeft, .barnVeeRight), (.triangleLeft, .triangleRight), (.arrowHeadLeft, .arrowHeadRight),
    (.singleSweepClockwiseTopLeft, .singleSweepCounterClockwiseTopRight), (.fanLeft, .fanRight),
    (.saloonDoorLeft, .saloonDoorRight), (.snakeTopLeftDiagonal, .snakeTopRightDiagonal),
    (.spiralTopLeftClockwise, .spiralTopRightCounterClockwise),
    (.parallelSnakesVerticalTopSame, .parallelSnakesVerticalTopSame),
    (.parallelSnakesHorizontalLeftSame, .parallelSnakesHorizontalRightSame),
    (.parallelSnakesHorizontalTopLeftOpposite, .parallelSnakesHorizontalTopRightOpposite),
    (.boxSnakesTwoBoxLeft, .boxSnakesTwoBoxRight), (.boxSnakesFourBoxVertical, .boxSnakesFourBoxVertical),
    (.waterfallVerticalLeft, .waterfallVerticalRight),
    (.ellipseCircle, .ellipseCircle), (.starFivePoint, .starFivePoint), (.miscShapeHeart, .miscShapeHeart),
    (.barnDoorVertical, .barnDoorVertical), (.doubleFanFanInVertical, .doubleFanFanInVertical),
  ])
  func `mirrors its counterpart to the last pixel`(_ one: SMPTEWipe, _ other: SMPTEWipe) throws {
    let (width, height) = (71, 45)
    let sides = Sides(PixelFormat(.yuv444), width, height)
    for progress in [0.2, 0.5, 0.7] {
      let shown = sides.shown(try frame(one, progress, sides))
      let mirrored = sides.shown(try frame(other, progress, sides))
      for y in 0..<height {
        #expect(shown[y * width..<(y + 1) * width].reversed() == Array(mirrored[y * width..<(y + 1) * width]))
      }
    }
  }

  @Test(
    arguments: [PixelFormat(.yuv420), PixelFormat(.yuv422), PixelFormat(.yuv444), PixelFormat(.yuv420, bitDepth: 10)],
    [0.3, 0.71])
  func `with a soft edge mixes by the distance to it, chroma where it is sited`(_ format: PixelFormat, _ progress: Double) throws
  {
    let (width, height, softness) = (200, 8, 0.4)
    let sides = Sides(format, width, height)
    let frame = try frame(.barLeftToRight, progress, sides, .init(softness: softness))
    func weight(_ column: Int) -> Double {
      let place = (Double(max(column, 0)) + 0.5) / Double(width)
      return min(max((progress * (1 + softness) - place) / softness, 0), 1)
    }
    for plane in 0..<3 {
      let (columns, rows) = Samples.size(format, width, height, plane)
      for y in 0..<rows {
        for x in 0..<columns {
          let share =
            columns == width ? weight(x) : weight(2 * x - 1) / 4 + weight(2 * x) / 2 + weight(2 * x + 1) / 4
          let exact = Double(sides.from.at(plane, x, y)) * (1 - share) + Double(sides.to.at(plane, x, y)) * share
          #expect(abs(Double(frame.at(plane, x, y)) - exact) <= 1)
        }
      }
    }
  }

  @Test(arguments: [PixelFormat(.yuv420), PixelFormat(.yuv420, bitDepth: 10)])
  func `has a border of its colour between the pictures`(_ format: PixelFormat) throws {
    let sides = Sides(format, 200, 8)
    let red = try Compositor(200, 8, format).frame([], background: RGBAColor(1, 0, 0))
    let frame = try frame(.barLeftToRight, 0.5, sides, .init(borderWidth: 0.1, borderColor: RGBAColor(1, 0, 0)))
    // The edge moves by 1.1 widths. At half the progress, the border ends at 110 and begins at 90.
    for plane in 0..<3 {
      let cell = plane == 0 ? 1 : 2
      for x in 0..<200 / cell where abs(x * cell - 90) > 2 && abs(x * cell - 110) > 2 {
        let expected = x * cell < 90 ? sides.to : x * cell < 110 ? red : sides.from
        #expect(frame.at(plane, x, 3) == expected.at(plane, x, 3), "plane \(plane), column \(x)")
      }
    }
  }

  @Test func `by a picture passes over its darkest parts first`() throws {
    // The picture is a ramp from black on the right to white on the left.
    let ramp = StillImage(
      width: 256, height: 2, rgba: (0..<512).flatMap { index in [UInt8](repeating: UInt8(255 - index % 256), count: 3) + [255] })
    let sides = Sides(.yuv420, 256, 16)
    let frame = try Compositor(256, 16).transition(
      .wipe(.image(AssetID("ramp")), .init()), Layer(samples: sides.from), Layer(samples: sides.to), progress: 0.25, map: ramp)
    let shown = sides.shown(frame)
    for x in 0..<256 where abs(x - 192) > 1 { #expect(shown[5 * 256 + x] == (x > 192), "column \(x)") }
  }

  @Test func `by a picture that cannot be read is that error`() throws {
    let sides = Sides(.yuv420, 16, 16)
    #expect(throws: CompositingError.media(MediaError(.missing, at: "ramp", "is not there"))) {
      try Compositor(16, 16).transition(
        .wipe(.image(AssetID("ramp")), .init()), Layer(samples: sides.from), Layer(samples: sides.to), progress: 0.5)
    }
  }

  @Test func `by a picture asks for it once, when it begins`() throws {
    let (compositor, sides) = (Compositor(16, 16), Sides(.yuv420, 16, 16))
    let map = StillImage(width: 1, height: 1, rgba: [9, 9, 9, 255])
    var asked: [AssetID] = []
    for (name, progress) in [("a", 0.0), ("a", 0.25), ("a", 0.5), ("b", 0.5), ("b", 0.75)] {
      let wipe = Collage.Piece.transition(
        .wipe(.image(AssetID(name)), .init()), from: [try Layer(samples: sides.from).piece()],
        to: [try Layer(samples: sides.to).piece()], progress: progress)
      _ = try compositor.composite(Collage(background: .black, pieces: [wipe])) { asset throws(MediaError) in
        asked.append(asset)
        return map
      }
    }
    #expect(asked == [AssetID("a"), AssetID("b")])
  }

  @Test func `does not depend on the wipes before it`() throws {
    let sides = Sides(.yuv420, Self.size.width, Self.size.height)
    let used = Compositor(Self.size.width, Self.size.height)
    for wipe in [SMPTEWipe.ellipseCircle, .barLeftToRight, .ellipseCircle] {
      for edge in [Transition.WipeEdge(softness: 0.1), .init(isReversed: true)] {
        let frame = try used.transition(
          .wipe(.smpte(wipe), edge), Layer(samples: sides.from), Layer(samples: sides.to), progress: 0.6)
        #expect(try frame == self.frame(wipe, 0.6, sides, edge))
      }
    }
  }
}
