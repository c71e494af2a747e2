package import Messages
internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  package func split(for workers: [FreeSlots], asked: [AttemptKey]) throws(LedgerError) -> [Split] {
    try transaction(durably: false) { session throws(LedgerError) in
      let running = try runningAttempts(olderThan: splitting.settling, most: splitting.mostExamined, session)
      // Most often no attempt runs, or none may be divided.
      guard running.attempts.contains(where: { $0.divisibleFrames != nil }) else { return [] }
      let offers = try liveOffers(workers, session)
      return splitting.choose(
        among: running.attempts, for: offers, paces: try paces(of: running.attempts, offers, session),
        slotsLeft: running.slotsLeft,
        asked: Set(asked))
    }
  }

  /// The most chunks that one heartbeat divides, because a trigger checks each. The others promise again a second later.
  private static let mostDivisions = 100

  /// Divides the chunks whose attempts promised to leave the rest.
  ///
  /// - Returns: the attempts whose chunks were divided.
  func divide(promised heartbeats: [Heartbeat]) throws(LedgerError) -> [ExpiredAttempt] {
    let promises = heartbeats.flatMap { beat in
      beat.running.compactMap { progress in
        progress.end.map { Border(worker: beat.worker, epoch: beat.epoch, key: progress.key, frame: $0) }
      }
    }
    guard !promises.isEmpty else { return [] }
    // Most promises were kept at an earlier heartbeat.
    let open = try read { session throws(LedgerError) in
      try session.all(.openTasks, promises.fence) { row throws(PostgreSQLError) in
        (place: try row.value("place", as: Int.self), frames: try FrameRange.optional(row))
      }
    }
    let news = open.filter { promises[$0.place - 1].lies(in: $0.frames) }
      .map { promises[$0.place - 1] }.prefix(Self.mostDivisions)
    guard !news.isEmpty else { return [] }
    return try transaction(durably: false) { session throws(LedgerError) in
      try session.change(.lockJobsOfTasks, [.integers(news.map(\.key.task))])
      return try divide(Array(news), areAlone: true, session)
    }
  }

  /// The frame before which an attempt's chunk is divided.
  struct Border {
    var worker: String
    var epoch: String
    var key: AttemptKey
    var frame: Int

    func lies(in frames: FrameRange?) -> Bool { frames?.divided(before: frame) != nil }
  }

  /// Divides chunks. Their jobs must be locked.
  /// - Returns: the attempts whose chunks were divided.
  func divide(_ borders: [Border], areAlone: Bool, _ session: Session) throws(LedgerError) -> [ExpiredAttempt] {
    try session.all(.divide, borders.fence + [.integers(borders.map(\.frame)), .boolean(areAlone)]) {
      row throws(PostgreSQLError) in
      ExpiredAttempt(worker: try row.value("worker"), key: try AttemptKey(row))
    }
  }
}

extension [PostgreSQLLedger.Border] {
  /// Four parameters: tasks, attempt numbers, workers and epochs.
  var fence: [Parameter] {
    [.integers(map(\.key.task)), .integers(map(\.key.attempt)), .texts(map(\.worker)), .texts(map(\.epoch))]
  }
}
