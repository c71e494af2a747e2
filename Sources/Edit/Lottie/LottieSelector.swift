internal import Formats
internal import JSON
internal import Timeline

/// The part of a text that an animator changes, and how far: from 0, not at all, to 1. Its arithmetic is that of lottie-web.
struct LottieSelector {
  /// The parts that are counted.
  enum Unit: Int {
    case character = 1
    case visible, word, line
  }

  /// The way in which the share rises and falls between the start and the end.
  private enum Shape: Int {
    case square = 1
    case rampUp, rampDown, triangle, round, smooth
  }

  let unit: Unit
  private let shape: Shape
  /// Whether the start, the end and the offset are numbers of units; otherwise they are percent of all.
  private let isCounted: Bool
  private let start: LottieValue
  private let end: LottieValue?
  private let offset: LottieValue
  private let amount: LottieValue
  private let (easeHigh, easeLow): (LottieValue, LottieValue)
  private let smoothness: LottieValue

  init(_ node: LottieNode?, _ log: LottieLog) throws(LottieFault) {
    unit = try node?.integer("b").flatMap { Unit(rawValue: $0) } ?? .character
    shape = try node?.integer("sh").flatMap { Shape(rawValue: $0) } ?? .square
    isCounted = try node?.integer("r") == 2
    start = try LottieValue(node?["s"], or: [0], log)
    end = try node?["e"].map { (node) throws(LottieFault) in try LottieValue(node, or: [100], log) }
    offset = try LottieValue(node?["o"], or: [0], log)
    amount = try LottieValue(node?["a"], or: [100], log)
    (easeHigh, easeLow) = (try LottieValue(node?["xe"], or: [0], log), try LottieValue(node?["ne"], or: [0], log))
    smoothness = try LottieValue(node?["sm"], or: [100], log)
    guard let node else { return }
    if node.flag("rn") {
      log.approximate(node.path["rn"], "each player chooses an order of its own: here the parts come in theirs")
    }
    if try node.integer("t") == 1 { log.lose(node.path, "the expression that selects is not computed: all is selected") }
  }

  var values: [LottieValue] { [start, offset, amount, easeHigh, easeLow, smoothness] + (end.map { [$0] } ?? []) }

  /// The share of an animator that unit `index` of `count` has at a frame, from -1 to 1.
  func share(of index: Int, count: Int, at frame: Double) -> Double {
    let scale = isCounted ? 1 : Double(count) / 100
    let shift = offset.value(at: frame)[0] * scale
    let one = start.value(at: frame)[0] * scale + shift
    let other = end.map { $0.value(at: frame)[0] * scale + shift } ?? (Double(count) + shift)
    var share = eased(part(Double(index), from: min(one, other), to: max(one, other)), at: frame)
    let smooth = smoothness.value(at: frame)[0] / 100
    if smooth != 1 {
      let threshold = 0.5 - smooth / 2
      share = share < threshold ? 0 : min((share - threshold) / max(smooth, 1e-8), 1)
    }
    return share * amount.value(at: frame)[0] / 100
  }

  private func part(_ place: Double, from start: Double, to end: Double) -> Double {
    let length = end - start
    let middle = length > 0 ? min(max((place + 0.5 - start) / length, 0), 1) : 0
    switch shape {
    case .square: return min(max(min(end, place + 1) - max(start, place), 0), 1)
    case .rampUp: return length > 0 ? middle : place >= end ? 1 : 0
    case .rampDown: return length > 0 ? 1 - middle : place >= end ? 0 : 1
    case .triangle: return 1 - abs(2 * middle - 1)
    case .round: return max(1 - (2 * middle - 1) * (2 * middle - 1), 0).squareRoot()
    case .smooth: return (1 - Trigonometry.sineAndCosine(degrees: 360 * middle).cosine) / 2
    }
  }

  private func eased(_ share: Double, at frame: Double) -> Double {
    let (high, low) = (easeHigh.value(at: frame)[0] / 100, easeLow.value(at: frame)[0] / 100)
    guard high != 0 || low != 0 else { return share }
    let easing = Easing.bezier(
      x1: min(max(low, 0), 1), y1: min(max(-low, 0), 1), x2: min(max(1 - high, 0), 1), y2: min(max(1 + min(high, 0), 0), 1))
    return easing.progress(at: share)
  }
}
