import Formats
import Lottie
import MediaTime
import Testing
import Timeline

/// Texts of Lottie files whose characters have no outlines in the file, so that a font draws them.
@Suite struct `A Lottie file's texts in fonts` {
  private func read(_ text: String, _ animators: String = "", look: String = #""fc": [1, 0, 0]"#) throws -> LottieAnimation {
    let document = #"{"s": 100, "f": "F", "t": "\#(text)", "j": 0, "tr": 0, "lh": 120, "ls": 0, \#(look)}"#
    let layer =
      #"{"ty": 5, "nm": "words", "ind": 1, "ip": 0, "op": 100, "st": 0, "ks": {}, "t": {"d": {"k": [{"t": 0, "s": \#(document)}]}, "p": {}, "a": [\#(animators)]}}"#
    return try LottieAnimation(
      Array(
        #"{"v": "5.7.0", "fr": 25, "ip": 0, "op": 100, "w": 400, "h": 200, "fonts": {"list": [{"fName": "F", "fFamily": "F", "fStyle": "Regular", "ascent": 70}]}, "layers": [\#(layer)]}"#
          .utf8))
  }

  /// The layer with the text, and its text.
  private func text(_ animation: LottieAnimation) throws -> (layer: Layer, text: TextContent) {
    func find(_ layers: [Layer]) -> (Layer, TextContent)? {
      for layer in layers {
        if case .text(let text)? = layer.content { return (layer, text) }
        if let found = find(layer.sublayers) { return found }
      }
      return nil
    }
    return try #require(find(animation.layers))
  }

  private func frames(_ time: MediaTime) -> Double { time.seconds * 25 }

