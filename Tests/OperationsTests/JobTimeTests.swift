import FarmTesting
import Ledger
import Messages
import Operations
import PostgreSQL
import Scheduling
import Testing

/// The parts of a job's time, from rows with known times.
@Suite struct `A job's time` {
  private let bench: FarmBench

  init() throws {
    bench = try FarmBench()
    try bench.submit()
    try bench.submit("other")
  }

  /// Writes rows as they are, without the triggers that would write times of their own. A time is `at(seconds)`.
  private func write(_ statements: String...) throws {
    try bench.run(
      """
      set session_replication_role = replica;
      create or replace function pg_temp.at(seconds double precision) returns timestamptz language sql as
        $$ select timestamptz '2026-01-01 00:00:00Z' + seconds * interval '1 second' $$;
      create or replace function pg_temp.tried(place integer, nth integer, began double precision, ended double precision, what text, parts text)
        returns void language sql as $$
        insert into spool.attempt (task, number, worker, epoch, outcome, proof, failure_class, failure_place, failure_reason, started_at,
          progress_deadline, ended_at)
        select id, nth, 'anna', '1', what, case what when 'won' then parts::json end, case what when 'failed' then 'transient' end,
          case what when 'failed' then 'store' end, case what when 'failed' then 'no room' end, pg_temp.at(began), pg_temp.at(began), pg_temp.at(ended)
        from spool.task where job = 'job' and ordinal = place $$;
      delete from spool.history;
      """ + statements.joined(separator: "\n"))
  }

  private var parts: [String: Double] {
    get throws {
      Dictionary(uniqueKeysWithValues: try bench.ledger.time(job: "job").map { ($0.part.rawValue, $0.seconds) })
    }
  }

  @Test func `gives each moment to one part`() throws {
    try write(
      """
      update spool.job set state = 'done', submitted_at = pg_temp.at(0), started_at = pg_temp.at(7.5), ended_at = pg_temp.at(17), parts_left = 0,
        chunks_done = 2 where id = 'job';
      update spool.job set state = 'cancelled', submitted_at = pg_temp.at(1), started_at = pg_temp.at(1.5), ended_at = pg_temp.at(5)
        where id = 'other';
      insert into spool.history (entity, worker, after, at) values ('worker', 'anna', 'serving', pg_temp.at(2));
      insert into spool.history (entity, after, at) values ('farm', 'drained', pg_temp.at(5)), ('farm', 'open', pg_temp.at(5.5));
      insert into spool.history (entity, job, after, at) values ('job', 'job', 'queued', pg_temp.at(0)), ('job', 'job', 'failed', pg_temp.at(5.5)),
        ('job', 'job', 'queued (paused)', pg_temp.at(6)), ('job', 'job', 'queued', pg_temp.at(7)), ('job', 'job', 'running', pg_temp.at(7.5)),
        ('job', 'job', 'done', pg_temp.at(17));
      select pg_temp.tried(0, 1, 7.5, 9, 'failed', null);
      select pg_temp.tried(0, 2, 10, 14, 'won', '{"milliseconds": {"opening": 400, "reading": 1000, "compositing": 1600, "encoding": 800}}');
      select pg_temp.tried(1, 1, 11, 15, 'won', '{}');
      select pg_temp.tried(1, 2, 12, 14.5, 'superseded', null);
      select pg_temp.tried(2, 1, 15.5, 16.5, 'won', '{}');
      select pg_temp.tried(3, 1, 16.5, 17, 'won', '{}');
      """)
    let expected = [
      "opening": 0.5, "reading": 1.25, "compositing": 2, "encoding": 1, "committing": 0.25, "joining": 1, "publishing": 0.5,
      "lost": 1.5, "stopped": 0.5, "paused": 1, "drained": 0.5, "retrying": 1, "no worker": 2, "behind others": 3,
      "handing out": 1,
    ]
    let found = try parts
    #expect(Set(found.keys) == Set(expected.keys))
    for (part, seconds) in expected { #expect(abs((found[part] ?? 0) - seconds) < 1e-6, "\(part): \(found[part] ?? 0)") }

    let why = try bench.farm.why("job")
    #expect(why.kind == .job && why.reasons == ["is done"] && why.time?.map(\.part.rawValue).sorted() == found.keys.sorted())
    #expect(
      why.time?.words.hasPrefix(
        "17 % behind other jobs, 12 % compositing, 12 % no worker that takes work, 9 % attempts whose work was lost, 7 % fetching and decoding"
      )
        == true, "\(why.time?.words ?? "")")
    #expect(try bench.farm.glance(job: "job").time == bench.farm.report(job: "job").time)
  }

