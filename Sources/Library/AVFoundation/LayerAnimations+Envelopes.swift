internal import MediaTime
internal import Timeline

// Values over time. They are keyframes wherever keyframes say exactly what the animations do. Otherwise they are sampled at the times
// of the movie's frames, where the layer has the movie's clock.
extension LayerAnimations {
  typealias Stretch = (start: MediaTime, end: MediaTime?, run: AnimationRun?)

  /// The stretches of time from zero on, each with the animation that decides in it; nil where the layer's own value is seen.
  func stretches(of runs: [AnimationRun]) -> [Stretch] {
    let borders = Set(runs.flatMap { [$0.begin, $0.end] }.filter { $0 > .zero } + [.zero]).sorted()
    var found: [(start: MediaTime, end: MediaTime?, index: Int?)] = []
    for start in borders {
      let index = runs.lastIndex { $0.holds(from: start) }
      if let last = found.last, last.index == index { continue }
      if !found.isEmpty { found[found.count - 1].end = start }
      found.append((start, nil, index))
    }
    return found.map { ($0.start, $0.end, $0.index.map { runs[$0] }) }
  }

  /// The values over time of a property that has several keys.
  func envelope<Value: Interpolable>(
    _ keys: [String], _ model: Value, _ convert: (Any) throws(AVError) -> Value
  ) throws(AVError) -> Envelope<Value> {
    let runs = runs.filter { keys.contains($0.key) }
    var sum = try envelope(of: runs.filter { !$0.isAdditive }, model, convert)
    if let first = runs.firstIndex(where: \.isAdditive), !runs[first...].allSatisfy(\.isAdditive) {
      return try inOrder(runs, model, convert)
    }
    for run in runs where run.isAdditive {
      guard let value = run.frames.first?.value, let none = KeyValue.sum(value, value, times: -1) else {
        throw unsaid("an additive animation of '\(run.key)' must be of numbers, points or sizes")
      }
      let zero = try convert(none)
      let added = try envelope(of: [run], zero, convert)
      // Without both there would be twice the value of zero.
      sum = try merged(sum, added, [run.key]) { one, other in
        zero.interpolated(to: one.interpolated(to: other, progress: 0.5), progress: 2)
      }
    }
    return sum
  }

  /// The values over time where an animation that is not additive comes after one that is: as long as it is active, it replaces all
  /// that comes before it.
  private func inOrder<Value: Interpolable>(
    _ runs: [AnimationRun], _ model: Value, _ convert: (Any) throws(AVError) -> Value
  ) throws(AVError) -> Envelope<Value> {
    guard let value = runs.first?.frames.first?.value, let none = KeyValue.sum(value, value, times: -1) else {
      throw unsaid("an additive animation of '\(runs.first?.key ?? "")' must be of numbers, points or sizes")
    }
    let zero = try convert(none)
    var curves: [AnimationCurve<Value>] = []
    for run in runs { curves.append(try AnimationCurve(run, convert)) }
    return try sampled(runs.map(\.key)) { (moment) throws(AVError) in
      var sum = model
      for (run, curve) in zip(runs, curves) where run.holds(from: moment) {
        let own = try timed(name) { () throws(TimeError) in try curve.value(at: min(moment, run.end)) }
        sum = run.isAdditive ? zero.interpolated(to: sum.interpolated(to: own, progress: 0.5), progress: 2) : own
      }
      return sum
    }
  }

  /// The two values over time as one. `combine` must be such that lines become lines.
  func merged<A: Interpolable, B: Interpolable, Value: Interpolable>(
    _ one: Envelope<A>, _ other: Envelope<B>, _ keys: [String], _ combine: (A, B) -> Value
  ) throws(AVError) -> Envelope<Value> {
    if let merged = try timed(name, { () throws(TimeError) in try one.merged(with: other, combine) }) { return merged }
    return try sampled(keys) { (time) throws(AVError) in
      let (a, b) = try timed(name) { () throws(TimeError) in (try one.seen(at: time), try other.seen(at: time)) }
      return combine(a, b)
    }
  }

