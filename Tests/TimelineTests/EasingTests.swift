import MediaTime
import Testing
import Timeline

@Suite struct `An easing` {
  /// The point of a curve at parameter `u`, computed from the definition alone.
  private func point(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ u: Double) -> (x: Double, y: Double) {
    func along(_ a: Double, _ b: Double) -> Double {
      let (p, q, r) = (u * a, a + (b - a) * u, b + (1 - b) * u)
      let (s, t) = (p + (q - p) * u, q + (r - q) * u)
      return s + (t - s) * u
    }
    return (along(x1, x2), along(y1, y2))
  }

  @Test(arguments: [
    (0.42, 0, 1, 1), (0, 0, 0.58, 1), (0.42, 0, 0.58, 1), (0.25, 0.1, 0.25, 1), (0.1, -0.5, 0.25, 1.75), (1, 0, 0, 1),
  ])
  func `progress lies on the curve`(x1: Double, y1: Double, x2: Double, y2: Double) {
    let easing = Easing.bezier(x1: x1, y1: y1, x2: x2, y2: y2)
    for step in 1..<1000 {
      let point = point(x1, y1, x2, y2, Double(step) / 1000)
      // The last bit of a time is a large step of progress if the curve is vertical.
      let tolerance = (x1, x2) == (1, 0) ? 1e-4 : 1e-12
      #expect(abs(easing.progress(at: point.x) - point.y) < tolerance, "at \(point.x)")
    }
  }

  @Test func `every curve begins at the keyframe and ends at the next one`() {
    for (_, easing) in Easing.named { #expect((easing.progress(at: 0), easing.progress(at: 1)) == (0, 1)) }
  }

  @Test func `linear leaves progress as it is`() {
    for step in 0...64 { #expect(Easing.linear.progress(at: Double(step) / 64) == Double(step) / 64) }
  }

  @Test func `ease in and out is symmetric, ease in starts slowly, ease out ends slowly`() {
    #expect(Easing.easeInOut.progress(at: 0.5) == 0.5)
    #expect(Easing.easeIn.progress(at: 0.25) < 0.25)
    #expect(Easing.easeOut.progress(at: 0.25) > 0.25)
  }

  @Test func `an eased ramp passes through the curve`() throws {
    let envelope = try Envelope([.init(MediaTime(2), 10.0, easing: .easeIn), .init(MediaTime(4), 20.0)])
    #expect(try envelope.value(at: MediaTime(3), neutral: 1) == 10 + 10 * Easing.easeIn.progress(at: 0.5))
  }

  @Test func `easing where nothing moves makes no difference`() throws {
    #expect(try Envelope([.init(MediaTime(1), 0.5, easing: .easeIn)]) == Envelope([.init(MediaTime(1), 0.5)]))
  }
}
