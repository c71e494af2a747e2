import Console
import Examination
import EditFiles
import FarmTesting
import FoundationEssentials
import Ledger
import Messages
import Operations
import Scheduling
import SpoolCompositing
import Testing
import WebServer

/// A farm that is asked through a console answers as it does by its database.
@Suite(.serialized) struct `A farm behind a console` {
  private func complaint(_ body: () throws -> Void) throws -> Complaint? {
    do { try body() } catch let complaint as Complaint { return complaint }
    return nil
  }

  @Test func `it gives the same answers as the farm itself`() throws {
    let bench = try ConsoleBench(tokens: ["olga": .operate])
    let far = try RemoteFarm(url: "http://127.0.0.1:\(bench.server.port)/", token: "olga")
    let near = Farm { [database = bench.database] in database }
    for id in ["a", "b", "c"] { try bench.submit(id, submitter: id == "c" ? "ben & co" : "ana") }
    _ = try bench.ledger.lead(Candidate(name: "c", epoch: "1", isNew: false))
    try bench.ledger.register(WorkerHello(worker: "w", epoch: "1", host: "h", processID: 1, slots: 1, running: []))
    let order = try #require(try bench.ledger.claim(for: [FreeSlots(worker: "w", epoch: "1", slots: 1)]).first?.order)
    try bench.ledger.keep([LoggedAttempt(worker: "w", epoch: "1", key: order.key, log: AttemptLog(text: "雨\u{1b}", byteCount: 4))]
    )
    let filter = JobFilter(states: [.queued, .running], submitter: "ben & co")
    #expect(try far.report(filter).jobs.map(\.id) == ["c"] && far.report(JobFilter()).workers.map(\.name) == ["w"])
    let (told, known) = (try far.report(job: order.job), try near.report(job: order.job))
    #expect(told.tasks == known.tasks && told.job.id == order.job && told.next == nil)
    // The two are asked one after the other, and the reasons count seconds.
    let reasons = try [far.why("\(order.key.task)"), near.why("\(order.key.task)")].map { why in
      why.reasons.map { $0.filter { !$0.isNumber } }
    }
    #expect(try far.why("a").kind == .job && reasons[0] == reasons[1] && !reasons[0].isEmpty)
    for most in [1, 2, 50] {
      let (told, known) = (try far.scene(job: order.job, cells: most), try near.scene(job: order.job, cells: most))
      #expect(told.cells == known.cells && !told.cells.isEmpty && told.glance.job.id == order.job)
      #expect(told.cells.reduce(0) { $0 + $1.running } == (order.work.kind == .picture ? 1 : 0))
    }
    #expect(try far.report(JobFilter()).secondsLeft != nil)
    #expect(try far.workers().map(\.jobs) == [[order.job]] && near.workers().map(\.failuresLastHour) == [0])
    for most in [1, 2, 50] {
      let (told, known) = (try far.scene(job: order.job, cells: most), try near.scene(job: order.job, cells: most))
      #expect(told.cells == known.cells && !told.cells.isEmpty && told.glance.job.id == order.job)
      #expect(told.cells.reduce(0) { $0 + $1.running } == (order.work.kind == .picture ? 1 : 0))
    }
    #expect(try far.report(JobFilter()).secondsLeft != nil)
    #expect(try far.workers().map(\.jobs) == [[order.job]] && near.workers().map(\.failuresLastHour) == [0])
    #expect(try far.logs(LogRequest(about: order.job, words: "雨")) == near.logs(LogRequest(about: order.job)))
    #expect(try far.steer(job: "a", .prioritise(level: 3)).priority == 3)
    #expect(try Set(far.chosen(by: JobFilter(submitter: "ana"))) == ["a", "b"])
    let outcome = try far.steer(many: ["a", "none", "b"], .cancel)
    #expect(outcome.jobs == ["a", "b"] && outcome.refused.map(\.job) == ["none"])
    #expect(try far.audit(AuditFilter(verb: "cancel")).entries.map(\.caller) == ["olga-name", "olga-name"])
    let ended = try far.watch(WatchRequest(jobs: ["b", "a"], pause: .zero), Interruption()) { _ in }
    #expect(ended?.map(\.state) == [.cancelled, .cancelled])
    // A job of more than one page is told whole.
    try bench.submit("long", chunks: Farm.taskPages.upperBound + 5)
    #expect(try far.report(job: "long").tasks == near.report(job: "long").tasks)
  }