  private func envelope<Value: Interpolable>(
    of runs: [AnimationRun], _ model: Value, _ convert: (Any) throws(AVError) -> Value
  ) throws(AVError) -> Envelope<Value> {
    let stretches = stretches(of: runs)
    var curves: [AnimationCurve<Value>?] = []
    for stretch in stretches {
      curves.append(
        try stretch.run.map { (run) throws(AVError) in try AnimationCurve(run, convert) })
    }
    if let smooth = smooth(stretches, curves) { return smooth }
    do {
      var frames: [Envelope<Value>.Keyframe] = []
      for (stretch, curve) in zip(stretches, curves) {
        guard let run = stretch.run, let curve else {
          frames.append(.init(stretch.start, model, holds: true))
          continue
        }
        guard let own = curve.lines else { throw AnimationCut() }
        frames += try Self.part(own, from: stretch.start, to: stretch.end, of: run)
      }
      if frames.count == 1, frames[0].time == .zero { return Envelope(constant: frames[0].value) }
      return Envelope(frames)
    } catch is AnimationCut {
      return try sampled(runs.map(\.key)) { (time) throws(AVError) in
        let place = stretches.lastIndex { $0.start <= time } ?? 0
        guard let run = stretches[place].run, let curve = curves[place] else { return model }
        return try timed(name) { () throws(TimeError) in try curve.value(at: min(time, run.end)) }
      }
    } catch { throw unsaid("\(error)") }
  }

  /// The curve of the only animation there is, where it decides all that is seen.
  private func smooth<Value: Interpolable>(
    _ stretches: [Stretch], _ curves: [AnimationCurve<Value>?]
  ) -> Envelope<Value>? {
    guard let first = stretches.first?.run, let curve = curves.first ?? nil, curve.lines == nil, curve.pieces.count == 1 else {
      return nil
    }
    // What comes after the movie's end is not seen.
    let isAlone = stretches.dropFirst().allSatisfy { $0.start >= time.end }
    return isAlone && (first.begin <= .zero || first.fillsBackwards) && first.end >= curve.pieces[0].keyframes.last?.time ?? .zero
      ? curve.pieces[0] : nil
  }

  /// The values at the times of the movie's frames.
  func sampled<Value: Interpolable>(
    _ keys: [String], _ value: (MediaTime) throws(AVError) -> Value
  ) throws(AVError) -> Envelope<Value> {
    guard let frame = time.frameDuration else {
      let names = Set(keys).sorted().joined(separator: "', '")
      throw unsaid("animations of '\(names)' cut each other off, or are curved, on a clock that is not the movie's")
    }
    var frames: [Envelope<Value>.Keyframe] = []
    var (index, moment) = (Int64(0), MediaTime.zero)
    while moment < time.end {
      guard index < Int64(DocumentLimits.keyframes) else {
        throw unsaid("animations that are sampled last for at most \(DocumentLimits.keyframes) frames")
      }
      let next = Envelope<Value>.Keyframe(moment, try value(moment))
      // The first and the last of equal values are enough.
      if frames.count > 1, frames[frames.count - 1].value == next.value, frames[frames.count - 2].value == next.value {
        frames.removeLast()
      }
      frames.append(next)
      index += 1
      moment = try timed(name) { () throws(TimeError) in try frame * index }
    }
    if let first = frames.first, frames.allSatisfy({ $0.value == first.value }) { return Envelope(constant: first.value) }
    return Envelope(frames)
  }

  /// The keyframes of a stretch. An animation that goes on beyond it is cut there.
  private static func part<Value: Interpolable>(
    _ own: Envelope<Value>, from start: MediaTime, to end: MediaTime?, of run: AnimationRun
  ) throws -> [Envelope<Value>.Keyframe] {
    func value(at time: MediaTime) throws -> Value {
      guard let span = try own.span(at: time) else { return own.keyframes[0].value }
      let here = own.keyframes.last { $0.time <= time }
      if span.progress > 0, let here, here.easing != .linear { throw AnimationCut() }
      return span.progress == 0 ? span.from : span.from.interpolated(to: span.to, progress: span.progress)
    }
    // The run's own end may lie within its last pass.
    let stop = end.map { min($0, run.end) } ?? run.end
    var frames: [Envelope<Value>.Keyframe] = []
    if start >= stop || own.keyframes.first(where: { $0.time == start }) == nil {
      let here = own.keyframes.last { $0.time <= start }
      let isMoving = start < stop && (here.map { !$0.holds } ?? false)
      frames.append(.init(start, try value(at: min(start, run.end)), holds: !isMoving))
    }
    frames += own.keyframes.filter { start <= $0.time && $0.time < stop }
    if let last = own.keyframes.last(where: { $0.time < stop }), start < stop, !last.holds {
      let arrival = own.keyframes.first { $0.time >= stop }
      let value = try arrival?.time == stop ? arrival?.value ?? last.value : value(at: stop)
      frames.append(.init(stop, value, holds: true))
    }
    return frames
  }
}

