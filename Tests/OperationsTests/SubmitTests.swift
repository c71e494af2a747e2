import Document
import FarmTesting
import FoundationEssentials
import Ledger
import MediaTime
import Messages
import Operations
import Testing

@Suite struct `The submit operation` {
  @Test func `an edit becomes a job, with the chunks and the wishes that were asked for`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    try bench.start(tags: ["gpu"])
    var request = SubmitRequest(document: edit.document, output: edit.movie)
    (request.chunkFrames, request.priority, request.tags, request.submitter) = (10, 5, ["gpu"], "ana")
    #expect(try JSONDecoder().decode(SubmitRequest.self, from: JSONEncoder().encode(request)) == request)
    let job = try bench.farm.submit(request, reading: edit.media) { _ in }
    #expect(job.frameCount == 25 && job.chunkCount == 3 && job.output == edit.movie && job.warnings == [])
    let report = try bench.farm.report(job: job.job)
    #expect(report.job.priority == 5 && report.job.submitter == "ana")
    #expect(report.tasks.compactMap(\.frames?.count) == [10, 10, 5])
    #expect(try JSONDecoder().decode(SubmittedJob.self, from: JSONEncoder().encode(job)) == job)
  }

  @Test func `a farm without workers is warned about, in the result and at once`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    var told: [FaultRecord] = []
    let request = SubmitRequest(document: edit.document, output: edit.movie)
    let job = try bench.farm.submit(request, reading: edit.media) { warning in told.append(warning) }
    #expect(told == job.warnings && told.map(\.path) == [edit.movie] && told.map(\.kind) == ["output"])
    #expect(try bench.farm.report(job: job.job).job.submitter.contains("@"))
  }

  @Test func `what cannot be rendered, or written, is refused before the database is asked`() throws {
    let edit = try EditBench()
    let nowhere = Farm { () throws(Complaint) in throw Complaint("database", "is asked", .unavailable) }
    func refusal(_ request: SubmitRequest) throws -> Complaint? {
      try complaint { _ = try nowhere.submit(request, reading: edit.media) { _ in } }
    }
    let good = SubmitRequest(document: edit.document, output: edit.movie)
    #expect(try refusal(good)?.exit == .unavailable)
    var request = good
    request.output = edit.path("movie.mp4")
    #expect(try refusal(request)?.exit == .usage, "the name promises another kind of file")
    request = good
    request.output = edit.path("clip.mkv")
    #expect(try refusal(request)?.exit == .cannotCreate, "it is the edit's own clip")
    request = good
    request.document = edit.path("none.json")
    #expect(try refusal(request)?.exit == .noInput)
    try edit.write(EditBench.document.replacing("clip.mkv", with: "lost.mkv"), as: "lost.json")
    request.document = edit.path("lost.json")
    let lost = try #require(try refusal(request))
    #expect(lost.exit == .noInput && FailureRecord(lost).asset == "clip")
    try edit.write(EditBench.document.replacing("\"1\"}", with: "\"2\"}"), as: "long.json")
    request.document = edit.path("long.json")
    #expect(try refusal(request)?.exit == .badDocument)
  }

  @Test func `a plan enters nothing, and a request with an id that is sent again enters no second job`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    var request = SubmitRequest(document: edit.document, output: edit.movie)
    (request.id, request.submitter, request.chunkFrames) = ("key", "ana", 10)
    let plan = try bench.farm.plan(request, reading: edit.media)
    #expect(plan.chunkCount == 3 && plan.frameCount == 25 && plan.output == edit.movie)
    #expect(try bench.farm.report(JobFilter()).jobs.isEmpty)
    for _ in 0..<2 { #expect(try bench.farm.submit(request, reading: edit.media) { _ in }.job == "key") }
    #expect(try bench.farm.report(JobFilter()).jobs.count == 1)
    request.output = edit.path("other.mkv")
    let other = try #require(try complaint { _ = try bench.farm.submit(request, reading: edit.media) { _ in } })
    #expect(other.exit == .differs && other.told.first?.path == "id")
    #expect(try bench.farm.report(job: "key").job.output == edit.movie)
  }

  @Test func `values beyond their bounds are refused by their names`() throws {
    let edit = try EditBench()
    let farm = Farm { () throws(Complaint) in throw Complaint("database", "is asked", .unavailable) }
    let wrong: [(String, (inout SubmitRequest) -> Void)] = [
      ("chunkFrames", { $0.chunkFrames = 0 }), ("slots", { $0.slots = 100_001 }), ("priority", { $0.priority = -1001 }),
      ("memory", { $0.memory = 0 }), ("tags", { $0.tags = ["a b"] }), ("submitter", { $0.submitter = "" }),
    ]
    for (name, spoil) in wrong {
      var request = SubmitRequest(document: edit.document, output: edit.movie)
      spoil(&request)
      let refused = try #require(try complaint { _ = try farm.submit(request, reading: edit.media) { _ in } })
      #expect(refused.exit == .usage && refused.told.first?.path == name)
    }
  }

  @Test func `a movie that another job is to write is taken`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    try bench.submit("first", output: edit.movie)
    let request = SubmitRequest(document: edit.document, output: edit.movie)
    let taken = try #require(try complaint { _ = try bench.farm.submit(request, reading: edit.media) { _ in } })
    #expect(taken.exit == .cannotCreate && taken.faults.first?.contains("job first") == true)
  }

  @Test func `a job that another one replaces is cancelled, once the new edit was found good`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    try bench.submit("first", output: edit.movie)
    func submit(_ document: String, replacing job: String) throws -> SubmittedJob {
      var request = SubmitRequest(document: document, output: edit.movie)
      request.replaces = job
      return try bench.farm.submit(request, reading: edit.media) { _ in }
    }
    func state(_ job: String) throws -> JobState { try bench.farm.report(job: job).job.state }
    try edit.write(EditBench.document.replacing("\"1\"}", with: "\"2\"}"), as: "long.json")
    #expect(try complaint { _ = try submit(edit.path("long.json"), replacing: "first") }?.exit == .badDocument)
    #expect(try complaint { _ = try submit(edit.document, replacing: "none") }?.exit == .noInput)
    #expect(try state("first") == .queued)
    let second = try submit(edit.document, replacing: "first")
    #expect(try state("first") == .cancelled && state(second.job) == .queued)
    // A job that has ended is left as it is.
    let other = SubmitRequest(document: edit.document, output: edit.path("other.mkv"))
    var third = other
    third.replaces = "first"
    _ = try bench.farm.submit(third, reading: edit.media) { _ in }
    #expect(try state(second.job) == .queued)
  }

  @Test func `what is asked for beside a document is in its job`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    var request = SubmitRequest(document: edit.document, output: edit.movie)
    request.wish.timeRange = try MediaTimeRange(start: MediaTime(1, 5), end: MediaTime(3, 5))
    request.wish.renderScale = 0.5
    let job = try bench.farm.submit(request, reading: edit.media) { _ in }
    #expect(job.frameCount == 10)
    let spec = try #require(try bench.ledger.spec(job: job.job))
    #expect(spec.document.contains(##""renderScale":0.5"##), "\(spec.document)")
  }
}
