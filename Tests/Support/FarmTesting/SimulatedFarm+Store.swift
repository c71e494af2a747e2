internal import Messages
internal import Scheduling

// The store of a simulated farm: what is found there, and what is cleared away.
extension SimulatedFarm {
  /// Looks for a segment as the process that does it would.
  func recall(_ order: AttemptOrder, on position: Int, _ route: String) {
    var proof: Proof?
    if faults.isFound?(order) == true {
      witness.started(order)
      files[order.job, default: []].insert(order.key)
      let found = SimulatedProcess(order, now: clock.now, length: .zero, isFound: true).proof
      witness.finished(order.key, found)
      proof = found
    }
    after(random.wait(upTo: .milliseconds(20)), .attempt(position, route: route, .recalled(order.key, proof)))
  }

  /// Sweeps the store as the process would have done at its end.
  func sweep(_ order: SweepOrder, by position: Int) {
    for job in order.over {
      let cleared = (files[job.id] ?? []).filter { job.dead?.contains($0) ?? true }
      for key in cleared.sorted() { witness.cleared(key, of: job.id) }
      files[job.id]?.subtract(cleared)
      if files[job.id]?.isEmpty == true { files[job.id] = nil }
    }
    act(position, .swept(order.over.isEmpty ? stored.sorted() : []))
  }
}
