internal import Messages
internal import PostgreSQL
internal import Scheduling

extension PostgreSQLLedger {
  package func countSlots() throws(LedgerError) {
    try transaction(durably: false) { session throws(LedgerError) in
      let moment = try session.first(.readSlotMoment) { row throws(PostgreSQLError) in
        (
          at: try row.value("at", as: Int.self), passed: try row.optional("passed", as: Int.self),
          leaderless: try row.value("leaderless", as: Int.self), isDrained: try row.value("is_drained", as: Bool.self)
        )
      }
      guard let moment else { throw .corrupt("spool.leader has no row") }
      let holders = try session.all(.readSlots) { row throws(PostgreSQLError) in try SlotHolder(row) }
      let count = try SlotCount(of: holders, isDrained: moment.isDrained) { () throws(LedgerError) in
        Set(
          try session.all(.readWaitingWork) { row throws(PostgreSQLError) in
            WaitingWork(needs: try Capabilities(row), obstacle: try row.case("obstacle"))
          })
      }
      let time = count.time(of: moment.passed ?? 0, leaderless: moment.leaderless).sorted { $0.key.rawValue < $1.key.rawValue }
      try session.change(
        .addSlotTime, [.integer(moment.at), .texts(time.map(\.key.rawValue)), .integers(time.map(\.value))])
      // What was not counted is not known. It begins where it is seen first.
      let passed = moment.passed.flatMap { 1...SlotCount.longestGap ~= $0 ? $0 : nil } ?? 0
      try session.change(.noteHolds, [.integer(moment.at), .integer(passed)])
      try session.change(.sumBusyTime)
    }
  }

  /// The place where the time of the farm's slots went.
  ///
  /// - Parameter seconds: how long ago the first ten minutes began that are asked for.
  package func slotTime(seconds: Int) throws(LedgerError) -> FarmTime {
    try read { session throws(LedgerError) in
      let since = try session.first(.readSlotBegin, [.integer(seconds)]) { row throws(PostgreSQLError) in
        try row.optional("since", as: String.self)
      }
      let parts = try session.all(.readSlotTime, [.integer(seconds)]) { row throws(PostgreSQLError) in
        JobTimeShare(try row.case("part"), try row.value("seconds"))
      }
      return FarmTime(since: since.flatMap { $0 }, time: parts)
    }
  }
}

extension SlotHolder {
  fileprivate init(_ row: Rows.Row) throws(PostgreSQLError) {
    let state = try row.value("state", as: String.self)
    self.init(
      slots: try row.value("slots"), busy: try row.value("slots_busy"),
      standing: state == "drained" ? .drained : state == "set aside" ? .setAside : .serving, capabilities: try Capabilities(row))
  }
}
