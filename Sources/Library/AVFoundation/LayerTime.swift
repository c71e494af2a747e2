internal import MediaTime
internal import Timeline

/// The time on which a layer stands: when the movie begins and ends on it.
struct LayerTime {
  /// The time at which the movie begins: later than zero where copies are shown as they were before.
  var origin = MediaTime.zero
  var end: MediaTime
  /// The duration of the movie's frames, where those are shown at its multiples; nil on other clocks.
  var frameDuration: MediaTime?

  /// The time of a layer.
  struct Own {
    /// The layer's clock; nil for that of what it stands on.
    var clock: LayerClock?
    /// The range in which it is seen, on the clock of what it stands on; nil for always.
    var seen: MediaTimeRange?
    /// The movie's beginning and end on the layer's clock, and its frames as far as they lie on multiples of their duration.
    var origin = MediaTime.zero
    var end: MediaTime
    var frameDuration: MediaTime?
    var inner: LayerTime { LayerTime(origin: origin, end: end, frameDuration: frameDuration) }
  }

  /// The time of a layer that stands on this one.
  ///
  /// A layer's clock begins at its `beginTime`, runs with its `speed`, and starts with its `timeOffset`. With a `duration` it is seen
  /// for so long, unless `fillMode` says more.
  func inside(_ layer: CALayer, _ name: String) throws(AVError) -> Own {
    let own = try ownTime(of: layer, name)
    guard let replicator = layer as? CAReplicatorLayer, replicator.instanceCount > 1, replicator.instanceDelay != 0 else {
      return own
    }
    return try delayed(own, replicator, name)
  }

  /// The time of a layer whose copies are behind it: it begins so much later that the last copy's time is never below zero, and what
  /// is seen before a copy's animations begin can be told.
  private func delayed(_ own: Own, _ layer: CAReplicatorLayer, _ name: String) throws(AVError) -> Own {
    guard layer.instanceDelay > 0, own.clock?.cycle == nil else {
      throw LayerAnimations.unsaid("\(name).instanceDelay", "must not be below 0, and the replicator must not repeat")
    }
    let delay = try AnimationClock(end: end.seconds, name: "\(name).instanceDelay").time(layer.instanceDelay)
    var late = own
    try timed(name) { () throws(TimeError) in
      let shift = try delay * Int64(layer.instanceCount - 1)
      var clock = own.clock ?? LayerClock()
      clock.offset = try clock.offset + shift
      late.clock = clock
      late.origin = try own.origin + shift
      late.end = try own.end + shift
    }
    late.frameDuration = nil
    return late
  }

  private func ownTime(of layer: CALayer, _ name: String) throws(AVError) -> Own {
    guard !layer.hasPlainTime else { return Own(origin: origin, end: end, frameDuration: frameDuration) }
    func fault(_ property: String, _ words: String) -> AVError {
      AVError(.operationNotAllowed, "animationTool: \(name).\(property): \(words)", property: "\(name).\(property)")
    }
    let clock = AnimationClock(end: end.seconds, name: "\(name).beginTime")
    guard layer.speed > 0, layer.speed.isFinite, let speed = Self.fraction(layer.speed) else {
      throw fault("speed", "\(layer.speed) is not made: it must be above 0")
    }
    guard layer.timeOffset >= 0, layer.timeOffset.isFinite else { throw fault("timeOffset", "must not be below 0") }
    let offset = try clock.time(layer.timeOffset)
    let begin = try clock.time(origin.seconds + layer.beginTime)
    var own = Own(clock: LayerClock(begin: begin, speed: speed, offset: offset), end: end)
    do {
      // What happens before the beginning cannot be told on a clock that stands still then.
      let passed = begin < end ? try Rational(end - begin) * speed : Rational(0)
      own.end = try MediaTime(Rational(offset) + passed)
      guard layer.duration.isFinite, layer.duration > 0 else {
        if begin > origin, !layer.isSeenBefore { own.seen = try MediaTimeRange(start: min(begin, end), end: end) }
        return own
      }
      let duration = try clock.time(layer.duration)
      let pass = try (Rational(duration) / speed) * Rational(layer.autoreverses ? 2 : 1)
      var count = layer.repeatCount > 0 ? Double(layer.repeatCount) : 1
      if layer.repeatDuration > 0 { count = layer.repeatDuration / pass.approximation }
      // A count such as Float.greatestFiniteMagnitude means that there is no end.
      let isEndless = !(count < 1e9)
      if isEndless || count > 1 || layer.autoreverses {
        guard isEndless || count == count.rounded() else { throw fault("repeatCount", "\(count) is not whole") }
        own.clock?.cycle = .init(
          duration: duration, count: isEndless ? nil : Int64(count), autoreverses: layer.autoreverses)
        guard offset == .zero else { throw fault("timeOffset", "a layer that repeats must have none") }
      }
      let stop = isEndless ? end : min(end, try MediaTime(Rational(begin) + pass * Rational(Int64(count))))
      let (first, last) = (layer.isSeenBefore ? .zero : min(begin, end), layer.isSeenAfter ? end : stop)
      if first > .zero || last < end { own.seen = try MediaTimeRange(start: first, end: max(first, last)) }
      return own
    } catch let error as AVError { throw error } catch { throw fault("beginTime", "\(error)") }
  }

  /// The number as a fraction of thousandths; nil where it is none.
  private static func fraction(_ value: Float) -> Rational? {
    let thousandths = (decimal(value) * 1000).rounded()
    guard thousandths >= 1, thousandths <= 1_000_000, abs(thousandths / 1000 - decimal(value)) < 1e-6 else { return nil }
    // A thousand is no divisor that could be refused.
    return try? Rational(Int128(thousandths), over: 1000)
  }
}

extension CALayer {
  /// Whether the layer's time is that of what it stands on.
  var hasPlainTime: Bool {
    (beginTime == 0 || beginTime == AVCoreAnimationBeginTimeAtZero) && timeOffset == 0 && speed == 1 && duration == .infinity
  }
  fileprivate var isSeenBefore: Bool { fillMode == .backwards || fillMode == .both }
  fileprivate var isSeenAfter: Bool { fillMode == .forwards || fillMode == .both }
}
