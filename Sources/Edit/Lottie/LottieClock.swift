internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// The time of a composition: its frames as seconds on the clock of the layer that stands for it.
///
/// Times of documents are not negative, and frames of a composition may be. So the clock begins with the earliest of its frames.
struct LottieClock {
  /// The frames a second.
  let rate: Rational
  /// The frames by which the clock is ahead of the composition.
  let shift: Double

  /// - Parameter layers: the layers of the composition.
  init(rate: Rational, of layers: LottieNode) {
    self.rate = rate
    shift = max(0, -Self.earliest(in: layers.value)).rounded(.up)
  }

  private init(rate: Rational, shift: Double) { (self.rate, self.shift) = (rate, shift) }

  /// The exact rate of a number that programs round.
  static func rate(_ number: Double) throws(TimeError) -> Rational {
    let whole = number.rounded()
    if abs(number - whole) < 0.001 { return Rational(Int64(whole)) }
    let film = (number * 1.001).rounded()
    if abs(number * 1.001 - film) < 0.001 { return try Rational(Int128(film) * 1000, over: 1001) }
    return try Rational(Int128((number * 1000).rounded()), over: 1000)
  }

  /// The earliest time of a keyframe. What begins with an earlier frame is seen from there on.
  private static func earliest(in value: JSONValue) -> Double {
    switch value {
    case .array(let elements): return elements.reduce(0) { min($0, earliest(in: $1)) }
    case .object(let members):
      var least = members.reduce(0) { min($0, earliest(in: $1.value)) }
      if members.contains(where: { $0.key == "s" || $0.key == "i" || $0.key == "h" }),
        case .number(let text)? = members.first(where: { $0.key == "t" })?.value, let frame = Double(text)
      {
        least = min(least, max(frame, -LottieLimits.frames))
      }
      return least
    default: return 0
    }
  }

  /// The time of a frame on the clock, to a thousandth of a frame. It is between 0 and the latest time of documents.
  func time(_ frame: Double) -> MediaTime {
    let frames = min(max(frame + shift, 0), LottieLimits.frames * 2)
    do throws(TimeError) {
      let time = try MediaTime(Rational(Int128((frames * 1000).rounded()), over: 1000) / rate)
      return min(time, DocumentLimits.latest)
    } catch { return DocumentLimits.latest }  // The rate is at least a tenth, and of small numbers, so no time is out of range.
  }

  /// The seconds of so many frames.
  func length(_ frames: Double) -> MediaTime { LottieClock(rate: rate, shift: 0).time(frames) }
}

/// The clocks of compositions that were read. One that is shown several times has one.
final class LottieClocks {
  private var known: [String: LottieClock] = [:]

  /// - Parameter name: that of the composition; nil for the file's own.
  func clock(of layers: LottieNode, _ name: String?, rate: Rational) -> LottieClock {
    if let name, let clock = known[name] { return clock }
    let clock = LottieClock(rate: rate, of: layers)
    if let name { known[name] = clock }
    return clock
  }
}

/// Makes values over time out of properties.
extension LottieClock {
  /// The envelope of values that are made out of a property's numbers, which are eased alike.
  func envelope<Value>(_ value: LottieValue, _ make: ([Double]) -> Value) -> Envelope<Value> {
    guard value.isMoving else { return Envelope(constant: make(value.first)) }
    var frames: [Envelope<Value>.Keyframe] = []
    for key in value.keys {
      let next = Envelope<Value>.Keyframe(time(key.frame), make(key.value), holds: key.holds, easing: key.easings[0])
      // Frames that are nearer than a thousandth may be at one time.
      if frames.count > 1, frames[frames.count - 1].time == next.time, frames[frames.count - 2].time == next.time {
        frames.removeLast()
      }
      frames.append(next)
    }
    if let first = frames.first, frames.allSatisfy({ $0.value == first.value }) { return Envelope(constant: first.value) }
    return Envelope(frames)
  }

  /// The envelope of a number.
  func scalar(_ value: LottieValue, _ number: Int = 0, _ change: (Double) -> Double = { $0 }) -> Envelope<Double> {
    var own = value
    for index in own.keys.indices {
      let easings = own.keys[index].easings
      own.keys[index].easings = [easings[min(number, easings.count - 1)]]
    }
    return envelope(own) { change(number < $0.count ? $0[number] : 0) }
  }

  /// The envelope of a point. One whose numbers are not eased alike is the sum of two.
  func point(_ value: LottieValue, _ change: (Double) -> Double = { $0 }) -> Envelope<Point> {
    if value.isUniform || !value.isMoving {
      return envelope(value) { Point(change($0[0]), change($0.count > 1 ? $0[1] : $0[0])) }
    }
    return sum(scalar(value, 0, change), scalar(value, 1, change))
  }

  /// The point of two numbers that change on their own.
  func sum(_ x: Envelope<Double>, _ y: Envelope<Double>) -> Envelope<Point> {
    if let x = x.constant { return y.map { Point(x, $0) } }
    if let y = y.constant { return x.map { Point($0, y) } }
    return x.map { Point($0, 0) }.with(nil, adding: [y.map { Point(0, $0) }])
  }
}
