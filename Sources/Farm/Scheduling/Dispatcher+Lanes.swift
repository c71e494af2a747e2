internal import Messages

// Offers of lanes. Light tasks also go to workers whose slots are all busy. There may be thousands of such workers and only a few
// light tasks, so each claim offers some workers of each kind. The next claim offers others, because those of this one may get
// nothing.
extension Dispatcher {
  /// The most busy workers of one kind that a claim offers for their lanes.
  package static let mostLaneOffers = 8

  mutating func laneOffers(_ now: Duration) -> [FreeSlots] {
    var turns: [Int: LaneTurn] = [:]
    for (name, member) in members where member.freeSlotsAhead(now) <= 0 && member.freeLanes > 0 && isServing(member, now) {
      turns[member.kind, default: LaneTurn(after: lastForLanes[member.kind] ?? "")].consider(name)
    }
    let chosen = turns.mapValues(\.names)
    lastForLanes = chosen.compactMapValues(\.last)
    return chosen.values.joined().compactMap { name in
      members[name].map { FreeSlots(worker: name, epoch: $0.epoch, slots: 0, lanes: $0.freeLanes) }
    }
  }
}

/// The names that follow a given one in sorted order, starting again after the largest. It finds them in one pass, without
/// sorting all names.
private struct LaneTurn {
  private let last: String
  private var following: [String] = []
  private var first: [String] = []

  init(after last: String) { self.last = last }

  mutating func consider(_ name: String) {
    if name > last { Self.insert(name, into: &following) } else { Self.insert(name, into: &first) }
  }

  var names: [String] { Array((following + first).prefix(Dispatcher.mostLaneOffers)) }

  private static func insert(_ name: String, into names: inout [String]) {
    if names.count == Dispatcher.mostLaneOffers, let largest = names.last, name > largest { return }
    names.insert(name, at: names.firstIndex { $0 > name } ?? names.endIndex)
    if names.count > Dispatcher.mostLaneOffers { names.removeLast() }
  }
}
