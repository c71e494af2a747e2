/// Which packets of a track cannot be relied upon, in the order they are decoded in, and when their pictures would be shown.
///
/// A packet at fault spoils its picture and all that are decoded after it, up to a keyframe: any of them may refer to it.
struct StreamDamage {
  /// A picture that is not as it was made.
  private struct Loss {
    let tick: Int64
    /// Of its packet.
    let number: Int64
    let isCertain: Bool
  }

  /// From this packet on nothing is whole; nil while all is well.
  private(set) var first: Int64?
  /// Faults may come of what was not decoded before: decoding began within the track, and no keyframe was reached without any.
  private(set) var isProvisional: Bool
  /// In order of `tick`.
  private var losses: [Loss] = []

  /// - Parameter isProvisional: whether decoding begins within the track.
  init(isProvisional: Bool) { self.isProvisional = isProvisional }

  /// Packet `number` is at fault.
  mutating func begin(at number: Int64) { first = min(first ?? number, number) }

  func covers(_ number: Int64) -> Bool { first.map { number >= $0 } ?? false }

  /// A keyframe follows a group of pictures that had no fault.
  mutating func reachKeyframe() { isProvisional = false }

  /// A keyframe after damage, from which all is well again.
  mutating func repair() { first = nil }

  /// The picture of packet `number` is lost.
  mutating func lose(_ tick: Int64, of number: Int64) {
    let position = losses.lastIndex { $0.tick <= tick }.map { $0 + 1 } ?? 0
    if position > 0, losses[position - 1].tick == tick { return }
    losses.insert(Loss(tick: tick, number: number, isCertain: !isProvisional), at: position)
  }

  /// The track's last packet, which in a recording that was stopped is seldom whole; nil until it is known.
  var last: Int64?

  /// Lost pictures.
  struct Losses {
    let count: Int
    /// When the first would be shown.
    let first: Int64
    let isCertain: Bool
    let isForgiven: Bool
  }

  /// The lost pictures after `tick` and not after `goal`; nil for none.
  func losses(after tick: Int64, upTo goal: Int64) -> Losses? {
    let found = losses.filter { $0.tick > tick && $0.tick <= goal }
    guard let first = found.first else { return nil }
    return Losses(
      count: found.count, first: first.tick, isCertain: found.allSatisfy(\.isCertain),
      isForgiven: self.first == last && found.allSatisfy { $0.number == last })
  }
}
