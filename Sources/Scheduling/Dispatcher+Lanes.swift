internal import Messages

// Light tasks go to workers whose slots are all busy, too. Thousands may be, and light tasks are few: some are offered for their lanes, of those
// that have the same, and others each time, since some may be given nothing.
extension Dispatcher {
  /// Workers that are offered for their lanes alone, of those that have the same.
  package static let mostLaneOffers = 8

  mutating func laneOffers(_ now: Duration) -> [FreeSlots] {
    var turns: [Int: LaneTurn] = [:]
    for (name, member) in members where member.freeSlots <= 0 && member.freeLanes > 0 && isServing(member, now) {
      turns[member.kind, default: LaneTurn(after: lastForLanes[member.kind] ?? "")].consider(name)
    }
    let chosen = turns.mapValues(\.names)
    lastForLanes = chosen.compactMapValues(\.last)
    return chosen.values.joined().compactMap { name in
      members[name].map { FreeSlots(worker: name, epoch: $0.epoch, slots: 0, lanes: $0.freeLanes) }
    }
  }
}

/// The next names after one, in their order, and round again: found in one pass, without sorting all.
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
