package import Scheduling

extension Ledger {
  /// Performs what a dispatcher asks. Coordinator and simulation do it by this alone.
  package func perform(_ request: LedgerRequest) throws(LedgerError) -> LedgerAnswer {
    switch request {
    case .register(let hello):
      try register(hello)
      return .registered(hello)
    case .heartbeat(let worker, let epoch, let running):
      return .heard(worker: worker, epoch: epoch, closed: try heartbeat(worker: worker, epoch: epoch, running: running))
    case .retire(let worker, let epoch):
      try retire(worker: worker, epoch: epoch)
      return .retired(worker: worker, epoch: epoch)
    case .openAttempts(let worker, let epoch):
      return .open(worker: worker, epoch: epoch, try openAttempts(worker: worker, epoch: epoch))
    case .claim(let workers): return .claimed(try claim(for: workers))
    case .commit(let key, let worker, let epoch, let proof):
      let verdict = try commit(key, worker: worker, epoch: epoch, proof: proof)
      return .committed(key, worker: worker, epoch: epoch, verdict)
    case .fail(let key, let worker, let epoch, let failure):
      let verdict = try fail(key, worker: worker, epoch: epoch, failure)
      return .failed(key, worker: worker, epoch: epoch, verdict)
    case .expire: return .expired(try expire())
    }
  }
}
