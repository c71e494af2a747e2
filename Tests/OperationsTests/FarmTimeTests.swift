import FarmTesting
import Ledger
import Messages
import Operations
import PostgreSQL
import Scheduling
import Testing

/// The time of the farm's slots in the database.
@Suite struct `The farm's time` {
  private let bench: FarmBench

  init() throws { bench = try FarmBench() }

  private func parts(_ time: FarmTime) -> [String: Double] {
    Dictionary(uniqueKeysWithValues: time.time.map { ($0.part.rawValue, $0.seconds) })
  }

  /// Makes the last count so many seconds old.
  private func age(_ seconds: Int) throws {
    try bench.run("update spool.slot_time set counted_at = clock_timestamp() - interval '\(seconds) seconds'")
  }

  @Test func `is counted by what each slot does, and adds up to the slots that there were`() throws {
    try bench.start()
    try bench.run("update spool.leader set taken_at = taken_at - interval '1 hour'")
    try bench.ledger.countSlots()
    #expect(try bench.farm.time(hours: 1).time == [])
    try age(5)
    try bench.ledger.countSlots()
    try bench.submit()
    try age(10)
    try bench.ledger.countSlots()
    #expect(try bench.ledger.claim(for: [FreeSlots(worker: "anna", epoch: "1", slots: 1)]).count == 1)
    try age(20)
    try bench.ledger.countSlots()
    _ = try bench.farm.drain(Drainage(worker: "anna", isDrained: true))
    try age(30)
    try bench.ledger.countSlots()
    let time = try bench.farm.time(hours: 1)
    let found = parts(time)
    // Two slots, counted after 5, 10, 20 and 30 s.
    let expected: [String: Double] = ["nothing queued": 10, "handing out": 20 + 20, "rendering": 20 + 30, "drained": 30]
    #expect(Set(found.keys) == Set(expected.keys), "\(found)")
    for (part, seconds) in expected { #expect(abs((found[part] ?? 0) - seconds) < 1, "\(part): \(found[part] ?? 0)") }
    #expect(time.since != nil)
    #expect(abs(found.values.reduce(0, +) - 130) < 4)
  }

  @Test func `tells quotas, needs, retries, pauses, and the time in which nobody led`() throws {
    try bench.start(tags: ["fast"])
    try bench.submit(submitter: "ana")
    try bench.ledger.countSlots()
    func reason(_ script: String) throws -> [SlotPartName: Double] {
      try bench.run("delete from spool.slot_time where part <> 'busy'; \(script)")
      try age(10)
      try bench.ledger.countSlots()
      return parts(try bench.farm.time(hours: 1)).filter { $0.value > 15 }
    }
    #expect(Array(try reason("update spool.leader set taken_at = clock_timestamp()").keys) == ["no leader"])
    try bench.run("update spool.leader set taken_at = taken_at - interval '1 hour'")
    #expect(Array(try reason("update spool.submitter set slots = 0").keys) == ["quota"])
    #expect(
      Array(try reason("update spool.submitter set slots = null; update spool.job set tags = '{gpu}'").keys) == [
        "no fitting worker"
      ])
    #expect(Array(try reason("update spool.job set tags = '{fast}'").keys) == ["handing out"])
    #expect(Array(try reason("update spool.job set wakes_at = clock_timestamp() + interval '1 minute'").keys) == ["retrying"])
    #expect(Array(try reason("update spool.job set paused_at = clock_timestamp()").keys) == ["paused"])
    #expect(Array(try reason("update spool.farm set drained_at = clock_timestamp()").keys) == ["drained"])
  }

  private typealias SlotPartName = String

  /// The holds in the database: kind, name, and whole seconds for which they lasted.
  private func holds() throws -> [String] {
    let query = Statement(
      "holds",
      """
      select kind || ' ' || name || ' ' || round(extract(epoch from until - since)) as hold from spool.hold order by since, kind, name
      """)
    return try Connection(url: bench.database, applicationName: "test").query(query).map { try $0.value("hold", as: String.self) }
  }

