internal import EditFiles
internal import Examination
internal import Ledger
internal import LocalFarm

/// This machine's own farm, whose workers may be given work.
package struct ServedFarm: Hashable, Sendable, Codable {
  package var event = "ready"
  package var workers: Int
  /// Whether this process runs the farm. Another one does otherwise, and this one takes it over when that ends.
  package var isOurs: Bool
}

extension PrivateFarm {
  /// Keeps this machine's own farm running, so that renders find it started, until the service is to end. Renders that still run then go on
  /// with a farm of their own.
  ///
  /// - Parameters:
  ///   - workers: the number of workers; nil means one for each core.
  ///   - media: how media are read; it decides as whom the farm runs.
  ///   - tell: is told when the farm is ready, again whenever somebody else has come to run it.
  /// - Throws: a complaint about what keeps the farm from running. It returns when the service was to end.
  package func serve(
    workers: Int?, reading media: MediaAccess, tell: (ServedFarm) throws(Complaint) -> Void
  ) throws(Complaint) {
    try complaining {
      try SubmitRequest.require(workers, in: RenderRequest.workerCounts, "workers")
      let account = try media.setting(nil).account
      let interruption = try interruption()
      let count = workers ?? coreCount
      let kept = KeptFarm(self, at: try dataPath(), workers: count, account, interruption)
      defer { kept.stop() }
      let farm = try kept.start()
      var watch = JobWatch(farm, interruption) { _, _ in }
      var told: Bool?
      while true {
        // The schema is made here, as a render makes it.
        let alive = try watch.patiently { ledger throws(LedgerError) -> Int in
          if told == nil { try ledger.migrate() }
          return try ledger.workers().count(where: \.isAlive)
        }
        guard let alive else { return }
        if alive >= (farm.isOurs ? count : 1), told != farm.isOurs {
          told = farm.isOurs
          try tell(ServedFarm(workers: alive, isOurs: farm.isOurs))
        }
        if interruption.wait(told == nil ? .milliseconds(20) : .milliseconds(300)), try interruption.hasCome() { return }
      }
    }
  }
}
