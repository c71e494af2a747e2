import FarmTesting
import FoundationEssentials
import Ledger
import Messages
import Operations
import Testing

@Suite struct `Changes of a job` {
  @Test func `a job is paused, resumed, given a priority and cancelled, and says so`() throws {
    let bench = try FarmBench()
    try bench.submit()
    #expect(try bench.farm.steer(job: "job", .pause).isPaused)
    #expect(try !bench.farm.steer(job: "job", .resume).isPaused)
    #expect(try bench.farm.steer(job: "job", .prioritise(level: 7)).priority == 7)
    let cancelled = try bench.farm.steer(job: "job", .cancel)
    #expect(cancelled.state == .cancelled && !cancelled.isQueuedAgain)
    #expect(try bench.farm.steer(job: "job", .cancel) == cancelled, "asked twice, it has the same effect")
  }

  @Test func `a cancelled job is queued again, and to another file if that is wished`() throws {
    let folder = TemporaryDirectory()
    let bench = try FarmBench()
    try bench.submit()
    _ = try bench.farm.steer(job: "job", .cancel)
    let again = try bench.farm.steer(job: "job", .retry())
    #expect(again.state == .queued && again.isQueuedAgain && again.output == "/out/job.mp4")
    let moved = try bench.farm.steer(job: "job", .retry(output: folder.file("new.mp4")))
    #expect(moved.output == folder.file("new.mp4") && !moved.isQueuedAgain, "it had not ended")
  }

  @Test func `a change that comes too late is refused, with the state that the job is in`() throws {
    let bench = try FarmBench()
    try bench.submit()
    let early = try #require(try complaint { _ = try bench.farm.steer(job: "job", .retry()) })
    #expect(early.exit == .differs && early.faults == ["job: is queued"])
    try bench.finish("job")
    for change in [JobSteering.pause, .resume, .prioritise(level: 1), .retry()] {
      let late = try #require(try complaint { _ = try bench.farm.steer(job: "job", change) })
      #expect(late.exit == .differs && late.faults == ["job: is done"])
    }
    let late = try #require(try complaint { _ = try bench.farm.steer(job: "job", .cancel) })
    #expect(late.exit == .differs && late.faults == ["job: has ended: done"])
  }

  @Test(arguments: [JobSteering.cancel, .pause, .resume, .prioritise(level: 1), .retry(), .retry(output: "/tmp/a.mp4")])
  func `a job that is not there is missing, whatever is to be done with it`(change: JobSteering) throws {
    let missing = try #require(try complaint { _ = try FarmBench().farm.steer(job: "nope", change) })
    #expect(missing.exit == .noInput && missing.faults == ["nope: no such job"])
    #expect(try JSONDecoder().decode(JobSteering.self, from: JSONEncoder().encode(change)) == change)
  }

  @Test func `a priority beyond the bounds, and an output that cannot be, are refused before the database is asked`() throws {
    let bench = try FarmBench()
    try bench.submit()
    #expect(try complaint { _ = try bench.farm.steer(job: "job", .prioritise(level: 1001)) }?.exit == .usage)
    #expect(try complaint { _ = try bench.farm.steer(job: "job", .retry(output: "/nonexistent/a.mp4")) }?.exit == .cannotCreate)
    #expect(try bench.farm.report(job: "job").job.output == "/out/job.mp4")
  }
}

@Suite struct `Shares and drains` {
  @Test func `a share is changed in part, and set back as a whole`() throws {
    let bench = try FarmBench()
    try bench.submit(submitter: "ana")
    try bench.submit("other", submitter: "ben")
    var request = SharesRequest(submitter: "ana")
    (request.weight, request.slots) = (3, .atMost(20))
    let changed = try bench.farm.shares(request).submitters
    #expect(changed.map(\.name) == ["ana"] && changed.first?.weight == 3 && changed.first?.slots == 20)
    (request.weight, request.slots) = (nil, .unlimited)
    #expect(try JSONDecoder().decode(SharesRequest.self, from: JSONEncoder().encode(request)) == request)
    let unlimited = try bench.farm.shares(request).submitters
    #expect(unlimited.first?.weight == 3 && unlimited.first?.slots == nil)
    (request.slots, request.resets) = (nil, true)
    #expect(try bench.farm.shares(request).submitters.first?.weight == 1)
    #expect(try bench.farm.shares(SharesRequest()).submitters.map(\.name) == ["ana", "ben"])
  }

  @Test func `a submitter who is not known is entered only where that is asked for`() throws {
    let bench = try FarmBench()
    var request = SharesRequest(submitter: "carl")
    request.weight = 2
    #expect(try complaint { _ = try bench.farm.shares(request) }?.exit == .noInput)
    request.entersNew = true
    #expect(try bench.farm.shares(request).submitters.map(\.weight) == [2])
    for name in ["", "a\u{94}b", "a\nb", String(repeating: "n", count: 256)] {
      request.submitter = name
      let refused = try #require(try complaint { _ = try bench.farm.shares(request) })
      #expect(refused.exit == .usage && refused.told.first?.path == "submitter")
    }
  }

  @Test func `a change of nobody's share, and a reset with a weight, contradict themselves`() throws {
    let bench = try FarmBench()
    var request = SharesRequest()
    request.weight = 2
    #expect(try complaint { _ = try bench.farm.shares(request) }?.told.first?.path == "submitter")
    (request.submitter, request.resets) = ("ana", true)
    let both = try #require(try complaint { _ = try bench.farm.shares(request) })
    #expect(both.exit == .usage && both.told.first?.path == "resets")
    (request.resets, request.weight) = (false, 1001)
    #expect(try complaint { _ = try bench.farm.shares(request) }?.exit == .usage)
  }

  @Test func `a worker or the farm is drained and given work again`() throws {
    let bench = try FarmBench()
    try bench.start()
    let worker = Drainage(worker: "anna", isDrained: true)
    #expect(try bench.farm.drain(worker) == worker)
    #expect(try bench.farm.report(JobFilter()).workers.first?.state == "drained")
    _ = try bench.farm.drain(Drainage(worker: nil, isDrained: true))
    #expect(try bench.farm.report(JobFilter()).farm.drainedAt != nil)
    _ = try bench.farm.drain(Drainage(worker: nil, isDrained: false))
    #expect(try bench.farm.report(JobFilter()).farm.drainedAt == nil)
    let missing = try #require(try complaint { _ = try bench.farm.drain(Drainage(worker: "nobody", isDrained: true)) })
    #expect(missing.exit == .noInput && missing.faults == ["nobody: no such worker"])
  }
}
