import Formats
import MediaTime
import Testing
import Timeline

/// The place of each part of a text at each time, in closed forms.
@Suite struct `The choreography of texts` {
  /// Two lines of two words with two letters each, 10 wide and 20 high, without gaps: the first line from 0 to 40.
  private static func letters(isRightToLeft: Bool = false) -> TextLetters {
    TextLetters(
      (0..<8).map { index in
        TextLetters.Letter(
          bytes: index..<index + 1, frame: Rect(Double(index % 4) * 10, Double(index / 4) * 20, 10, 20), word: index / 2,
          line: index / 4, isRightToLeft: isRightToLeft)
      }, lines: [Rect(0, 0, 40, 20), Rect(0, 20, 40, 20)])
  }

  private static func seconds(_ text: String) throws -> MediaTime { try MediaTime(parsing: text) }

  private static func animation(
    _ unit: TextAnimation.Unit, stagger: String = "0.1", duration: String = "0.4", _ change: (inout TextPose) -> Void
  ) throws -> TextAnimation {
    var pose = TextPose()
    change(&pose)
    var animation = TextAnimation(duration: try seconds(duration), steps: [.init(0, pose)])
    (animation.unit, animation.stagger) = (unit, try seconds(stagger))
    return animation
  }

  /// The states at times of a text that is shown from 1 s to 5 s.
  private static func states(
    _ motion: TextMotion, at time: String, isRightToLeft: Bool = false, isVertical: Bool = false, until end: String = "5"
  ) throws -> [TextState] {
    let letters = letters(isRightToLeft: isRightToLeft)
    return try TextChoreography(TextLetters(letters.letters, lines: letters.lines, isVertical: isVertical), motion, em: 16)
      .states(at: seconds(time), in: MediaTimeRange(start: seconds("1"), end: seconds(end)))
  }

  @Test func `a unit begins a stagger after the one before, and takes its duration`() throws {
    let fade = try Self.animation(.word) { $0.opacity = 0 }
    func opacities(_ time: String) throws -> [Double] {
      try Self.states(TextMotion(entrance: fade), at: time).map { ($0.opacity * 1000).rounded() / 1000 }
    }
    #expect(try opacities("1") == [0, 0, 0, 0])
    #expect(try opacities("1.2") == [0.5, 0.25, 0, 0])
    #expect(try opacities("1.4") == [1, 0.75, 0.5, 0.25])
    #expect(try Self.states(TextMotion(entrance: fade), at: "1.7").allSatisfy { $0 == .rest })
    #expect(try Self.states(TextMotion(entrance: fade), at: "4.999").allSatisfy { $0 == .rest })
    // An exit is the same backwards in each unit, in the order of the units, and ends with the text.
    func going(_ time: String) throws -> [Double] {
      try Self.states(TextMotion(exit: fade), at: time).map { ($0.opacity * 1000).rounded() / 1000 }
    }
    #expect(try going("4.3") == [1, 1, 1, 1])
    #expect(try going("4.5") == [0.5, 0.75, 1, 1])
    #expect(try going("4.9") == [0, 0, 0, 0.25])
  }

  @Test func `letters that always move together are one part`() throws {
    func count(_ unit: TextAnimation.Unit) throws -> Int {
      try Self.states(TextMotion(entrance: Self.animation(unit) { $0.opacity = 0 }), at: "1").count
    }
    #expect(try TextAnimation.Unit.allCases.map(count) == [8, 4, 2, 1])
    var mark = TextMotion(entrance: try Self.animation(.line) { $0.opacity = 0 })
    mark.mark = .init(
      CaptionTrack.Highlight(.black), [.init(1..<3, try MediaTimeRange(start: Self.seconds("1"), end: Self.seconds("2")))])
    #expect(TextChoreography(Self.letters(), mark, em: 16).parts.map(\.bytes) == [0..<1, 1..<3, 3..<4, 4..<8])
  }

