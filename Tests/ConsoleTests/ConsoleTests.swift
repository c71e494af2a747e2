import Console
import FarmTesting
import FoundationEssentials
import Ledger
import Messages
import Operations
import Scheduling
import Testing
import WebServer

/// A failure as the API tells it.
private struct Told: Decodable {
  struct Fault: Decodable { let path: String, text: String }

  let status: Int, type: String, faults: [Fault]
}

private struct Listed: Decodable {
  let jobs: [JobStatus]
  let next: String?
}

private struct Outcome: Decodable {
  struct Refused: Decodable { let job: String }

  let isPreview: Bool, count: Int, jobs: [String], refused: [Refused]
}

@Suite(.serialized) struct `The API` {
  @Test func `jobs are listed in pages, by filters`() throws {
    let bench = try ConsoleBench()
    for (id, submitter) in [("a", "ana"), ("b", "ben"), ("c", "ana")] { try bench.submit(id, submitter: submitter) }
    let first = try bench.get("/api/v1/jobs?limit=2").decoded(Listed.self)
    #expect(first.jobs.map(\.id) == ["a", "b"])
    let rest = try bench.get("/api/v1/jobs?limit=2&cursor=\(try #require(first.next))").decoded(Listed.self)
    #expect(rest.jobs.map(\.id) == ["c"] && rest.next == nil)
    #expect(try bench.get("/api/v1/jobs?submitter=ana&state=queued").decoded(Listed.self).jobs.map(\.id) == ["a", "c"])
    #expect(try bench.get("/api/v1/jobs?state=done").decoded(Listed.self).jobs.isEmpty)
    let refused = try bench.get("/api/v1/jobs?state=dnoe").decoded(Told.self)
    #expect(refused.status == 400 && refused.faults.map(\.path) == ["state"])
  }

  @Test func `the tasks of a job are told in pages, which are all of them, each once`() throws {
    let bench = try ConsoleBench()
    for id in ["other", "job"] { try bench.submit(id) }
    let all = try bench.ledger.tasks(job: "job")
    #expect(all.map(\.kind) == [.picture, .picture, .mux, .publish])
    for size in 1...5 {
      var (found, cursor): ([TaskStatus], String?) = ([], nil)
      repeat {
        let page = try bench.get("/api/v1/jobs/job/tasks?limit=\(size)\(cursor.map { "&cursor=\($0)" } ?? "")").decoded(
          JobReport.self)
        #expect(page.tasks.count == min(size, 4 - found.count))
        found += page.tasks
        cursor = page.next
      } while cursor != nil
      #expect(found == all)
    }
    for word in ["limit=0", "limit=10001", "cursor=x", "cursor=-1"] {
      let refused = try bench.get("/api/v1/jobs/job/tasks?\(word)").decoded(Told.self)
      #expect(refused.status == 400 && refused.faults.map(\.path) == [String(word.prefix { $0 != "=" })])
    }
    // A task of another job is no place in this one.
    let other = try #require(try bench.ledger.tasks(job: "other").first)
    #expect(try bench.get("/api/v1/jobs/job/tasks?cursor=\(other.id)").decoded(JobReport.self).tasks.isEmpty)
  }

