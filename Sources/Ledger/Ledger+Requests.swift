package import Scheduling

extension Ledger {
  /// Performs what a dispatcher asks. Coordinator and simulation do it by this alone.
  ///
  /// - Parameter term: in which the coordinator leads; without one it may only ask for the lead.
  package func perform(_ request: LedgerRequest, term: Int?) throws(LedgerError) -> LedgerAnswer {
    switch request {
    case .lead(let candidate): return .stood(try lead(candidate))
    case .resign(let candidate):
      try resign(candidate)
      return .resigned
    default:
      guard let term else { throw .deposed("this coordinator does not lead") }
      self.term = term
      return try work(on: request)
    }
  }

  private func work(on request: LedgerRequest) throws(LedgerError) -> LedgerAnswer {
    switch request {
    case .lead, .resign: preconditionFailure("performed without a term")
    case .register(let hello):
      try register(hello)
      return .registered(hello)
    case .heartbeat(let heartbeats): return .heard(try heartbeat(heartbeats))
    case .retire(let worker, let epoch):
      try retire(worker: worker, epoch: epoch)
      return .retired(worker: worker, epoch: epoch)
    case .openAttempts(let worker, let epoch):
      return .open(worker: worker, epoch: epoch, try openAttempts(worker: worker, epoch: epoch))
    case .claim(let workers): return .claimed(try claim(for: workers))
    case .lose(let worker, let epoch):
      try lose(worker: worker, epoch: epoch)
      return .retired(worker: worker, epoch: epoch)
    case .commit(let completions): return .committed(completions, try commit(completions))
    case .fail(let key, let worker, let epoch, let failure):
      let verdict = try fail(key, worker: worker, epoch: epoch, failure)
      return .failed(key, worker: worker, epoch: epoch, verdict)
    case .over(let worker, let epoch, let jobs, let age):
      return .over(worker: worker, epoch: epoch, try over(among: jobs, endedFor: age))
    case .review(let held): return .closed(try closed(among: held))
    case .expire: return .expired(try expire())
    case .keepHistory:
      try keepHistory()
      return .keptHistory
    }
  }
}
