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
    #expect(plan.chunks.map(\.frames.count) == [10, 10, 5] && plan.chunks.map(\.start) == [0, 0.4, 0.8])
    #expect(plan.comparison == nil && plan.chunks.allSatisfy { $0.isFound == nil })
    #expect(abs(plan.coreSeconds - plan.chunks.reduce(0) { $0 + $1.coreSeconds }) < 1e-9 && plan.seconds > plan.coreSeconds)
    #expect(try JSONDecoder().decode(PlannedJob.self, from: JSONEncoder().encode(plan)) == plan)
    #expect(try bench.farm.report(JobFilter()).jobs.isEmpty)
    for _ in 0..<2 { #expect(try bench.farm.submit(request, reading: edit.media) { _ in }.job == "key") }
    #expect(try bench.farm.report(JobFilter()).jobs.count == 1)
    request.output = edit.path("other.mkv")
    let other = try #require(try complaint { _ = try bench.farm.submit(request, reading: edit.media) { _ in } })
    #expect(other.exit == .differs && other.told.first?.path == "id")
    #expect(try bench.farm.report(job: "key").job.output == edit.movie)
  }

  @Test func `a request that is sent again finds its job also when the movie is there, which it would not replace`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    var request = SubmitRequest(document: edit.document, output: edit.movie)
    (request.id, request.submitter, request.overwrites) = ("key", "ana", false)
    #expect(try bench.farm.submit(request, reading: edit.media) { _ in }.job == "key")
    #expect(try bench.ledger.spec(job: "key")?.overwrites == false)
    try Data("a movie".utf8).write(to: URL(filePath: edit.movie))
    #expect(try bench.farm.submit(request, reading: edit.media) { _ in }.job == "key")
    request.id = "other"
    #expect(try complaint { _ = try bench.farm.submit(request, reading: edit.media) { _ in } }?.exit == .cannotCreate)
    #expect(try bench.farm.report(JobFilter()).jobs.map(\.id) == ["key"])
  }

  @Test func `a plan needs no place for its movie, and a job does`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    var request = SubmitRequest(document: edit.document, output: "")
    let plan = try bench.farm.plan(request, reading: edit.media)
    #expect(plan.output == nil && plan.frameCount == 25 && plan.comparison == nil && plan.warnings == [])
    #expect(try JSONDecoder().decode(PlannedJob.self, from: JSONEncoder().encode(plan)) == plan)
    let here = try edit.media.plan(RenderRequest(document: edit.document, output: ""), data: nil)
    #expect(here.output == nil && here.frameCount == 25)
    #expect(try complaint { _ = try bench.farm.submit(request, reading: edit.media) { _ in } } != nil)
    request.copies = [edit.movie]
    #expect(try complaint { _ = try bench.farm.plan(request, reading: edit.media) }?.exit == .usage)
  }

  @Test func `a plan on more slots ends sooner, and costs as much`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    var request = SubmitRequest(document: edit.document, output: edit.movie)
    request.chunkFrames = 1
    func plan(_ slots: Int) throws -> PlannedJob {
      request.slots = slots
      return try bench.farm.plan(request, reading: edit.media)
    }
    let (one, five, many) = (try plan(1), try plan(5), try plan(1000))
    let tail = many.seconds - (many.chunks.map(\.coreSeconds).max() ?? 0)
    #expect(one.slots == 1 && abs(one.seconds - tail - one.coreSeconds) < 1e-9)
    #expect(five.coreSeconds == one.coreSeconds && abs((five.seconds - tail) * 5 - one.coreSeconds) < one.coreSeconds * 0.05)
  }

  @Test func `a plan and a job are compared with the job that rendered the movie before`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    var request = SubmitRequest(document: edit.document, output: edit.movie)
    (request.submitter, request.chunkFrames) = ("ana", 10)
    let first = try bench.farm.submit(request, reading: edit.media) { _ in }.job
    try bench.run("update spool.task set state = 'done', attempts = 1 where kind = 'picture' and first_frame < 20")
    try bench.finish(first)

    let same = try bench.farm.plan(request, reading: edit.media)
    #expect(same.comparison?.job == first && same.comparison?.sameChunks == 2 && same.comparison?.changes == [])
    #expect(
      same.chunks.map(\.finding?.kind) == [.same, .same, .unfinished] && same.chunks.map(\.isFound) == [true, true, false])

    let layer = ##""layers": [{"shape": "rectangle", "frame": [4, 4, 9, 9], "fillColor": "#ff0000", "from": "0.5"}], "export""##
    try edit.write(EditBench.document.replacing(#""export""#, with: layer), as: "layer.json")
    request.document = edit.path("layer.json")
    let changed = try bench.farm.plan(request, reading: edit.media)
    #expect(changed.comparison?.changes.map(\.text) == ["layers: 1 element, new"])
    #expect(changed.chunks.map(\.finding?.kind) == [.same, .frame, .frame])
    // Half a second is twelve and a half frames.
    #expect(changed.chunks.map(\.finding?.frame) == [nil, 13, 20])
    #expect(changed.chunks[1].finding?.changes.isEmpty == false && changed.coreSeconds < same.coreSeconds * 3)

    let second = try bench.farm.submit(request, reading: edit.media) { _ in }.job
    let compared = try bench.farm.compare(job: second, with: nil)
    #expect(compared.comparison == changed.comparison && compared.chunks.map(\.finding) == changed.chunks.map(\.finding))
    #expect(try JSONDecoder().decode(ComparedJob.self, from: JSONEncoder().encode(compared)) == compared)
    #expect(try bench.farm.compare(job: first, with: second).comparison.changes.map(\.text) == ["layers: gone, was 1 element"])
    #expect(try complaint { _ = try bench.farm.compare(job: first, with: nil) }?.exit == .noInput)
    #expect(try complaint { _ = try bench.farm.compare(job: "none", with: nil) }?.exit == .noInput)
    request.against = "none"
    #expect(try complaint { _ = try bench.farm.plan(request, reading: edit.media) }?.exit == .noInput)
    // Somebody else's job for the same movie is not compared with.
    (request.against, request.submitter) = (nil, "ben")
    #expect(try bench.farm.plan(request, reading: edit.media).comparison == nil)
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

  @Test func `chunks that run go on where the new edit has them, and its own wait for them`() throws {
    let (edit, bench) = (try EditBench(), try FarmBench())
    try bench.start(ahead: 128)
    func submit(_ document: String, replacing former: String? = nil) throws -> String {
      var request = SubmitRequest(document: document, output: edit.movie)
      (request.chunkFrames, request.submitter, request.replaces) = (10, "ana", former)
      return try bench.farm.submit(request, reading: edit.media) { _ in }.job
    }
    func states(_ job: String) throws -> [TaskState] { try bench.farm.report(job: job).tasks.prefix(3).map(\.state) }
    let first = try submit(edit.document)
    let orders = try bench.claim()
    #expect(orders.map(\.work) == [.picture(FrameRange(first: 0, count: 10)), .picture(FrameRange(first: 10, count: 10))])
    // From frame 12 on another part of the clip is shown.
    let cut = [12, 13].map { #"{"asset": "clip", "source": {"start": "0", "duration": "\#($0)/25"}}"# }.joined(separator: ", ")
    let whole = #"{"asset": "clip", "source": {"start": "0", "duration": "1"}}"#
    try edit.write(EditBench.document.replacing(whole, with: cut), as: "cut.json")
    let second = try submit(edit.path("cut.json"), replacing: first)
    #expect(try states(first) == [.running, .cancelled, .cancelled] && states(second) == [.waiting, .ready, .ready])
    try bench.start(ahead: 128)
    #expect(try bench.farm.why(second).reasons.contains { $0.contains("job \(first), which was replaced, still makes the same") })
    #expect(try bench.farm.why(first).reasons.first?.hasPrefix("is cancelled; 1 of its attempts goes on") == true)
    // The first edit comes back while its chunk still runs.
    let third = try submit(edit.document, replacing: second)
    #expect(try states(first)[0] == .running && states(third) == [.waiting, .ready, .ready])
    // A submitter does not find what others made.
    var request = SubmitRequest(document: edit.document, output: edit.movie)
    (request.chunkFrames, request.submitter, request.replaces) = (10, "ben", third)
    let fourth = try bench.farm.submit(request, reading: edit.media) { _ in }.job
    #expect(try states(first)[0] == .cancelled && states(fourth) == [.ready, .ready, .ready])
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