  @Test func `tells the store, the quota, needs and priorities that it waited for, and nothing of what was returned`() throws {
    try write(
      """
      update spool.job set state = 'cancelled', submitted_at = pg_temp.at(0), started_at = pg_temp.at(1), ended_at = pg_temp.at(20), parts_left = 1,
        tags = '{gpu}' where id = 'job';
      update spool.job set state = 'cancelled', priority = 5, submitted_at = pg_temp.at(1), started_at = pg_temp.at(12.5), ended_at = pg_temp.at(15)
        where id = 'other';
      insert into spool.history (entity, worker, after, at) values ('worker', 'anna', 'serving', pg_temp.at(0));
      insert into spool.hold (kind, name, since, until) values ('quota', 'tester', pg_temp.at(8), pg_temp.at(10)),
        ('quota', 'somebody', pg_temp.at(0), pg_temp.at(20)), ('needs', 'gpu 0', pg_temp.at(9), pg_temp.at(11)),
        ('needs', 'cuda 0', pg_temp.at(0), pg_temp.at(20));
      select pg_temp.tried(0, 1, 1, 2, 'returned', null);
      select pg_temp.tried(0, 2, 3, 4, 'failed', null);
      update spool.attempt set failure_class = 'store' where number = 2;
      select pg_temp.tried(0, 3, 6, 7, 'won', '{}');
      """)
    let found = try parts
    let expected: [String: Double] = [
      "lost": 1, "store": 2, "rendering": 1, "quota": 2, "no fitting worker": 1, "priority": 2.5, "handing out": 10.5,
    ]
    #expect(Set(found.keys) == Set(expected.keys), "\(found)")
    for (part, seconds) in expected { #expect(abs((found[part] ?? 0) - seconds) < 1e-6, "\(part): \(found[part] ?? 0)") }
    try expectAlike()
    let path = try #require(try bench.farm.why("job").path)
    #expect(abs(path.time.reduce(0) { $0 + $1.seconds } - 20) < 1e-6)
    #expect(!path.stretches.contains { $0.began == 1 && $0.worker != nil }, "what was returned is no part of the path")
    let paper = try bench.farm.paper(job: "job")
    #expect(paper.contains("class=\"returned\"") && paper.ranges(of: "class=\"lost\"").count == 1)
  }

  @Test func `in words is rounded to shares of a hundred, where most was lost by rounding`() {
    let shares = [JobTimeShare(.opening, 2.33), JobTimeShare(.reading, 4.32), JobTimeShare(.encoding, 3.35)]
    #expect(shares.words == "43 % fetching and decoding, 34 % encoding, 23 % preparing chunks")
    #expect([JobTimeShare]().words == "")
  }

  @Test func `is rendering while no attempt has told its parts, and goes on until now`() throws {
    try bench.start()
    #expect(try bench.claim().count == 2)
    let found = try parts
    #expect(found["rendering"] != nil && found.keys.allSatisfy { ["rendering", "handing out", "no worker"].contains($0) })
  }

  /// Rows of any kind: attempts that overlap and end in any way, pauses, workers that come and go, other jobs.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `adds up to the time from submission to end, whatever happened`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<10 {
      func moment() -> Double { Double(Int.random(in: 0...24_000, using: &random)) / 1000 }
      var statements = ["delete from spool.attempt;"]
      statements.append(
        """
        update spool.job set state = 'cancelled', submitted_at = pg_temp.at(2), ended_at = pg_temp.at(22), parts_left = 2 where id = 'job';
        update spool.job set state = 'cancelled', submitted_at = pg_temp.at(0), started_at = pg_temp.at(\(moment())), ended_at = pg_temp.at(25)
          where id = 'other';
        """)
      for place in 0..<4 {
        for number in 1...Int.random(in: 1...4, using: &random) {
          let (one, other) = (moment(), moment())
          let outcome = number == 1 ? "won" : ["failed", "superseded", "cancelled", "returned"].randomElement(using: &random)!
          func part() -> Int { Int.random(in: 0...9_000, using: &random) }
          let parts =
            #"{"milliseconds": {"opening": \#(part()), "reading": \#(part()), "compositing": \#(part()), "encoding": \#(part())}}"#
          statements.append(
            "select pg_temp.tried(\(place), \(number), \(min(one, other)), \(max(one, other)), '\(outcome)', '\(parts)');")
        }
      }
      for state in ["queued", "failed", "queued (paused)", "running", "cancelled", "running (paused)"]
      where Bool.random(using: &random) {
        statements.append(
          "insert into spool.history (entity, job, after, at) values ('job', 'job', '\(state)', pg_temp.at(\(moment())));")
      }
      for state in ["serving", "retired", "serving (drained)", "serving"] {
        statements.append(
          "insert into spool.history (entity, worker, after, at) values ('worker', 'anna', '\(state)', pg_temp.at(\(moment())));")
      }
      statements.append("insert into spool.history (entity, after, at) values ('farm', 'drained', pg_temp.at(\(moment())));")
      statements.append(
        "update spool.job set tags = '{gpu}', priority = \(Int.random(in: -1...1, using: &random)) where id = 'job';")
      for name in ["'quota', 'tester'", "'needs', 'gpu 0'"] {
        let (one, other) = (moment(), moment())
        statements.append(
          "delete from spool.hold where (kind, name) = (\(name)); insert into spool.hold (kind, name, since, until) values (\(name), "
            + "pg_temp.at(\(min(one, other))), pg_temp.at(\(max(one, other))));")
      }
      try write(statements.joined(separator: "\n"))
      let found = try bench.ledger.time(job: "job")
      #expect(abs(found.reduce(0) { $0 + $1.seconds } - 20) < 1e-6)
      #expect(found.allSatisfy { $0.seconds > 0 })
      #expect(
        found.words.split(separator: ", ").compactMap { Int($0.prefix { $0.isNumber }) }.reduce(0, +) == 100, "\(found.words)")
      #expect(Set(found.map(\.part)).count == found.count)
      try expectAlike()
    }
  }

  /// Compares the parts of each task's time in the view chunk_time with those that `why` tells, which is another program.
  private func expectAlike() throws {
    let parts = Statement("parts", "select part, seconds from spool.chunk_time where task = $1 order by 1")
    for task in try bench.ledger.tasks(job: "job") {
      let told = try #require(try bench.farm.why("\(task.id)").time)
      let viewed = try Connection(url: bench.database, applicationName: "test").query(parts, [.integer(task.id)]).map {
        (part: try $0.value("part", as: String.self), seconds: try $0.value("seconds", as: Double.self))
      }
      let (sums, whole) = (viewed.reduce(0) { $0 + $1.seconds }, told.reduce(0) { $0 + $1.seconds })
      #expect(abs(sums - whole) < 1e-5, "\(task.kind): \(sums) of \(whole)")
      let others = Dictionary(uniqueKeysWithValues: told.map { ($0.part.rawValue, $0.seconds) })
      for part in Set(viewed.map(\.part)).union(others.keys) {
        let (one, other) = (viewed.first { $0.part == part }?.seconds ?? 0, others[part] ?? 0)
        #expect(abs(one - other) < 1e-5, "\(task.kind), \(part): \(one) in the view, \(other) told")
      }
    }
  }
}
