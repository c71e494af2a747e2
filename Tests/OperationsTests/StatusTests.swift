import FarmTesting
import FoundationEssentials
import Ledger
import Messages
import Operations
import Testing

@Suite struct `The status operation` {
  @Test func `a farm is reported with its coordinators, workers and jobs, and what its jobs wait for`() throws {
    let bench = try FarmBench()
    let empty = try bench.farm.report(JobFilter())
    #expect(!empty.farm.isLed && empty.jobs.isEmpty && empty.workers.isEmpty)
    try bench.start()
    try bench.submit()
    let report = try bench.farm.report(JobFilter())
    #expect(report.farm.isLed && report.farm.jobsQueued == 1 && report.workers.map(\.name) == ["anna"])
    #expect(report.jobs.map(\.id) == ["job"])
    #expect(report.jobs.first?.secondsLeft ?? 0 > 0, "a worker is there, so it is foreseen")
    #expect(empty.farm.workersAlive == 0 && report.farm.workersAlive == 1)
  }

  @Test func `jobs are chosen by state and submitter, the newest that ended last, as many as were asked for`() throws {
    let bench = try FarmBench()
    for (id, submitter) in [("a", "ana"), ("b", "ben"), ("c", "ana"), ("d", "ana")] { try bench.submit(id, submitter: submitter) }
    _ = try bench.ledger.cancel(job: "c")
    func jobs(_ filter: JobFilter) throws -> [String] { try bench.farm.report(filter).jobs.map(\.id) }
    #expect(try jobs(JobFilter()) == ["a", "b", "d", "c"])
    #expect(try jobs(JobFilter(submitter: "ana")) == ["a", "d", "c"])
    #expect(try jobs(JobFilter(states: [.cancelled])) == ["c"])
    #expect(try jobs(JobFilter(limit: 2)) == ["a", "b"])
    try bench.run("update spool.job set ended_at = ended_at - interval '1 hour' where id = 'c'")
    #expect(try jobs(JobFilter(submitter: "ana", seconds: 60)) == ["a", "d"])
  }

  @Test func `a job is reported with its tasks, and with its trouble while it is being retried`() throws {
    let bench = try FarmBench()
    try bench.start()
    try bench.submit()
    #expect(try bench.farm.report(job: "job").trouble == nil)
    let order = try #require(try bench.claim().first)
    _ = try bench.ledger.fail(order.key, worker: "anna", epoch: "1", Failure(.transient, at: "place", "reason"))
    let report = try bench.farm.report(job: "job")
    #expect(report.job.state == .running && report.tasks.map(\.kind) == [.picture, .picture, .mux, .publish])
    #expect(report.trouble?.contains("\(order.key.task)") == true && report.trouble?.contains("place: reason") == true)
  }

  @Test func `reports are values: they come back from their JSON as they were`() throws {
    let bench = try FarmBench()
    try bench.start(tags: ["gpu"])
    try bench.submit()
    let (report, job) = (try bench.farm.report(JobFilter()), try bench.farm.report(job: "job"))
    #expect(try JSONDecoder().decode(FarmReport.self, from: JSONEncoder().encode(report)) == report)
    #expect(try JSONDecoder().decode(JobReport.self, from: JSONEncoder().encode(job)) == job)
  }

  @Test func `a job that is not there is missing, and a database that is not there is unavailable`() throws {
    let bench = try FarmBench()
    let missing = try #require(try complaint { _ = try bench.farm.report(job: "nope") })
    #expect(missing.exit == .noInput && missing.faults == ["nope: no such job"])
    let away = Farm { "host=/nonexistent dbname=farm" }
    #expect(try complaint { _ = try away.report(JobFilter()) }?.exit == .unavailable)
  }
}

@Suite struct `The why operation` {
  @Test func `where nobody leads, a job and a worker are told that before anything else`() throws {
    let bench = try FarmBench()
    try bench.submit()
    let why = try bench.farm.why("job")
    #expect(why.kind == .job && why.reasons.count == 2)
    #expect(why.reasons.first == "is queued, 0 of 2 chunks done")
    #expect(why.reasons.last?.hasPrefix("no coordinator leads") == true)
  }