  @Test(arguments: [
    (TextAnimation.Order.forward, 5, [0, 1, 2, 3, 4]), (.backward, 4, [3, 2, 1, 0]), (.center, 5, [2, 1, 0, 1, 2]),
    (.center, 4, [1, 0, 0, 1]), (.edges, 5, [0, 1, 2, 1, 0]), (.edges, 4, [0, 1, 1, 0]), (.center, 1, [0]),
  ])
  func `units have places in the order`(order: TextAnimation.Order, count: Int, places: [Int]) throws {
    var animation = try Self.animation(.grapheme) { $0.opacity = 0 }
    animation.order = order
    #expect(animation.places(of: count) == places)
    #expect(
      try animation.length(of: count) == Rational(MediaTime(parsing: "0.4"))
        + Rational(MediaTime(parsing: "0.1")) * Rational(Int64(places.max() ?? 0)))
  }

  @Test func `a random order is a permutation that its seed decides`() throws {
    var animation = try Self.animation(.grapheme) { $0.opacity = 0 }
    animation.order = .random
    let places = animation.places(of: 50)
    #expect(places.sorted() == Array(0..<50) && places != Array(0..<50) && places == animation.places(of: 50))
    animation.seed = 1
    #expect(animation.places(of: 50) != places)
  }

  @Test func `a unit turns and grows about its anchor, and is moved by ems`() throws {
    var grow = try Self.animation(.word, stagger: "0") { pose in
      (pose.scale, pose.offset) = (Point(3, 1), Point(0.5, -1))
    }
    func map(_ time: String) throws -> AffineTransform { try Self.states(TextMotion(entrance: grow), at: time)[1].map }
    // The second word lies from 20 to 40, so its middle is (30, 10). Halfway it is twice as wide, and moved by (4, -8).
    #expect(try map("1.2") == AffineTransform(2, 0, 0, 1, -26, -8))
    grow.anchor = Point(0, 1)
    #expect(try map("1.2") == AffineTransform(2, 0, 0, 1, -16, -8))
    grow.alternates = true
    #expect(try map("1.2") == AffineTransform(2, 0, 0, 1, -24, 8))
    #expect(try Self.states(TextMotion(entrance: grow), at: "1.2")[0].map == AffineTransform(2, 0, 0, 1, 4, -8))
  }

  @Test func `what is revealed or clipped is seen through a window`() throws {
    let wipe = try Self.animation(.line, stagger: "1", duration: "1") { $0.reveal = 0 }
    let states = try Self.states(TextMotion(entrance: wipe), at: "1.25")
    #expect(states[0].window?.maxX == 10 && states[1].opacity == 0)
    #expect(try Self.states(TextMotion(entrance: wipe), at: "1.25", isRightToLeft: true)[0].window?.x == 30)
    let column = try Self.states(TextMotion(entrance: wipe), at: "1.25", isVertical: true)[0]
    #expect(column.window?.maxY == 5 && column.window.map { $0.x < -1000 && $0.maxX > 1000 } == true)
    var rise = try Self.animation(.line, stagger: "0") { $0.offset = Point(0, 1) }
    rise.isClipped = true
    let risen = try Self.states(TextMotion(entrance: rise), at: "1.2")[0]
    // Moved down by 8, and seen in its line: of its own rectangle, what lies from -8 to 12.
    #expect(risen.map == .translation(0, 8) && risen.window?.y == -8 && risen.window?.maxY == 12)
    // A vertical line is seen between its left and right side.
    let fallen = try Self.states(TextMotion(entrance: rise), at: "1.2", isVertical: true)[0]
    #expect(fallen.window?.x == 0 && fallen.window?.maxX == 40)
  }

  @Test func `a loop goes on until its rounds are over`() throws {
    var wave = try Self.animation(.word, stagger: "0.5", duration: "1") { _ in }
    var high = TextPose()
    high.offset = Point(0, -1)
    wave.steps = [.init(0, TextPose()), .init(0.5, high)]
    func heights(_ time: String) throws -> [Double] { try Self.states(TextMotion(loop: wave), at: time).map(\.map.ty) }
    #expect(try heights("1.25") == [-8, 0, 0, 0])
    #expect(try heights("1.5") == [-16, 0, 0, 0])
    #expect(try heights("2") == [0, -16, 0, 0])
    #expect(try heights("3.5") == [-16, 0, -16, 0])
    wave.count = 2
    #expect(try heights("3.5") == [0, 0, -16, 0])
  }

  @Test func `animations that take longer than the text are faster in proportion`() throws {
    let fade = try Self.animation(.word) { $0.opacity = 0 }
    let motion = TextMotion(entrance: fade, exit: fade)
    // 0.7 s to come and 0.7 s to go in 0.7 s: both take half as long.
    let whole = try Self.states(motion, at: "1.35", until: "1.7")
    #expect(whole.allSatisfy { $0 == .rest })
    #expect(try Self.states(motion, at: "1.1", until: "1.7").map { ($0.opacity * 1000).rounded() } == [500, 250, 0, 0])
    #expect(try Self.states(motion, at: "1.6", until: "1.7").map { ($0.opacity * 1000).rounded() } == [0, 0, 250, 500])
  }

  @Test func `words are marked at their times, and filled while they last`() throws {
    func motion(_ kind: CaptionTrack.Highlight.Kind) throws -> TextMotion {
      let words = try [(0..<2, "1", "2"), (2..<4, "2", "4")].map { bytes, start, end in
        TextMotion.Mark.Word(bytes, try MediaTimeRange(start: Self.seconds(start), end: Self.seconds(end)))
      }
      return TextMotion(mark: .init(CaptionTrack.Highlight(.black, kind), words))
    }
    func marked(_ kind: CaptionTrack.Highlight.Kind, _ time: String) throws -> [Int] {
      try Self.states(motion(kind), at: time).map { $0.coats.count(where: { !$0.tints.isEmpty }) * 10 + $0.coats.count }
    }
    #expect(try marked(.word, "2.5") == [1, 11, 1])
    #expect(try marked(.sung, "2.5") == [11, 11, 1])
    #expect(try marked(.fill, "2.5") == [11, 12, 1])
    let coats = try Self.states(motion(.fill), at: "2.5")[1].coats
    // A quarter of the word from 20 to 40.
    #expect(coats.map { $0.tints.isEmpty ? $0.window?.x : $0.window?.maxX } == [25, 25])
    #expect(
      try Self.states(motion(.fill), at: "2.5", isRightToLeft: true)[1].coats.map {
        $0.tints.isEmpty ? $0.window?.maxX : $0.window?.x
      } == [35, 35])
  }

  @Test func `poses on the way are eased one by one, and colours are mixed`() throws {
    var (red, blue) = (TextPose(), TextPose())
    (red.tint, blue.tint) = (TextTint(RGBAColor(1, 0, 0)), TextTint(RGBAColor(0, 0, 1)))
    let animation = TextAnimation(duration: try Self.seconds("1"), steps: [.init(0, red), .init(0.5, blue)])
    #expect(animation.pose(at: 0.25).tint == TextTint(RGBAColor(0.5, 0, 0.5)))
    #expect(animation.pose(at: 0.75).tint == TextTint(RGBAColor(0, 0, 1), share: 0.5))
    #expect(animation.pose(at: 1) == TextPose())
    #expect(TextTint(RGBAColor(0, 0, 1), share: 0.5).applied(to: .white) == RGBAColor(0.5, 0.5, 1))
  }
}