/// The failure of keyframes to say what is left of an animation that is cut off.
struct AnimationCut: Error {}

/// The values of an animation over time: along lines, or along curves that follow each other.
struct AnimationCurve<Value: Interpolable> {
  let pieces: [Envelope<Value>]
  /// The values along lines; nil for curves.
  let lines: Envelope<Value>?

  init(_ run: AnimationRun, _ convert: (Any) throws(AVError) -> Value) throws(AVError) {
    var frames: [Envelope<Value>.Keyframe] = []
    for frame in run.frames {
      frames.append(.init(frame.time, try convert(frame.value), holds: frame.holds, easing: frame.easing))
    }
    guard let count = run.curveCount, count > 2 else {
      lines = Envelope(frames)
      pieces = [Envelope(frames)]
      return
    }
    lines = nil
    pieces = stride(from: 0, to: frames.count, by: count).map {
      Envelope(Array(frames[$0..<min($0 + count, frames.count)]), isCubic: true)
    }
  }

  func value(at time: MediaTime) throws(TimeError) -> Value {
    let piece = pieces.last { $0.keyframes.first.map { $0.time <= time } ?? false } ?? pieces[0]
    return try piece.seen(at: time)
  }
}

extension Envelope where Value: Interpolable {
  /// The value at a time. That of the first keyframe holds before it.
  ///
  /// - Precondition: there is a keyframe.
  func seen(at time: MediaTime) throws(TimeError) -> Value {
    guard let first = keyframes.first else { preconditionFailure("an envelope without keyframes has no values") }
    return try value(at: time, neutral: first.value)
  }

  /// The values of two envelopes as one; nil where keyframes cannot say it, because both move and one of them not along a line.
  ///
  /// - Precondition: both have keyframes.
  func merged<Other: Interpolable, Sum: Interpolable>(
    with other: Envelope<Other>, _ combine: (Value, Other) -> Sum
  ) throws(TimeError) -> Envelope<Sum>? {
    if let constant = other.constant { return map { combine($0, constant) } }
    if let constant { return other.map { combine(constant, $0) } }
    guard !isCubic, !other.isCubic else { return nil }
    let times = Set(keyframes.map(\.time) + other.keyframes.map(\.time)).sorted()
    var frames: [Envelope<Sum>.Keyframe] = []
    func add(_ frame: Envelope<Sum>.Keyframe) {
      // Where one way leads into the next there is one keyframe.
      if let last = frames.last, last.time == frame.time, last.value == frame.value { frames.removeLast() }
      frames.append(frame)
    }
    for (start, end) in zip(times, times.dropFirst()) {
      guard let a = try way(from: start, to: end), let b = try other.way(from: start, to: end) else { return nil }
      guard let easing = a.easing == nil ? b.easing ?? .linear : b.easing == nil || b.easing == a.easing ? a.easing : nil else {
        return nil
      }
      let isStill = a.easing == nil && b.easing == nil
      add(.init(start, combine(a.from, b.from), holds: isStill, easing: easing))
      if !isStill { add(.init(end, combine(a.to, b.to))) }
    }
    guard let last = times.last else { return nil }
    add(.init(last, combine(try seen(at: last), try other.seen(at: last))))
    return Envelope<Sum>(frames)
  }

  /// The way of the value between two times, between which there is no keyframe. The easing is nil for a value that stays.
  ///
  /// - Returns: nil for a part of an eased way.
  private func way(from start: MediaTime, to end: MediaTime) throws(TimeError) -> (from: Value, to: Value, easing: Easing?)? {
    guard let index = keyframes.lastIndex(where: { $0.time <= start }) else {
      return (keyframes[0].value, keyframes[0].value, nil)
    }
    let here = keyframes[index]
    guard index + 1 < keyframes.count, !here.holds else { return (here.value, here.value, nil) }
    let next = keyframes[index + 1]
    if here.value == next.value { return (here.value, here.value, nil) }
    if here.time == start, next.time == end { return (here.value, next.value, here.easing) }
    guard here.easing == .linear else { return nil }
    let range = try MediaTimeRange(start: here.time, end: next.time)
    return (
      here.value.interpolated(to: next.value, progress: try range.progress(at: start)),
      next.time == end ? next.value : here.value.interpolated(to: next.value, progress: try range.progress(at: end)), .linear
    )
  }
}
