import FarmTesting
import FoundationEssentials
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Testing

/// The record of what attempts wrote, in both ledgers.
struct LogTests {
  private func logged(_ key: AttemptKey, _ worker: String = "a", epoch: String = "1", _ text: String = "words") -> LoggedAttempt {
    LoggedAttempt(worker: worker, epoch: epoch, key: key, log: AttemptLog(text: text, byteCount: text.utf8.count))
  }

  @Test func `a log is kept once, from the process that was given the attempt, whether that is open or not`() throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    let ledger = try #require(bench.ledger as? PostgreSQLLedger)
    try bench.register("a")
    try bench.submit(chunks: 2)
    let orders = try bench.claim(slots: 2)
    let unknown = AttemptKey(task: 999, attempt: 1)
    try ledger.keep([
      logged(orders[0].key, "b"), logged(orders[0].key, epoch: "2"), logged(unknown), logged(orders[0].key, "a", "first\nline\0"),
    ])
    #expect(try bench.commit(orders[0]) == .won)
    try ledger.keep([logged(orders[0].key, "a", "second"), logged(orders[1].key, "a", "雨")])
    let found = try ledger.logs(of: .job("job"), containing: nil, limit: 9)
    #expect(Set(found.map(\.text)) == ["first\nline\u{FFFD}", "雨"])
    #expect(found.first { $0.task == orders[0].key.task }?.outcome == "won")
    #expect(try ledger.logs(of: .job("job"), containing: "line", limit: 9).map(\.frames) == [FrameRange(first: 0, count: 10)])
    #expect(try ledger.logs(of: .task(orders[1].key.task), containing: nil, limit: 9).map(\.byteCount) == [3])
    #expect(try ledger.logs(of: .attempt(AttemptKey(task: orders[1].key.task, attempt: 2)), containing: nil, limit: 9) == [])
    #expect(try ledger.has(orders[0].key) && !ledger.has(unknown))
  }

  @Test func `what a running attempt wrote so far is replaced by what it wrote later, whatever comes when`() throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    let ledger = try #require(bench.ledger as? PostgreSQLLedger)
    try bench.register("a")
    try bench.submit(chunks: 1)
    let key = try #require(try bench.claim().first).key
    func told() throws -> [String] {
      try ledger.logs(of: .attempt(key), containing: nil, limit: 9).map { "\($0.outcome ?? "-") \($0.text)" }
    }
    try ledger.keep([logged(key, "a", "one"), logged(key, "a", "one, two")])
    #expect(try told() == ["- one, two"])
    try ledger.keep([logged(key, "a", "one")])
    try ledger.keep([logged(key, "b", "one, two, three")])
    #expect(try told() == ["- one, two"])
    try ledger.keep([logged(key, "a", "one, two, end")])
    #expect(try told() == ["- one, two, end"])
  }

  @Test func `a log that is too long is cut between characters`() throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    let ledger = try #require(bench.ledger as? PostgreSQLLedger)
    try bench.register("a")
    try bench.submit(chunks: 1)
    let key = try #require(try bench.claim().first).key
    try ledger.keep([logged(key, "a", "x" + String(repeating: "雨", count: 20_000))])
    let text = try #require(try ledger.logs(of: .attempt(key), containing: nil, limit: 1).first).text
    #expect(text == "x" + String(repeating: "雨", count: (AttemptLog.textLimit - 1) / 3))
  }

  @Test func `logs and the audit are dropped with the history of their age`() throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    let ledger = try #require(bench.ledger as? PostgreSQLLedger)
    try bench.register("a")
    try bench.submit(chunks: 1)
    try ledger.keep([logged(try #require(try bench.claim().first).key)])
    try ledger.keepHistory()
    #expect(try ledger.logs(of: .job("job"), containing: nil, limit: 9).count == 1 && ledger.audit(AuditFilter()).count == 1)
    try Connection(url: try #require(bench.url), applicationName: "test").run(
      """
      update spool.attempt_log set kept_at = kept_at - interval '14 months';
      update spool.audit set at = at - interval '14 months'
      """)
    try ledger.keepHistory()
    #expect(try ledger.logs(of: .job("job"), containing: nil, limit: 9).isEmpty && ledger.audit(AuditFilter()).isEmpty)
  }
}

/// The record of who did what.
struct AuditTests {
  private let bench: Bench
  private let ledger: PostgreSQLLedger

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    ledger = try #require(bench.ledger as? PostgreSQLLedger)
  }

  private func told(_ filter: AuditFilter = AuditFilter()) throws -> [String] {
    try ledger.audit(filter).reversed().map { entry in
      let changes = entry.changes.map { "\($0.fact)=\($0.before ?? "-")>\($0.after ?? "-")" }.joined(separator: " ")
      return "\(entry.verb) \(entry.job ?? entry.worker ?? entry.submitter ?? "farm"): \(changes)"
    }
  }

  @Test func `each verb that was carried out is a row, with what it changed`() throws {
    try bench.register("a")
    try bench.submit("job", priority: 3)
    for change in [JobChange.pause, .resume, .prioritise(9)] { #expect(try ledger.change(job: "job", change) == true) }
    _ = try ledger.cancel(job: "job")
    _ = try ledger.cancel(job: "job")
    #expect(try ledger.change(job: "job", .pause) == false)
    #expect(try ledger.change(job: "job", .retryWriting(to: "/out/new.mp4")) == true)
    #expect(try ledger.drain(worker: "a", true) && ledger.drain(worker: nil, true) && ledger.drain(worker: nil, false))
    #expect(try !ledger.drain(worker: "nobody", true) && !ledger.change(submitter: "nobody", .reset))
    #expect(try ledger.change(submitter: "tester", ShareChange(weight: 4, slots: .atMost(2))))
    #expect(
      try told() == [
        "submit job: output=->/out/job.mp4 paused=->false priority=->3 state=->queued", "pause job: paused=false>true",
        "resume job: paused=true>false", "prioritise job: priority=3>9", "cancel job: state=queued>cancelled",
        "retry job: output=/out/job.mp4>/out/new.mp4 state=cancelled>queued", "drain a: drained=false>true",
        "drain farm: drained=false>true", "undrain farm: drained=true>false", "share tester: slots=->2 weight=1>4",
      ])
    #expect(try told(AuditFilter(job: "job", verb: "cancel")) == ["cancel job: state=queued>cancelled"])
    let newest = try ledger.audit(AuditFilter(limit: 1))
    #expect(try ledger.audit(AuditFilter(before: newest[0].id, limit: 1)).map(\.verb) == ["undrain"])
  }

  @Test func `a row says who it was: the role, which the database knows, and the caller, which the program says`() throws {
    ledger.caller = DeskCaller(name: "ana\u{1b}[2J'); drop table spool.audit; --", peer: "10.1.2.3")
    try bench.submit("first")
    _ = try ledger.cancel(job: "first")
    ledger.caller = DeskCaller()
    try bench.submit("second")
    let entries = try ledger.audit(AuditFilter())
    #expect(entries.map(\.caller) == [nil, "ana?[2J'); drop table spool.audit; --", "ana?[2J'); drop table spool.audit; --"])
    #expect(entries.map(\.peer) == [nil, "10.1.2.3", "10.1.2.3"])
    let login = try Logins(url: try #require(bench.url)).new("spool_operator")
    let other = PostgreSQLLedger(url: login.url)
    _ = try other.cancel(job: "second")
    #expect(try other.audit(AuditFilter(who: login.name)).map(\.role) == [login.name])
  }

  @Test func `what is refused is a row with its reason, once, and then counted`() throws {
    let login = try Logins(url: try #require(bench.url)).new("spool_viewer")
    for id in ["a", "b"] { try bench.submit(id, chunks: 1) }
    let viewer = PostgreSQLLedger(url: login.url)
    viewer.caller = DeskCaller(name: "vera", peer: "10.1.2.3")
    for _ in 0..<3 { #expect(throws: LedgerError.self) { try viewer.cancel(job: "a") } }
    for deed in [
      { _ = try viewer.change(job: "a", .prioritise(7)) }, { _ = try viewer.drain(worker: nil, true) },
      { _ = try viewer.perform(.cancel, on: ["a", "b"]) }, { _ = try viewer.submit(Bench.submission("c", chunks: 1)) },
      { _ = try viewer.change(submitter: "tester", .reset) },
      { try viewer.change(webhook: Webhook(name: "w", url: "http://a/")) },
      { _ = try viewer.replay(delivery: 1) },
    ] as [() throws -> Void] {
      #expect(throws: LedgerError.self) { try deed() }
    }
    let refused = try ledger.audit(AuditFilter(isRefused: true)).reversed()
    #expect(refused.map(\.verb) == ["cancel", "prioritise", "drain", "cancel", "submit", "share", "webhook", "replay"])
    #expect(
      refused.map(\.times) == [3, 1, 1, 1, 1, 1, 1, 1] && refused.allSatisfy { $0.role == login.name && $0.caller == "vera" })
    #expect(refused.map(\.job) == ["a", "a", nil, nil, "c", nil, nil, nil])
    #expect(refused.first?.refusal?.contains("spool_operator") == true && refused.first?.changes.isEmpty == true)
    #expect(try ledger.audit(AuditFilter(verb: "cancel")).first?.changes.map(\.after) == ["2"])
    #expect(try ledger.status(job: "a")?.state == .queued && ledger.farm().drainedAt == nil)
  }

  @Test func `nobody fills the audit with refusals`() throws {
    let login = try Logins(url: try #require(bench.url)).new("spool_viewer")
    try Connection(url: login.url, applicationName: "test").run(
      """
      do $$ begin
        for n in 1..700 loop perform spool.note_refusal('cancel', n || E'\\u001b', null, null, null, null, repeat('x', 10000)); end loop;
      end $$
      """)
    let rows = try ledger.audit(AuditFilter(limit: 1000, isRefused: true))
    #expect(rows.count == 500 && rows.map(\.times).reduce(0, +) == 700)
    #expect(rows.last?.job == "1?" && rows.allSatisfy { $0.refusal?.count == 255 })
  }

  @Test func `a verb that fails leaves no row that says it was done, and nobody but the verbs writes one`() throws {
    let login = try Logins(url: try #require(bench.url)).new("spool_viewer")
    try bench.submit("job")
    #expect(throws: LedgerError.self) { try PostgreSQLLedger(url: login.url).cancel(job: "job") }
    #expect(throws: LedgerError.self) { try bench.submit("other, which cannot be") }
    #expect(try ledger.audit(AuditFilter()).map(\.refusal).filter { $0 == nil }.count == 1)
    for sql in [
      "insert into spool.audit (verb, role, program) values ('drain', 'x', 'x')", "delete from spool.audit",
      "select spool.note_deed('drain', null, null, null, null, null)",
    ] {
      #expect(throws: PostgreSQLError.self, "\(sql)") { try Connection(url: login.url, applicationName: "test").run(sql) }
    }
  }

  @Test func `many jobs are changed together, each with its verdict, and each is a row`() throws {
    for id in ["a", "b", "c", "d"] { try bench.submit(id, chunks: 1) }
    try bench.register("w")
    _ = try ledger.cancel(job: "d")
    #expect(try ledger.perform(.cancel, on: ["c", "a", "none", "a"]) == [.done, .done, .unknown, .done])
    #expect(try ledger.perform(.change(.pause), on: ["b", "a"]) == [.done, .refused(.cancelled)])
    // The output of a is taken by another job meanwhile.
    var thief = Bench.submission("thief", chunks: 1)
    thief.spec.output = "/out/a.mp4"
    _ = try ledger.submit(thief)
    #expect(
      try ledger.perform(.change(.retry), on: ["a", "b", "c", "d"])
        == [.outputTaken("/out/a.mp4", job: "thief"), .refused(.queued), .done, .done])
    #expect(try bench.states("c") == [.ready, .waiting, .waiting])
    #expect(try told(AuditFilter(verb: "cancel")).count == 3 && told(AuditFilter(verb: "retry")).count == 2)
  }
}