  @Test func `a job is told with its chunks and its history, and an unknown one is missing`() throws {
    let bench = try ConsoleBench()
    try bench.submit("job")
    let glance = try bench.get("/api/v1/jobs/job").decoded(JobGlance.self)
    #expect(glance.job.chunkCount == 2 && glance.reasons.contains { $0.hasPrefix("no coordinator leads") })
    let chunks = try bench.get("/api/v1/jobs/job/chunks")
    #expect(chunks.body.contains(#""first":[0,10,-1,-1]"#) && chunks.body.contains(#""began":[-1,-1,-1,-1]"#))
    #expect(chunks.body.contains(#""opening":[-1,-1,-1,-1],"reading":[-1,-1,-1,-1],"compositing":[-1,-1,-1,-1]"#))
    let again = try bench.get("/api/v1/jobs/job/chunks", ["If-None-Match": try #require(chunks.headers["etag"])])
    #expect(again.status == 304 && again.body.isEmpty)
    #expect(try bench.get("/api/v1/jobs/job/history").decoded(JobHistory.self).entries.map(\.after).contains("queued"))
    for path in ["", "/chunks", "/history"] { #expect(try bench.get("/api/v1/jobs/none\(path)").status == 404) }
  }

  @Test func `jobs are steered one by one and by a filter, after a preview that changes nothing`() throws {
    let bench = try ConsoleBench()
    for id in ["a", "b", "c"] { try bench.submit(id, submitter: id == "c" ? "ben" : "ana") }
    #expect(try bench.post("/api/v1/jobs/a/steering", #"{"action":"priority","level":7}"#).decoded(SteeredJob.self).priority == 7)
    let order = #""filter":{"submitter":"ana"}}"#
    let preview = try bench.post("/api/v1/steering", #"{"action":"cancel","isPreview":true,"# + order).decoded(Outcome.self)
    #expect(preview.isPreview && Set(preview.jobs) == ["a", "b"])
    #expect(try bench.ledger.status(job: "b")?.state == .queued)
    let done = try bench.post("/api/v1/steering", #"{"action":"cancel","jobs":["a","b","none"]}"#).decoded(Outcome.self)
    #expect(done.count == 3 && done.jobs == ["a", "b"] && done.refused.map(\.job) == ["none"])
    #expect(try bench.ledger.status(job: "b")?.state == .cancelled && bench.ledger.status(job: "c")?.state == .queued)
    let ended = try bench.post("/api/v1/jobs/a/steering", #"{"action":"pause"}"#)
    #expect(ended.status == 409)
    #expect(try bench.post("/api/v1/jobs/c/steering", #"{"action":"explode"}"#).decoded(Told.self).faults.first?.path == "action")
  }

  @Test(arguments: [
    ("steering", #"{"action":"cancel","filter":{"submiter":"ana"}}"#, "filter.submiter"),
    ("steering", #"{"action":"cancel","filters":{"submitter":"ana"}}"#, "filters"),
    ("jobs/a/steering", #"{"action":"cancel","isPreview":true}"#, "body"),
    ("jobs/a/steering", #"{"action":"pause","level":5}"#, "level"),
    ("jobs/a/steering", #"{"action":"cancel","output":"/x.mp4"}"#, "output"),
    ("drainage", #"{"isDrained":true,"wroker":"w"}"#, "wroker"),
    ("shares", #"{"submitter":"tester","wieght":3}"#, "wieght"),
    ("webhooks", #"{"name":"a","url":"http://a.example","submiter":"ana"}"#, "submiter"),
  ])
  func `a key that is wrong, or means nothing there, is refused, and hits nothing else`(path: String, body: String, place: String)
    throws
  {
    let bench = try ConsoleBench()
    try bench.submit("a")
    let refused = try bench.post("/api/v1/\(path)", body).decoded(Told.self)
    #expect(refused.status == 400 && refused.faults.map(\.path) == [place])
    #expect(try bench.ledger.status(job: "a")?.state == .queued && bench.ledger.farm().drainedAt == nil)
    #expect(try bench.ledger.webhooks().isEmpty)
  }

  @Test(arguments: [
    ("GET", "jobs?submiter=ana", ["submiter"]), ("GET", "jobs?limit=2&state=queued&page=2&sort=age", ["page", "sort"]),
    ("GET", "farm?fields=jobs", ["fields"]), ("GET", "audit?refused=true&user=ana", ["user"]),
    ("POST", "jobs?output=/a.mp4&overwite=false", ["overwite"]), ("POST", "plan?outptu=/a.mp4", ["outptu"]),
    ("POST", "drainage?isDrained=true", ["isDrained"]),
  ])
  func `a name in the query that a request has not is refused, as if it hit all`(method: String, path: String, names: [String])
    throws
  {
    let bench = try ConsoleBench()
    try bench.submit("a")
    let refused = try method == "GET" ? bench.get("/api/v1/\(path)") : bench.post("/api/v1/\(path)", #"{"isDrained":true}"#)
    let told = try refused.decoded(Told.self)
    #expect(told.status == 400 && told.faults.map(\.path) == names && told.faults[0].text.hasPrefix("there is no such name"))
    #expect(try bench.ledger.farm().drainedAt == nil)
    // Who watches the server may add what he likes.
    #expect(try bench.get("/healthz?at=7").status == 200 && bench.get("/metrics?format=text").status == 200)
  }

  @Test func `a method that a resource has not is told those that it has, and an empty number is none`() throws {
    let bench = try ConsoleBench()
    for (path, methods) in [("/api/v1/shares", "GET, HEAD, POST"), ("/api/v1/plan", "POST"), ("/nowhere", "GET, HEAD")] {
      let refused = try bench.send("TRACE", path, [:])
      #expect(refused.status == 405 && refused.headers["allow"] == methods)
    }
    for query in ["audit?before=", "deliveries?failed=", "jobs?limit="] {
      #expect(try bench.get("/api/v1/\(query)").status == 400)
    }
  }

  @Test func `the time of the farm's slots is told, of the hours that are asked for`() throws {
    let bench = try ConsoleBench()
    #expect(try bench.get("/api/v1/time?hours=2").decoded(FarmTime.self) == FarmTime(since: nil, time: []))
    try bench.run(
      """
      insert into spool.slot_time (since, part, microseconds, counted_at)
      select date_bin('10 minutes', now() - age, 'epoch'), part, seconds * 1000000, now() - age
      from (values ('nothing queued', interval '0', 30), ('quota', '5 hours', 12)) v (part, age, seconds)
      """)
    let lately = try bench.get("/api/v1/time").decoded(FarmTime.self)
    #expect(lately.time == [JobTimeShare(.unqueued, 30)] && lately.since != nil)
    let today = try bench.get("/api/v1/time?hours=24").decoded(FarmTime.self)
    #expect(today.time == [JobTimeShare(.quota, 12), JobTimeShare(.unqueued, 30)])
    for hours in ["0", "8785", "x"] { #expect(try bench.get("/api/v1/time?hours=\(hours)").status == 400) }
  }

  @Test func `the farm is drained, and shares are changed`() throws {
    let bench = try ConsoleBench()
    try bench.submit("job", submitter: "ana")
    #expect(try bench.post("/api/v1/drainage", #"{"isDrained":true}"#).status == 200)
    #expect(try bench.ledger.farm().drainedAt != nil)
    #expect(try bench.post("/api/v1/drainage", #"{"isDrained":true,"worker":"nobody"}"#).status == 404)
    let shares = try bench.post("/api/v1/shares", #"{"submitter":"ana","weight":3,"slots":5}"#).decoded(Shares.self)
    #expect(shares.submitters.first?.weight == 3 && shares.submitters.first?.slots == 5)
  }

  @Test func `what attempts wrote and who did what are told`() throws {
    let bench = try ConsoleBench(tokens: ["ana": .operate])
    let ana = ["Authorization": "Bearer ana"]
    try bench.submit("job")
    _ = try bench.ledger.lead(Candidate(name: "c", epoch: "1", isNew: false))
    try bench.ledger.register(WorkerHello(worker: "w", epoch: "1", host: "h", processID: 1, slots: 1, running: []))
    let order = try #require(try bench.ledger.claim(for: [FreeSlots(worker: "w", epoch: "1", slots: 1)]).first?.order)
    let log = AttemptLog(text: "h264: <b>bad</b>\n", byteCount: 17)
    try bench.ledger.keep([LoggedAttempt(worker: "w", epoch: "1", key: order.key, log: log)])
    #expect(try bench.get("/api/v1/logs?about=job", ana).decoded(AttemptLogs.self).logs.map(\.text) == [log.text])
    #expect(
      try bench.get("/api/v1/logs?about=\(order.key.task)%2F1&containing=bad", ana).decoded(AttemptLogs.self).logs.count == 1)
    #expect(try bench.get("/api/v1/logs?about=job&containing=good", ana).decoded(AttemptLogs.self).logs.isEmpty)
    for about in ["none", "\(order.key.task)/2", "0", "1/2/3"] {
      #expect(try bench.get("/api/v1/logs?about=\(about)", ana).status == 404)
    }
    #expect(try bench.post("/api/v1/steering", #"{"action":"cancel","jobs":["job"]}"#, ana).status == 200)
    let audit = try bench.get("/api/v1/audit?verb=cancel", ana).decoded(Audit.self)
    #expect(audit.entries.map(\.caller) == ["ana-name"] && audit.entries.map(\.peer) == ["127.0.0.1"] && audit.next == nil)
    let page = try bench.get("/api/v1/audit?limit=1", ana).decoded(Audit.self)
    #expect(
      try bench.get("/api/v1/audit?before=\(try #require(page.next))", ana).decoded(Audit.self).entries.map(\.verb) == ["submit"])
    #expect(try bench.get("/api/v1/audit?verb=fly", ana).decoded(Told.self).faults.map(\.path) == ["verb"])
  }

  @Test func `a document's faults come back with their paths`() throws {
    let bench = try ConsoleBench()
    // A plan needs no output.
    for query in ["?output=/out/a.mp4", ""] {
      let relative = try bench.post("/api/v1/plan\(query)", #"{"spool":1,"assets":{"a":{"path":"a.mp4"}}}"#).decoded(Told.self)
      #expect(relative.status == 422 && relative.faults.map(\.path) == ["assets.a"])
    }
    #expect(try bench.post("/api/v1/plan?output=out/a.mp4", "{}").decoded(Told.self).faults.map(\.path) == ["output"])
    #expect(try bench.post("/api/v1/documents/validate", "{").status == 422)
    let nowhere = try bench.post("/api/v1/jobs", "{}").decoded(Told.self)
    #expect(nowhere.status == 400 && nowhere.faults.map(\.path) == ["output"])
  }

  @Test func `events tell the farm, and go on where a client was`() throws {
    let bench = try ConsoleBench()
    let line = try Line(port: bench.server.port)
    line.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    var text = ""
    func read(until words: String) {
      while !text.contains(words), case let more = line.read(), !more.isEmpty { text += String(decoding: more, as: UTF8.self) }
    }
    read(until: "\n\n\r\n")
    #expect(text.contains("event: farm\ndata: {") && text.contains("text/event-stream"))
    try bench.submit("news")
    read(until: "news")
    #expect(text.contains(#""id":"news""#))
    #expect(text.matches(of: /\nid: \S+\n/).count == 2 || text.matches(of: /id: \S+\n/).count == 2)
  }

  @Test func `the description names each route of the server with its role, and no other`() throws {
    struct Description: Decodable {
      struct Operation: Decodable {
        let role: Role

        enum CodingKeys: String, CodingKey { case role = "x-role" }
      }

      let openapi: String
      let paths: [String: [String: Operation]]
    }
    let told = try JSONDecoder().decode(Description.self, from: Data(ConsoleBench().get("/api/openapi.json").body.utf8))
    let described = told.paths.flatMap { path, operations in
      operations.map { "\($0.key.uppercased()) \(path) \($0.value.role.rawValue)" }
    }
    #expect(told.openapi == "3.1.0")
    #expect(described.sorted() == Route.all.map { "\($0.method) \($0.template) \($0.role.rawValue)" }.sorted())
  }

  @Test func `each class of failure has a status of its own kind`() {
    let statuses = Dictionary(grouping: ExitClass.allCases) { $0.status() }
    #expect(statuses[200] == [.ok])
    #expect(statuses[404] == [.noInput] && statuses[403] == [.notPermitted] && statuses[500] == [.software])
    #expect(ExitClass.noInput.status(isAboutBody: true) == 422)
  }
}
