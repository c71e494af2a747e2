internal import Formats
internal import JSON
internal import Timeline

/// The part of an outline's length that is painted.
struct LottieTrim {
  let path: JSONPath
  /// One trim, or several: each is of what the one before it leaves.
  private var steps: [Step]

  private struct Step {
    let start: LottieValue
    let end: LottieValue
    /// The degrees of a whole outline by which the part is moved along.
    let offset: LottieValue
  }

  /// Whether several outlines are one length. Otherwise each is cut on its own.
  let isSequential: Bool

  init(_ node: LottieNode, _ log: LottieLog) throws(LottieFault) {
    path = node.path
    steps = [
      Step(
        start: try LottieValue(node["s"], or: [0], log), end: try LottieValue(node["e"], or: [100], log),
        offset: try LottieValue(node["o"], or: [0], log))
    ]
    isSequential = try node.integer("m") == 2
  }

  /// Whether all of an outline is left.
  var isWhole: Bool {
    steps.allSatisfy { !$0.start.isMoving && !$0.end.isMoving && abs($0.end.first[0] - $0.start.first[0]) >= 100 }
  }

  /// The trim of what this one leaves.
  func then(_ outer: LottieTrim) -> LottieTrim {
    var both = self
    both.steps += outer.steps
    return both
  }

  /// The parts of the length from one share to another: one, or two where a part goes on over the outline's beginning.
  func spans(_ clock: LottieClock) -> [(start: Envelope<Double>, end: Envelope<Double>)] {
    func share(_ value: Double) -> Double { min(max(value / 100, 0), 1) }
    if steps.count == 1, !steps[0].offset.isMoving, steps[0].offset.first[0].truncatingRemainder(dividingBy: 360) == 0, isOrdered
    {
      return [(clock.scalar(steps[0].start, 0, share), clock.scalar(steps[0].end, 0, share))]
    }
    let parts = clock.sampled(values) { frame in self.parts { $0.value(at: frame) } }
    let frames = parts.keyframes.indices.map { index in
      var frame = parts.keyframes[index]
      // Where the part passes over the beginning, it is somewhere else in the next frame.
      if index + 1 < parts.keyframes.count {
        let next = parts.keyframes[index + 1].value
        if zip(frame.value, next).contains(where: { abs($0 - $1) > 0.5 }) { frame.holds = true }
      }
      return frame
    }
    let held: Envelope<[Double]> = frames.count > 1 ? Envelope(frames) : parts
    let first = (held.map { $0[0] }, held.map { $0[1] })
    return held.keyframes.contains { $0.value[3] > 0 } ? [first, (held.map { $0[2] }, held.map { $0[3] })] : [first]
  }

  /// Whether the start is never behind the end.
  private var isOrdered: Bool {
    let (start, end) = (steps[0].start, steps[0].end)
    let frames = (start.keys + end.keys).map(\.frame)
    guard let first = frames.min(), let last = frames.max() else { return true }
    let step = max(1, (last - first) / 1_000)
    return stride(from: first, through: last, by: step).allSatisfy { start.value(at: $0)[0] <= end.value(at: $0)[0] + 1e-9 }
  }

  /// The properties that decide on the part.
  var values: [LottieValue] { steps.flatMap { [$0.start, $0.end, $0.offset] } }

  /// The outline's part, for what fills it.
  func cut(_ path: VectorPath, _ numbers: LottieOutline.Numbers) -> VectorPath {
    let parts = parts(numbers)
    if parts == [0, 1, 0, 0] { return path }
    let pieces = path.pieces.filter { $0.length > 0 }
    let whole = pieces.reduce(0) { $0 + $1.length }
    var elements: [VectorPath.Element] = []
    for (start, end) in [(parts[0], parts[1]), (parts[2], parts[3])] where start < end {
      var (passed, last) = (0.0, Point?.none)
      for piece in pieces {
        let (from, to) = (max(start * whole - passed, 0), min(end * whole - passed, piece.length))
        passed += piece.length
        guard from < to else { continue }
        let part = piece.part(from: from, to: to)
        if last != part[0] { elements.append(.move(part[0])) }
        elements.append(part.count == 2 ? .line(part[1]) : .curve(part[1], part[2], to: part[3]))
        last = part.last
      }
    }
    return VectorPath(elements)
  }

  /// The start and the end of both parts at a moment.
  private func parts(_ numbers: LottieOutline.Numbers) -> [Double] {
    func share(_ value: LottieValue) -> Double { min(max(numbers(value)[0] / 100, 0), 1) }
    var (from, to) = (0.0, 1.0)
    for step in steps {
      let (one, other) = (share(step.start), share(step.end))
      let (low, high) = (min(one, other), max(one, other))
      if high - low >= 1 { continue }
      if high == low { return [0, 0, 0, 0] }
      let (turn, length) = (numbers(step.offset)[0] / 360, to - from)
      (from, to) = (from + (low + turn) * length, from + (high + turn) * length)
    }
    if to - from >= 1 { return [0, 1, 0, 0] }
    let whole = from.rounded(.down)
    (from, to) = (from - whole, to - whole)
    return to > 1 ? [from, 1, 0, to - 1] : [from, to, 0, 0]
  }
}