  @Test func `the tasks of a job are counted with the reason that they wait for`() throws {
    let bench = try FarmBench()
    try bench.start()
    try bench.submit()
    #expect(try bench.ledger.drain(worker: "anna", true))
    #expect(
      try bench.farm.why("job").reasons == [
        "is queued, 0 of 2 chunks done", "2 chunks wait: the workers that could take it are given nothing: anna (drained)",
      ])
    #expect(try bench.ledger.drain(worker: "anna", false))
    #expect(try bench.claim().count == 2)
    #expect(try bench.farm.why("job").reasons == ["is running, 0 of 2 chunks done, 2 tasks run; nothing waits for a worker"])
  }

  @Test func `a worker that is slow beside others is named with its share of the critical path, and its record is listed`() throws
  {
    let bench = try FarmBench()
    try bench.start()
    try bench.submit()
    let order = try #require(try bench.claim().first)
    #expect(try bench.farm.why("job").slow == nil)
    try bench.run(
      """
      insert into spool.pace (kind, name, pace, result_count) values ('worker', 'anna', 2.5, 3);
      update spool.attempt set started_at = started_at - interval '10 seconds';
      update spool.job set submitted_at = submitted_at - interval '10 seconds', started_at = started_at - interval '10 seconds'
      """)
    let why = try bench.farm.why("job")
    let slow = try #require(why.slow?.first)
    #expect(slow.worker == "anna" && slow.pace == 2.5 && slow.seconds > 9)
    #expect(try JSONDecoder().decode(Explanation.self, from: JSONEncoder().encode(why)) == why)
    let worker = try #require(try bench.farm.workers().first)
    #expect(worker.pace == 2.5 && worker.jobs == ["job"] && worker.failuresLastHour == 0)
    _ = try bench.ledger.fail(order.key, worker: "anna", epoch: "1", Failure(.worker, at: "place", "reason"))
    #expect(try bench.farm.workers().first?.failuresLastHour == 1)
    // Two results say nothing yet.
    try bench.run("update spool.pace set result_count = 2")
    #expect(try bench.farm.workers().first?.pace == nil && bench.farm.why("job").slow == nil)
  }

  @Test func `the time until nothing is left to do is foreseen, and is nothing where nothing waits`() throws {
    let bench = try FarmBench()
    #expect(try bench.farm.report(JobFilter()).secondsLeft == 0)
    try bench.submit()
    #expect(try bench.farm.report(JobFilter()).secondsLeft == nil, "nobody leads")
    try bench.start()
    try bench.submit("second")
    let report = try bench.farm.report(JobFilter(limit: 1))
    #expect(try report.secondsLeft == bench.farm.report(JobFilter()).jobs.compactMap(\.secondsLeft).max())
    #expect(report.jobs.count == 1 && report.secondsLeft ?? 0 > 0)
  }

  @Test func `a paused job says how to go on, and one that has ended says how`() throws {
    let bench = try FarmBench()
    try bench.start()
    try bench.submit()
    _ = try bench.ledger.change(job: "job", .pause)
    let reasons = try bench.farm.why("job").reasons
    #expect(reasons.count == 1 && reasons[0].hasPrefix("is paused since ") && reasons[0].hasSuffix(" (spool resume job)"))
    _ = try bench.ledger.cancel(job: "job")
    #expect(try bench.farm.why("job").reasons == ["is cancelled"])
  }

  @Test func `a task is found by its number, and a worker by its name`() throws {
    let bench = try FarmBench()
    try bench.start()
    try bench.submit()
    let task = try #require(try bench.claim().first).key.task
    let why = try bench.farm.why("\(task)")
    #expect(why.kind == .task)
    #expect(why.reasons[0].hasPrefix("of job does not wait: it is running on anna; its last progress was "))
    let worker = try bench.farm.why("anna")
    #expect(worker.kind == .worker && worker.reasons[0].hasPrefix("is given nothing new: "))
    #expect(try JSONDecoder().decode(Explanation.self, from: JSONEncoder().encode(worker)) == worker)
  }

  @Test func `what is neither job nor task nor worker is missing`() throws {
    let bench = try FarmBench()
    let missing = try #require(try complaint { _ = try bench.farm.why("4711") })
    #expect(missing.exit == .noInput && missing.faults == ["4711: no such job, task or worker"])
  }
}