  @Test func `what operators ask is answered alike`() throws {
    let bench = try ConsoleBench(tokens: ["olga": .operate])
    let far = try RemoteFarm(url: "http://127.0.0.1:\(bench.server.port)", token: "olga")
    let near = Farm { [database = bench.database] in database }
    try bench.submit("a", submitter: "ben & co")
    var request = SharesRequest(submitter: "ben & co")
    request.weight = 7
    #expect(try far.shares(request) == near.shares(SharesRequest(submitter: "ben & co")))
    #expect(try far.shares(SharesRequest(submitter: "ben & co")).submitters.map(\.weight) == [7])
    #expect(try far.shares(SharesRequest()) == near.shares(SharesRequest()))
    #expect(try complaint { _ = try far.shares(SharesRequest(submitter: "none")) }?.exit == .noInput)
    request.weight = 0
    #expect(try complaint { _ = try far.shares(request) }?.told.map(\.path) == ["weight"])
    #expect(try far.drain(Drainage(worker: nil, isDrained: true)).isDrained && near.report(JobFilter()).farm.drainedAt != nil)
    #expect(try complaint { _ = try far.drain(Drainage(worker: "none", isDrained: true)) }?.exit == .noInput)
    // The job waits, so the numbers of both traces differ.
    #expect(try far.trace(job: "a").starts(with: Array(#"{"displayTimeUnit":"ms","otherData":{"job":"a""#.utf8)))
    #expect(try far.paper(job: "a").hasPrefix("<!doctype html>"))
    for id in ["none", "../farm", "%2e%2e"] {
      #expect(try complaint { _ = try far.trace(job: id) }?.exit == .noInput)
      #expect(try complaint { _ = try far.paper(job: id) }?.exit == .noInput)
    }
    var hook = Webhook(name: "portal", url: "https://portal.example/", events: ["job.cancelled"], submitter: "ben & co")
    #expect(try far.change(hook, renewingSecret: false).secret != nil && far.change(hook, renewingSecret: false).secret == nil)
    #expect(try far.webhooks() == near.webhooks() && far.webhooks().webhooks.map(\.submitter) == ["ben & co"])
    hook.url = "ftp://portal.example/"
    #expect(try complaint { _ = try far.change(hook, renewingSecret: false) }?.told.map(\.path) == ["url"])
    _ = try far.steer(job: "a", .cancel)
    let sent = try far.deliveries(DeliveriesRequest(webhook: "portal"))
    #expect(try sent == near.deliveries(DeliveriesRequest()) && sent.deliveries.map(\.job) == ["a"])
    try checkPages(of: far, bench)
    try far.replay(delivery: try #require(sent.deliveries.first).id)
    #expect(try complaint { try far.replay(delivery: 1 << 40) }?.exit == .noInput)
    try far.remove(webhook: "portal")
    #expect(try complaint { try far.remove(webhook: "portal") }?.exit == .noInput)
    #expect(
      try near.audit(AuditFilter(who: "olga-name")).entries.map(\.verb).sorted() == [
        "cancel", "cancel", "cancel", "drain", "replay", "share", "webhook", "webhook", "webhook",
      ])
  }

  /// Three deliveries come on two pages, of which the second begins behind the first one's last.
  private func checkPages(of far: RemoteFarm, _ bench: ConsoleBench) throws {
    for job in ["b", "c"] {
      try bench.submit(job, submitter: "ben & co")
      _ = try far.steer(job: job, .cancel)
    }
    var page = DeliveriesRequest(webhook: "portal")
    page.limit = 2
    let first = try far.deliveries(page)
    #expect(first.deliveries.map(\.job) == ["c", "b"] && first.next == first.deliveries.last?.id)
    page.before = first.next
    let second = try far.deliveries(page)
    #expect(second.deliveries.map(\.job) == ["a"] && second.next == nil)
  }

  @Test func `its failures are the console's own words, and of the same class`() throws {
    let bench = try ConsoleBench(tokens: ["vera": .view])
    let far = try RemoteFarm(url: "http://127.0.0.1:\(bench.server.port)", token: "vera")
    let missing = try #require(try complaint { _ = try far.report(job: "none") })
    #expect(missing.exit == .noInput && missing.faults == ["none: no such job"])
    #expect(try complaint { _ = try far.steer(job: "a", .cancel) }?.exit == .notPermitted)
    #expect(try complaint { _ = try far.audit(AuditFilter(verb: "fly")) }?.exit == .usage)
    let stranger = try RemoteFarm(url: "http://127.0.0.1:\(bench.server.port)", token: "wrong")
    #expect(try complaint { _ = try stranger.report(JobFilter()) }?.exit == .notPermitted)
    let nobody = try RemoteFarm(url: "http://127.0.0.1:1", token: nil)
    #expect(try complaint { _ = try nobody.report(JobFilter()) }?.exit == .unavailable)
  }

  @Test func `a console that is busy is asked again, and one that cannot answer is not`() throws {
    let server = try PythonServer(
      """
      import http.server, json
      answers = [(503, "busy"), (503, "busy"), (200, ""), (503, "unavailable"), (200, "")]
      class Handler(http.server.BaseHTTPRequestHandler):
          def log_message(self, *args): pass
          def do_GET(self):
              status, word = answers.pop(0)
              body = json.dumps([] if status == 200 else {"type": "urn:spool:problem:" + word, "detail": "why", "faults": []}).encode()
              self.send_response(status)
              self.send_header("Content-Length", str(len(body)))
              self.end_headers()
              self.wfile.write(body)
      server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
      print(server.server_address[1], flush=True)
      server.serve_forever()
      """)
    let far = try RemoteFarm(url: "http://127.0.0.1:\(server.greeting[0])", token: nil)
    #expect(try far.workers().isEmpty)
    #expect(try complaint { _ = try far.workers() }?.exit == .unavailable)
    #expect(try far.workers().isEmpty)
  }

  @Test(arguments: [
    "http://farm.example:7410", "ftp://127.0.0.1", "farm.example", "https://a@b", "http://127.0.0.1.evil.example",
  ])
  func `a token goes to no place where others could read it, and no URL is guessed`(url: String) throws {
    #expect(try complaint { _ = try RemoteFarm(url: url, token: "secret") }?.exit == .usage)
  }

  @Test func `an edit is submitted as it is written, and its faults come back`() throws {
    let bench = try ConsoleBench()
    let far = try RemoteFarm(url: "http://127.0.0.1:\(bench.server.port)", token: nil)
    let path = "\(bench.folder)/edit.json"
    try #"{"spool":1,"wrong":2}"#.write(toFile: path, atomically: true, encoding: .utf8)
    let media = MediaAccess(compositors: CompositorRegistry()) { _ in ExaminationSetting(roots: ["/nonexistent"], library: nil) }
    let refused = try #require(
      try complaint {
        _ = try far.submit(SubmitRequest(document: path, output: "\(bench.folder)/a.mp4"), reading: media) { _ in }
      })
    #expect(refused.exit == .badDocument && refused.told.contains { $0.path == "wrong" })
  }
}
