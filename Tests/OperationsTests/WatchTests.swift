import Ledger
import Messages
import Operations
import Testing

@Suite struct `The watch operation` {
  private struct Enough: Error {}

  @Test func `jobs are watched until all have ended, and the first that is not done is the complaint`() throws {
    let bench = try FarmBench()
    for id in ["a", "b"] { try bench.submit(id) }
    var seen: [[JobState]] = []
    let ended = try bench.farm.watch(WatchRequest(jobs: ["b", "a"], pause: .milliseconds(1)), Interruption()) { sight in
      guard case .jobs(let jobs) = sight else { throw Enough() }
      seen.append(jobs.map(\.state))
      _ = try bench.ledger.cancel(job: seen.count == 1 ? "a" : "b")
    }
    #expect(ended?.map(\.id) == ["b", "a"])
    #expect(seen == [[.queued, .queued], [.queued, .cancelled], [.cancelled, .cancelled]])
    let complaint = try #require(ended?.first?.complaint)
    #expect(complaint.exit == .interrupted && complaint.faults == ["b: the job was cancelled"])
  }

  @Test func `a failed job's complaint is its failure's, and a job that is done has none`() throws {
    let bench = try FarmBench()
    try bench.start()
    try bench.submit()
    let order = try #require(try bench.claim().first)
    _ = try bench.ledger.fail(order.key, worker: "anna", epoch: "1", Failure(.content, at: "assets.sea", "is no medium"))
    let ended = try bench.farm.watch(WatchRequest(jobs: ["job"], pause: .milliseconds(1)), Interruption()) { _ in }
    let complaint = try #require(ended?.first?.complaint)
    #expect(complaint.exit == .badDocument && complaint.faults == ["assets.sea: is no medium"])
    var done = try #require(ended?.first)
    (done.state, done.failure) = (.done, nil)
    #expect(done.complaint == nil)
  }

  @Test func `the farm is watched until somebody has seen enough, with the chosen jobs alone`() throws {
    let bench = try FarmBench()
    for (id, submitter) in [("a", "ana"), ("b", "ben")] { try bench.submit(id, submitter: submitter) }
    var looks = 0
    #expect(throws: Enough.self) {
      let request = WatchRequest(filter: JobFilter(submitter: "ben"), pause: .milliseconds(1))
      _ = try bench.farm.watch(request, Interruption()) { sight in
        guard case .farm(let report) = sight, report.jobs.map(\.id) == ["b"] else { return }
        looks += 1
        if looks == 3 { throw Enough() }
      }
    }
    #expect(looks == 3)
  }

  @Test func `a job that is not there is missing, and a database that never answered is not waited for`() throws {
    let bench = try FarmBench()
    let missing = #expect(throws: Complaint.self) {
      _ = try bench.farm.watch(WatchRequest(jobs: ["nope"]), Interruption()) { _ in }
    }
    #expect(missing?.exit == .noInput)
    let away = #expect(throws: Complaint.self) {
      _ = try Farm { "host=/nonexistent dbname=farm" }.watch(WatchRequest(), Interruption()) { _ in }
    }
    #expect(away?.exit == .unavailable)
  }
}
