import Formats
import Lottie
import MediaTime
import Testing
import Timeline

/// Text animators of Lottie files: where characters are at stated frames, by closed forms.
@Suite struct `A Lottie file's text animators` {
  /// Characters of 50 hundredths of the size whose outlines are boxes of 40 by 60.
  private static let characters =
    ["a", "b", "c", "d"].map {
      #"{"ch": "\#($0)", "size": 100, "style": "Regular", "fFamily": "F", "w": 50, "data": {"shapes": [{"ty": "gr", "it": [{"ty": "sh", "ks": {"k": {"c": true, "v": [[0, 0], [40, 0], [40, -60], [0, -60]], "i": [[0,0],[0,0],[0,0],[0,0]], "o": [[0,0],[0,0],[0,0],[0,0]]}}}]}]}}"#
    } + [#"{"ch": " ", "size": 100, "style": "Regular", "fFamily": "F", "w": 50, "data": {}}"#]

  private func read(
    _ text: String, _ animators: String, side: Int = 0, more: String = #"{"g": 1, "a": {"k": [0, 0]}}"#
  ) throws -> LottieAnimation {
    let document = #"{"s": 100, "f": "F", "t": "\#(text)", "j": \#(side), "tr": 0, "lh": 120, "ls": 0, "fc": [1, 0, 0]}"#
    let layer =
      #"{"ty": 5, "nm": "words", "ind": 1, "ip": 0, "op": 100, "st": 0, "ks": {}, "t": {"d": {"k": [{"t": 0, "s": \#(document)}]}, "p": {}, "m": \#(more), "a": [\#(animators)]}}"#
    return try LottieAnimation(
      Array(
        #"{"v": "5.7.0", "fr": 25, "ip": 0, "op": 100, "w": 400, "h": 200, "fonts": {"list": [{"fName": "F", "fFamily": "F", "fStyle": "Regular", "ascent": 70}]}, "chars": [\#(Self.characters.joined(separator: ", "))], "layers": [\#(layer)]}"#
          .utf8))
  }

  private func letters(_ animation: LottieAnimation) throws -> [Layer] { try #require(animation.layers.first).sublayers }

  /// The image of a point of each letter at a frame.
  private func places(_ letters: [Layer], _ frame: Int64, of point: Point = .zero) throws -> [Point] {
    try letters.map { letter in
      let map = try at(MediaTime(frame, 25)) { try letter.geometry.map(of: Point(1_000, 1_000), at: $0) }
      return Point(
        (map.a * point.x + map.c * point.y + map.tx).rounded(to: 1e-6),
        (map.b * point.x + map.d * point.y + map.ty).rounded(to: 1e-6))
    }
  }

  @Test func `move and fade each character as far as the range covers it`() throws {
    let letters = try letters(
      read(
        "abcd",
        #"{"s": {"t": 0, "b": 1, "r": 1, "sh": 1, "s": {"a": 1, "k": [{"t": 0, "s": [0], "o": {"x": [0], "y": [0]}, "i": {"x": [1], "y": [1]}}, {"t": 40, "s": [100]}]}, "a": {"k": 100}}, "a": {"p": {"k": [0, -50]}, "o": {"k": 0}}}"#
      ))
    #expect(letters.count == 4)
    // At frame 15 the range begins in the middle of the second character.
    #expect(try places(letters, 15) == [Point(0, 0), Point(50, -25), Point(100, -50), Point(150, -50)])
    #expect(try letters.map { letter in try at(MediaTime(15, 25)) { try letter.opacity(at: $0) } } == [1, 0.5, 0, 0])
    #expect(try places(letters, 40) == [Point(0, 0), Point(50, 0), Point(100, 0), Point(150, 0)])
  }

  @Test(arguments: [
    (2, [0.125, 0.375, 0.625, 0.875]), (3, [0.875, 0.625, 0.375, 0.125]), (4, [0.25, 0.75, 0.75, 0.25]),
    (5, [0.6614378277661477, 0.9682458365518543, 0.9682458365518543, 0.6614378277661477]),
    (6, [0.14644660940672627, 0.8535533905932737, 0.8535533905932737, 0.14644660940672627]),
  ])
  func `reach characters by the shape of their range`(shape: Int, shares: [Double]) throws {
    let letters = try letters(
      read("abcd", #"{"s": {"b": 1, "sh": \#(shape), "a": {"k": 100}}, "a": {"p": {"k": [0, 100]}}}"#))
    for (place, share) in zip(try places(letters, 0), shares) { #expect(abs(place.y - 100 * share) < 1e-4, "\(place)") }
  }

  @Test func `count characters, visible ones, words and lines`() throws {
    for (unit, from, moved) in [
      (1, 3, [false, false, true, true]), (2, 2, [false, false, true, true]), (3, 1, [false, false, true, true]),
    ] {
      let letters = try letters(
        read("ab cd", #"{"s": {"b": \#(unit), "r": 2, "s": {"k": \#(from)}, "a": {"k": 100}}, "a": {"p": {"k": [0, 10]}}}"#))
      #expect(try places(letters, 0).map { $0.y == 10 } == moved, "unit \(unit)")
    }
    let lines = try letters(
      read("ab\\rcd", #"{"s": {"b": 4, "r": 2, "s": {"k": 1}, "a": {"k": 100}}, "a": {"p": {"k": [7, 0]}}}"#))
    #expect(try places(lines, 0) == [Point(0, 0), Point(50, 0), Point(7, 120), Point(57, 120)])
  }

  @Test func `grow and turn characters about the middle of their group, on its line`() throws {
    let double = #"{"s": {"b": 1, "a": {"k": 100}}, "a": {"s": {"k": [200, 200]}, "r": {"k": 90}}}"#
    // Zero lies 25 to the left of the character's middle: twice as far, and turned clockwise, it lies 50 above it.
    #expect(try places(letters(read("ab", double)), 0) == [Point(25, -50), Point(75, -50)])
    let words = try letters(read("ab cd", double, more: #"{"g": 2, "a": {"k": [0, 0]}}"#))
    #expect(try places(words, 0)[0] == Point(50, -100) && places(words, 0)[2] == Point(200, -100))
  }

  @Test func `track a line that stays at its side`() throws {
    let track = #"{"s": {"b": 1, "a": {"k": 100}}, "a": {"t": {"k": 10}}}"#
    #expect(try places(letters(read("ab", track)), 0).map(\.x) == [10, 70])
    #expect(try places(letters(read("ab", track, side: 1)), 0).map(\.x) == [-110, -50])
    #expect(try places(letters(read("ab", track, side: 2)), 0).map(\.x) == [-50, 10])
  }

  @Test func `colour characters, and tell what they do not`() throws {
    let animation = try read(
      "ab",
      #"{"s": {"b": 1, "r": 2, "s": {"k": 1}, "a": {"k": 50}}, "a": {"fc": {"k": [0, 0, 1, 1]}, "fo": {"k": 0}, "bl": {"k": [3, 3]}}}"#
    )
    let colors = try letters(animation).map { letter -> RGBAColor? in
      guard case .shape(let shape)? = letter.content else { return nil }
      return shape.fillColor
    }
    #expect(colors == [RGBAColor(1, 0, 0), RGBAColor(0.5, 0, 0.5, alpha: 0.5)])
    #expect(
      animation.remarks.map(\.description) == ["layers[0].t.a[0].a.bl (layer 'words'): characters are not animated by \"bl\""])
  }
}

extension Double {
  fileprivate func rounded(to step: Double) -> Double {
    let value = (self / step).rounded() * step
    return value == 0 ? 0 : value
  }
}