  @Test func `a quota that holds tasks, and needs that nobody meets, are noted while they last`() throws {
    try bench.start(tags: ["fast"])
    try bench.submit(submitter: "ana")
    try bench.ledger.countSlots()
    #expect(try holds() == [])
    // What began after the last count is held since then.
    try bench.run("update spool.submitter set slots = 0; update spool.job set tags = '{gpu}'")
    try age(7)
    try bench.ledger.countSlots()
    #expect(try holds() == ["needs gpu 0 7", "quota ana 7"])
    // The same hold goes on; one that has ended stays as it is.
    func pass(_ seconds: Int) throws {
      try bench.run(
        """
        update spool.slot_time set counted_at = counted_at - interval '\(seconds) seconds';
        update spool.hold set since = since - interval '\(seconds) seconds', until = until - interval '\(seconds) seconds'
        """)
    }
    try pass(10)
    try bench.run("update spool.job set tags = '{fast}'")
    try bench.ledger.countSlots()
    #expect(try holds() == ["quota ana 17", "needs gpu 0 7"])
    // A job that is paused waits for that, and not for its needs.
    try bench.run("update spool.submitter set slots = null; update spool.job set tags = '{tokyo}', paused_at = clock_timestamp()")
    try pass(10)
    try bench.ledger.countSlots()
    #expect(try holds().count == 2)
    // Where nobody counted for long, nothing is known.
    try bench.run("update spool.submitter set slots = 0; update spool.job set paused_at = null, tags = '{fast}'")
    try age(600)
    try bench.ledger.countSlots()
    #expect(try holds().last == "quota ana 0")
  }

  @Test func `divides what ran in the shares that attempts measured, and tells what was lost`() throws {
    try bench.submit()
    try bench.run(
      """
      set session_replication_role = replica;
      insert into spool.slot_time (since, part, microseconds, counted_at) values
        (date_bin('10 minutes', now(), 'epoch'), 'busy', 40000000, now()), (date_bin('10 minutes', now(), 'epoch'), 'quota', 7000000, now());
      insert into spool.attempt (task, number, worker, epoch, outcome, proof, failure_class, failure_place, failure_reason, started_at,
        progress_deadline, ended_at)
      select t.id, 1, 'anna', '1', o.outcome, o.proof::json, o.class, o.class, o.class, date_bin('10 minutes', now(), 'epoch') - interval '5 seconds', now(),
        date_bin('10 minutes', now(), 'epoch') + interval '10 seconds'
      from (values (0, 'won', '{"milliseconds": {"opening": 1500, "reading": 3000, "compositing": 4500, "encoding": 0}}', null),
        (1, 'failed', null, 'transient')) o (place, outcome, proof, class)
      join spool.task t on t.job = 'job' and t.ordinal = o.place;
      """)
    let found = parts(try bench.farm.time(hours: 1))
    let expected: [String: Double] = ["opening": 2, "reading": 4, "compositing": 6, "committing": 8, "lost": 20, "quota": 7]
    #expect(Set(found.keys) == Set(expected.keys), "\(found)")
    for (part, seconds) in expected { #expect(abs((found[part] ?? 0) - seconds) < 1e-6, "\(part): \(found[part] ?? 0)") }
  }

  /// Enters 20 s of busy slots in the last ten minutes that are over, and an attempt at a chunk that measured nothing but
  /// compositing, from so many minutes before those on until a minute after their beginning.
  private func enterAttempt(minutesBefore: Int) throws {
    try bench.run(
      """
      set session_replication_role = replica;
      insert into spool.slot_time (since, part, microseconds, counted_at)
        values (date_bin('10 minutes', now() - interval '10 minutes', 'epoch'), 'busy', 20000000, now());
      insert into spool.attempt (task, number, worker, epoch, outcome, proof, started_at, progress_deadline, ended_at)
      select id, 1, 'anna', '1', 'won', format('{"milliseconds": {"opening": 0, "reading": 0, "compositing": %s, "encoding": 0}}',
          (\(minutesBefore) + 1) * 60000)::json,
        date_bin('10 minutes', now() - interval '10 minutes', 'epoch') - interval '\(minutesBefore) minutes', now(),
        date_bin('10 minutes', now() - interval '10 minutes', 'epoch') + interval '1 minute'
      from spool.task where job = 'job' and ordinal = 1;
      """)
  }

  @Test func `of attempts that ended, is summed once, and stays when their rows are gone`() throws {
    try bench.start()
    try bench.submit()
    try enterAttempt(minutesBefore: 1)
    #expect(parts(try bench.farm.time(hours: 1)) == ["compositing": 20])
    for _ in 0..<2 {
      try bench.ledger.countSlots()
      #expect(parts(try bench.farm.time(hours: 1))["compositing"] == 20)
    }
    try bench.run("delete from spool.attempt")
    #expect(parts(try bench.farm.time(hours: 1))["compositing"] == 20)
    let connection = try Connection(url: bench.database, applicationName: "test")
    let sums = try connection.query(
      Statement("sums", "select part, round(seconds)::bigint as seconds from spool.busy_time order by since"))
    #expect(try sums.map { try $0.value("part", as: String.self) } == ["compositing", "compositing"])
    #expect(try sums.map { try $0.value("seconds", as: Int.self) } == [60, 60])
  }

  @Test func `of an attempt of hours belongs to each ten minutes in which it ran`() throws {
    try bench.submit()
    try enterAttempt(minutesBefore: 120)
    #expect(parts(try bench.farm.time(hours: 1)) == ["compositing": 20])
  }
}