  @Test func `have the line around their letters, over or below them`() throws {
    let stroke = #""sc": [0, 0, 1], "sw": 6"#
    let over = try text(read("ab", look: #""fc": [1, 0, 0], "of": true, \#(stroke)"#)).text
    #expect(over.outline == TextContent.Outline(color: RGBAColor(0, 0, 1), width: 6, position: .center))
    let below = try text(read("ab", look: #""fc": [1, 0, 0], "of": false, \#(stroke)"#)).text
    #expect(below.outline == TextContent.Outline(color: RGBAColor(0, 0, 1), width: 3, position: .outside))
    let alone = try text(read("ab", look: stroke)).text
    #expect(alone.outline?.position == .center && alone.color.alpha == 0)
    #expect(try text(read("ab")).text.outline == nil)
    #expect(try read("ab", look: #""ca": 0"#).layers.isEmpty, "a text without colours shows nothing")
  }

  @Test func `are in capitals where the file asks for them`() throws {
    #expect(try text(read("aß b", look: #""fc": [1, 0, 0], "ca": 1"#)).text.string == "ASS B")
    let small = try read("ab", look: #""fc": [1, 0, 0], "ca": 2"#)
    #expect(try text(small).text.string == "ab" && small.remarks.contains { $0.path == "layers[0].t.d.k[0].s.ca" })
  }

  @Test func `come one character after the other as the range leaves them`() throws {
    let animation = try read(
      "ab cd",
      #"{"s": {"t": 0, "b": 1, "r": 1, "sh": 1, "s": {"a": 1, "k": [{"t": 10, "s": [0], "o": {"x": [0], "y": [0]}, "i": {"x": [1], "y": [1]}}, {"t": 60, "s": [100]}]}, "a": {"k": 100}}, "a": {"p": {"k": [0, -50]}, "o": {"k": 0}, "r": {"k": 30}}}"#
    )
    let (layer, text) = try text(animation)
    let entrance = try #require(text.motion?.entrance)
    #expect(text.motion?.exit == nil && layer.timeRange?.start == .zero)
    #expect(entrance.unit == .grapheme && entrance.order == .forward)
    // Five characters take ten frames each. The space shows nothing, so four share their time evenly.
    #expect(abs(frames(entrance.delay) - 10) < 0.1 && abs(frames(entrance.duration) - 10) < 0.1)
    #expect(abs(frames(entrance.stagger) - 40.0 / 3) < 0.1)
    let pose = try #require(entrance.steps.first?.pose)
    #expect(pose.opacity == 0 && pose.offset == Point(0, -0.5) && pose.rotation == 30)
    #expect(animation.remarks.allSatisfy { $0.kind == .approximated })
  }

  @Test func `go one word after the other as the range reaches them`() throws {
    let (layer, text) = try text(
      read(
        "ab cd",
        #"{"s": {"t": 0, "b": 3, "r": 1, "sh": 1, "s": {"k": 0}, "e": {"a": 1, "k": [{"t": 50, "s": [0], "o": {"x": [0], "y": [0]}, "i": {"x": [1], "y": [1]}}, {"t": 90, "s": [100]}]}, "a": {"k": 100}}, "a": {"s": {"k": [0, 0]}}}"#
      ))
    let exit = try #require(text.motion?.exit)
    #expect(text.motion?.entrance == nil && exit.unit == .word)
    #expect(abs(frames(exit.duration) - 20) < 0.1 && abs(frames(exit.stagger) - 20) < 0.1)
    let end = try #require(layer.timeRange?.end)
    #expect(abs(frames(try end - exit.delay) - 90) < 0.1)
    #expect(exit.steps.first?.pose.scale == Point(0, 0))
  }

  @Test func `change as a whole by an animator that reaches all of them`() throws {
    let (layer, text) = try text(
      read(
        "ab",
        #"{"s": {"b": 1, "a": {"k": 100}}, "a": {"o": {"a": 1, "k": [{"t": 0, "s": [0], "o": {"x": [0], "y": [0]}, "i": {"x": [1], "y": [1]}}, {"t": 50, "s": [100]}]}, "t": {"k": 7}, "fc": {"k": [0, 0, 1]}}}"#
      ))
    let opacity = try at(MediaTime(1, 1)) { try layer.opacity(at: $0) }
    #expect(opacity == 0.5)
    #expect(text.letterSpacing == 7 && text.color == RGBAColor(0, 0, 1) && text.motion == nil)
  }

  @Test func `tell what animators do to them that a font's text cannot`() throws {
    let animation = try read("abcd", #"{"s": {"b": 1, "sh": 4, "a": {"k": 100}}, "a": {"p": {"k": [0, 10]}}}"#)
    let told = animation.remarks.filter { $0.kind == .lost }.map(\.path)
    #expect(told == ["layers[0].t.a[0]"])
    let skewed = try read("ab", #"{"s": {"b": 1, "a": {"k": 100}}, "a": {"sk": {"k": 10}, "s": {"k": [50, 50]}}}"#)
    #expect(skewed.remarks.filter { $0.kind == .lost }.map(\.path) == ["layers[0].t.a[0].a.sk", "layers[0].t.a[0].a.s"])
  }

  /// The numbers are those of lottie-web's `skewFromAxis(-45°, 30°)`.
  @Test func `are sheared along an axis as lottie-web shears`() throws {
    let layer =
      ##"{"ty": 1, "ind": 1, "ip": 0, "op": 100, "st": 0, "sw": 10, "sh": 10, "sc": "#ff0000", "ks": {"sk": {"k": 45}, "sa": {"k": 30}}}"##
    let animation = try LottieAnimation(
      Array(#"{"v": "5.7.0", "fr": 25, "ip": 0, "op": 100, "w": 400, "h": 200, "layers": [\#(layer)]}"#.utf8))
    // The solid lies on the layer that is sheared.
    var (map, layers) = (AffineTransform.identity, animation.layers)
    while let layer = layers.first {
      let size = layer.geometry.frame.map { Point($0.width, $0.height) } ?? Point(1_000, 1_000)
      map = try at(.zero) { try layer.geometry.map(of: size, at: $0) }.then(map)
      layers = layer.sublayers
    }
    // Turned by 30 degrees, moved by -y along x, turned back.
    let (sine, cosine) = (0.5, 3.0.squareRoot() / 2)
    #expect(abs(map.a - (1 - sine * cosine)) < 1e-6 && abs(map.b - sine * sine) < 1e-6, "\(map)")
    #expect(abs(map.c + cosine * cosine) < 1e-6 && abs(map.d - (1 + sine * cosine)) < 1e-6, "\(map)")
  }
}
