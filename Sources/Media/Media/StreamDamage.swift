/// The pictures of a track that are lost by damage. Packets are numbered in decode order.
///
/// A packet at fault spoils its own picture and all that are decoded after it, up to a keyframe, since any of them may refer to
/// it (docs/decisions/0023-damage-is-told.md).
struct StreamDamage {
  /// A picture that is lost.
  private struct Loss {
    let tick: Int64
    /// The number of its packet.
    let number: Int64
    let isCertain: Bool
  }

  /// The number of the packet from which on nothing is reliable; nil while there is no damage.
  private(set) var first: Int64?
  /// Whether faults may only come from what was not decoded before. It is so when decoding began within the track, until a
  /// keyframe follows a group of pictures without a fault.
  private(set) var isProvisional: Bool
  /// The lost pictures in order of `tick`.
  private var losses: [Loss] = []

  /// - Parameter isProvisional: whether decoding begins within the track.
  init(isProvisional: Bool) { self.isProvisional = isProvisional }

  /// Notes that packet `number` is at fault.
  mutating func begin(at number: Int64) { first = min(first ?? number, number) }

  func covers(_ number: Int64) -> Bool { first.map { number >= $0 } ?? false }

  /// Notes a keyframe after a group of pictures without a fault.
  mutating func reachKeyframe() { isProvisional = false }

  /// Ends the damage at a keyframe.
  mutating func repair() { first = nil }

  /// Adds the picture of packet `number`, which would be shown at `tick`, to the lost ones.
  mutating func lose(_ tick: Int64, of number: Int64) {
    let position = losses.lastIndex { $0.tick <= tick }.map { $0 + 1 } ?? 0
    if position > 0, losses[position - 1].tick == tick { return }
    losses.insert(Loss(tick: tick, number: number, isCertain: !isProvisional), at: position)
  }

  /// The number of the track's last packet; nil until it is known. In a recording that was stopped it is seldom whole, so its
  /// loss is forgiven.
  var last: Int64?

  /// A summary of lost pictures.
  struct Losses {
    let count: Int
    /// The tick at which the first one would be shown.
    let first: Int64
    let isCertain: Bool
    let isForgiven: Bool
  }

  /// The lost pictures after `tick`, up to and including `goal`; nil where there are none.
  func losses(after tick: Int64, upTo goal: Int64) -> Losses? {
    let found = losses.filter { $0.tick > tick && $0.tick <= goal }
    guard let first = found.first else { return nil }
    return Losses(
      count: found.count, first: first.tick, isCertain: found.allSatisfy(\.isCertain),
      isForgiven: self.first == last && found.allSatisfy { $0.number == last })
  }
}
