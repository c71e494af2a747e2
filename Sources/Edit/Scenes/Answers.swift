internal import MediaTime
internal import Timeline

/// A stretch of time, from `start`, which is in it, to `end`, which is not; nil is no bound.
struct Stretch: Hashable {
  var start: MediaTime?
  var end: MediaTime?

  func contains(_ time: MediaTime) -> Bool { start.map { $0 <= time } ?? true && end.map { time < $0 } ?? true }

  /// The part of all time before this stretch, or after it: the one that `time`, which is not in the stretch, lies in.
  func beside(_ time: MediaTime) -> Stretch {
    if let start, time < start { Stretch(end: start) } else { Stretch(start: end) }
  }

  func intersection(_ other: Stretch) -> Stretch {
    // A plan asks for millions of them.
    var common = self
    if let start = other.start, common.start.map({ $0 < start }) ?? true { common.start = start }
    if let end = other.end, common.end.map({ end < $0 }) ?? true { common.end = end }
    return common
  }
}

extension Layer {
  /// The stretch in which the layer is seen, on the clock of what it stands on; nil where that is always.
  var shown: Stretch? { timeRange.map { Stretch(start: $0.start, end: staysToEnd ? nil : $0.end) } }
}

/// The times at which the layers of a list are seen, without the layers.
struct LayerRoll {
  /// The stretch in which each one is seen; nil where that is always.
  let shown: [Stretch?]
  /// Whether they always lie over each other as the list has them.
  let isInOrder: Bool

  init(of layers: [Layer]) {
    shown = layers.map(\.shown)
    isInOrder = layers.allSatisfy(\.zPosition.keyframes.isEmpty)
  }
}

/// Notes what a part of a scene asked of the time: the stretch in which all answers are the same as now.
///
/// Whoever reads the time itself has another answer at each moment. So what is made of it is kept for no other moment, unless the
/// reader says for how long its answer holds. Nothing has to be listed, and nothing can be forgotten.
final class Answers {
  /// The stretch of all that was asked for the part itself; nil where nothing but this moment counts.
  private(set) var own: Stretch?
  /// The same, with what was asked for the parts of the part.
  private(set) var all: Stretch?

  /// - Parameter stretch: that of what was asked before, on which the part may depend.
  init(within stretch: Stretch? = Stretch()) { (own, all) = (stretch, stretch) }

  /// Notes that the time itself was read.
  func noteMoment() { (own, all) = (nil, nil) }

  /// Notes an answer that is the same within a stretch.
  func note(_ stretch: Stretch) { (own, all) = (own?.intersection(stretch), all?.intersection(stretch)) }

  /// Notes what was asked for a part of this part. Other parts do not depend on it.
  func notePart(_ stretch: Stretch?) { all = stretch.flatMap { all?.intersection($0) } }
}

extension Envelope {
  /// The stretch around `time` in which the value stays that of the first keyframe, or of the last; nil where it may change at any time.
  func rest(at time: MediaTime) -> Stretch? {
    guard repetition == nil, additions == nil, let first = keyframes.first?.time, let last = keyframes.last?.time else {
      return nil
    }
    return time < first ? Stretch(end: first) : time >= last ? Stretch(start: last) : nil
  }
}
