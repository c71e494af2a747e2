package import Scheduling

extension Ledger {
  /// Performs a dispatcher's request. The coordinator and the simulation both call only this.
  ///
  /// - Parameter term: the term in which the coordinator leads. Without one it may only ask for the lead, or resign.
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
    case .register(let hellos):
      try register(hellos)
      return .registered(hellos)
    case .heartbeat(let heartbeats): return .heard(try heartbeat(heartbeats))
    case .retire(let workers):
      try retire(workers)
      return .retired(workers)
    case .openAttempts(let workers): return .open(workers, try openAttempts(of: workers))
    case .claim(let workers): return .claimed(try claim(for: workers))
    case .split(let workers, let asked): return .splits(try split(for: workers, asked: asked))
    case .speculate(let workers, let most, let spared):
      return .speculated(try speculate(for: workers, most: most, sparing: spared))
    case .learn(let winners):
      try learn(from: winners)
      return .learned
    case .lose(let workers):
      try lose(workers)
      return .retired(workers)
    case .commit(let completions): return .committed(completions, try commit(completions))
    case .fail(let failures): return .failed(failures, try fail(failures))
    case .keep(let logs):
      try keep(logs)
      return .kept
    case .over(let worker, let epoch, let jobs, let age):
      return .over(worker: worker, epoch: epoch, try over(among: jobs, endedFor: age))
    case .wantedFonts: return .wantedFonts(try wantedFonts())
    case .review(let held): return .closed(try closed(among: held))
    case .expire: return .expired(try expire())
    case .follow: return .followed(try follow())
    case .keepHistory:
      try keepHistory()
      return .keptHistory
    case .countSlots:
      try countSlots()
      return .countedSlots
    case .news: return .news(try news())
    case .flush:
      try flush()
      return .flushed
    }
  }
}
