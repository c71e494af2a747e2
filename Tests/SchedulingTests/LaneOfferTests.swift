import Messages
import Scheduling
import Testing

private func order(_ task: Int64, _ work: Work) -> AttemptOrder {
  AttemptOrder(
    job: "j", key: AttemptKey(task: task, attempt: 1), work: work,
    spec: JobSpec(document: "{}", facts: [:], output: "/o.mp4", overwrites: false, keepsSegments: false))
}

private let mux = Work.mux(pictures: [], sound: [])

/// The use of lanes: what the dispatcher offers and what a worker runs beside its slots.
struct LaneOfferTests {
  /// A dispatcher whose worker was given these orders.
  private func giving(_ orders: [AttemptOrder], slots: Int = 1, lanes: Int = 2) -> TurnedDispatcher {
    var dispatcher = TurnedDispatcher()
    _ = dispatcher.join("a", slots: slots, lanes: lanes)
    _ = dispatcher.handle(.notified(.changes))
    _ = dispatcher.turn { request in
      guard case .claim = request else { return nil }
      return .answered(.claimed(orders.map { ClaimedAttempt(worker: "a", order: $0) }))
    }
    return dispatcher
  }

  /// The offer of the next claim; nil when there is none.
  private func offer(_ dispatcher: TurnedDispatcher) -> FreeSlots? {
    var dispatcher = dispatcher
    _ = dispatcher.handle(.notified(.changes))
    return dispatcher.turn().compactMap { if case .ask(.claim(let free)) = $0 { free.first } else { nil } }.first
  }

  @Test func `a worker whose slots are busy is offered for its lanes`() {
    #expect(offer(giving([order(1, .sound)])) == FreeSlots(worker: "a", epoch: "1", slots: 0, lanes: 2))
  }

  @Test func `a mux takes a lane and no slot, and a slot once the lanes are taken`() {
    #expect(offer(giving([order(1, mux)])) == FreeSlots(worker: "a", epoch: "1", slots: 1, lanes: 1))
    #expect(offer(giving([order(1, mux), order(2, mux)])) == FreeSlots(worker: "a", epoch: "1", slots: 1, lanes: 0))
    #expect(offer(giving([order(1, mux), order(2, mux), order(3, mux)])) == nil)
  }

  @Test func `of busy workers that have the same some are offered for their lanes, and all of them in turns`() {
    var dispatcher = TurnedDispatcher()
    let workers = (10..<40).map { "w\($0)" }
    for worker in workers { _ = dispatcher.join(worker, slots: 0, lanes: 2) }
    var offered: Set<String> = []
    for _ in 0..<8 {
      _ = dispatcher.handle(.notified(.changes))
      for case .ask(.claim(let free)) in dispatcher.turn() {
        #expect(free.count <= Dispatcher.mostLaneOffers)
        offered.formUnion(free.map(\.worker))
      }
    }
    #expect(offered == Set(workers))
  }

  @Test func `among equal workers the one that was given an attempt longest ago is offered first`() {
    var dispatcher = TurnedDispatcher()
    for worker in ["a", "b", "c"] { _ = dispatcher.join(worker, lanes: 2) }
    for (second, worker) in ["b", "a"].enumerated() {
      _ = dispatcher.handle(.notified(.changes))
      var claims = 0
      _ = dispatcher.turn(after: .seconds(1)) { request in
        guard case .claim = request, claims == 0 else { return nil }
        claims += 1
        return .answered(.claimed([ClaimedAttempt(worker: worker, order: order(Int64(second), mux))]))
      }
    }
    _ = dispatcher.handle(.notified(.changes))
    let offers = dispatcher.turn().compactMap { if case .ask(.claim(let free)) = $0 { free.map(\.worker) } else { nil } }
    #expect(offers == [["c", "b", "a"]])
  }

  @Test func `after a mux another claim follows, since more may be ready than lanes were offered for`() {
    var dispatcher = TurnedDispatcher()
    _ = dispatcher.join("a", lanes: 2)
    _ = dispatcher.handle(.notified(.changes))
    var claims = 0
    _ = dispatcher.turn { request in
      guard case .claim = request, claims == 0 else { return nil }
      claims += 1
      return .answered(.claimed([ClaimedAttempt(worker: "a", order: order(1, mux))]))
    }
    #expect(dispatcher.dispatcher.turnDue == .zero)
  }

  /// The tasks that a worker with one slot and two lanes starts of these orders.
  private func started(_ orders: [AttemptOrder]) -> [Int64] {
    var worker = WorkerState(name: "a", epoch: "1", host: "h", processID: 1, slots: 1, lanes: 2)
    _ = worker.handle(.turn, now: .zero)
    _ = worker.handle(.received(.welcome(heartbeatMilliseconds: 1000)), now: .zero)
    return orders.flatMap { worker.handle(.received(.assign($0)), now: .zero) }
      .compactMap { if case .start(let order) = $0 { order.key.task } else { nil } }
  }

  @Test func `a worker muxes and publishes beside what takes its slots, and runs no chunk in a lane`() {
    let chunk = Work.picture(FrameRange(first: 0, count: 10))
    #expect(started([order(1, chunk), order(2, mux), order(3, chunk), order(4, mux)]) == [1, 2, 4])
    #expect(started([order(1, mux), order(2, mux), order(3, mux), order(4, mux)]) == [1, 2, 3])
    #expect(started([order(1, mux), order(2, mux), order(3, mux), order(4, chunk)]) == [1, 2, 3])
  }
}
