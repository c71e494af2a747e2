import FarmTesting
import FoundationEssentials
import Glibc
import Ledger
import LocalFarm
import Messages
import PostgreSQL
import Scheduling
import Subprocess
import Testing

/// The rights in the database (docs/database.md). Each role is tried with a login of its own.
struct RolesTests {
  private let bench: Bench
  private let logins: Logins

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    logins = Logins(url: try #require(bench.url))
  }

  static let roles = ["spool_viewer", "spool_submitter", "spool_any_submitter", "spool_operator", "spool_coordinator"]

  // MARK: Submitters

  @Test func `a submitter's jobs bear its own name, and no other`() throws {
    let ana = try logins.new("spool_submitter")
    let ledger = PostgreSQLLedger(url: ana.url)
    #expect(try ledger.ownSubmitter() == ana.name)
    _ = try ledger.submit(ana.job("own"))
    #expect(try bench.ledger.status(job: "own")?.submitter == ana.name)
    #expect(throws: LedgerError.forbidden("to submit as tester takes the role spool_any_submitter, and \(ana.name) has it not")) {
      _ = try ledger.submit(Bench.submission("foreign"))
    }
    #expect(try bench.ledger.status(job: "foreign") == nil)
  }

  @Test func `who may submit under any name does, and under any priority`() throws {
    let portal = try logins.new("spool_any_submitter")
    let ledger = PostgreSQLLedger(url: portal.url)
    #expect(try ledger.ownSubmitter() == nil)
    _ = try ledger.submit(Bench.submission("foreign", priority: 7))
    #expect(try bench.ledger.status(job: "foreign")?.submitter == "tester")
  }

  @Test func `a submitter gets no place in the queue that was not its own`() throws {
    let ana = try logins.new("spool_submitter")
    let ledger = PostgreSQLLedger(url: ana.url)
    #expect(throws: LedgerError.forbidden("a priority above 0 takes the role spool_operator, and \(ana.name) has it not")) {
      _ = try ledger.submit(ana.job("high", priority: 1))
    }
    _ = try ledger.submit(ana.job("low", priority: -1))
    #expect(try ledger.change(job: "low", .resume) == true)
    #expect(throws: LedgerError.self) { try ledger.change(job: "low", .prioritise(0)) }
  }

  @Test func `a submitter steers its own jobs, and nobody else's`() throws {
    let (ana, ben) = (try logins.new("spool_submitter"), try logins.new("spool_submitter"))
    let (ledger, other) = (PostgreSQLLedger(url: ana.url), PostgreSQLLedger(url: ben.url))
    _ = try ledger.submit(ana.job("own", chunks: 2))
    for change in [JobChange.pause, .resume] { #expect(try ledger.change(job: "own", change) == true) }
    #expect(try ledger.spec(job: "own")?.output == "/out/own.mp4")
    for refused in Self.deeds("own") {
      expectForbidden("spool_operator", refused.name) { try refused.act(other) }
    }
    expectForbidden("spool_operator") { _ = try ledger.change(job: "own", .prioritise(1)) }
    #expect(try ledger.cancel(job: "own") == [])
    #expect(try bench.states("own") == [.cancelled, .cancelled, .cancelled, .cancelled])
    expectForbidden("spool_operator") { _ = try other.change(job: "own", .retry) }
    #expect(try ledger.change(job: "own", .retry) == true)
    #expect(try bench.states("own") == [.ready, .ready, .waiting, .waiting])
  }

  @Test func `a submission of nonsense is refused whole`() throws {
    let ana = try logins.new("spool_submitter")
    let connection = try Connection(url: ana.url, applicationName: "test")
    for (kinds, costs) in [
      ("{mux,publish}", "{1,1}"), ("{picture,mux}", "{1,1}"), ("{picture,mux,mux,publish}", "{1,1,1,1}"),
      ("{picture,mux,publish}", "{1,1}"), ("{}", "{}"), ("{publish,mux,publish}", "{1,1,1}"),
    ] {
      let frames = kinds.split(separator: ",").enumerated().map { $0.offset == 0 ? "1" : "NULL" }.joined(separator: ",")
      let sql = """
        select spool.submit_job('odd', session_user::text, 0, '/o', 1, '{}', 0, '', true, '{}', '{}', true, false,
          '\(kinds)', '{\(kinds == "{}" ? "" : frames)}', '{\(kinds == "{}" ? "" : frames)}', '\(costs)')
        """
      #expect("\(kinds)") {
        try connection.run(sql)
      } throws: { "\($0)".contains("a job is pictures, sound or both, a mux and its publishing") }
    }
    #expect(try bench.ledger.jobs(limit: 9).isEmpty)
  }

  // MARK: Operators

  @Test func `an operator does what befalls jobs, workers and shares, and submits nothing`() throws {
    let ana = try logins.new("spool_submitter")
    let olga = try logins.new("spool_operator")
    _ = try PostgreSQLLedger(url: ana.url).submit(ana.job("job", chunks: 2))
    try bench.register("a")
    let order = try #require(try bench.claim().first)
    let ledger = PostgreSQLLedger(url: olga.url)
    for change in [JobChange.pause, .resume, .prioritise(9)] { #expect(try ledger.change(job: "job", change) == true) }
    #expect(try ledger.drain(worker: "a", true) && ledger.drain(worker: nil, true))
    #expect(try ledger.drain(worker: "a", false) && ledger.drain(worker: nil, false))
    #expect(try ledger.drain(worker: "nobody", true) == false)
    #expect(try ledger.change(submitter: "new", ShareChange(weight: 2, entersNew: true)))
    #expect(try ledger.change(submitter: "unknown", .reset) == false)
    #expect(try ledger.spec(job: "job")?.output == "/out/job.mp4")
    #expect(try ledger.cancel(job: "job") == [ExpiredAttempt(worker: "a", key: order.key)])
    #expect(try ledger.cancel(job: "none") == nil)
    #expect(try ledger.change(job: "job", .retry) == true)
    #expect(try ledger.change(job: "job", .retryWriting(to: "/out/other.mp4")) == true)
    #expect(try ledger.spec(job: "job")?.output == "/out/other.mp4")
    expectForbidden("spool_submitter") { _ = try ledger.submit(olga.job("own")) }
    try expectRefused("update spool.job_spec set document = '{}'", by: olga)
    try expectRefused("delete from spool.history", by: olga)
  }

  // MARK: Viewers

  @Test(arguments: ["spool_viewer", "spool_submitter", "spool_any_submitter"])
  func `who is no operator is told which role a deed takes`(role: String) throws {
    try bench.submit("job")
    let ledger = PostgreSQLLedger(url: try logins.new(role).url)
    for deed in Self.deeds("job") { expectForbidden("spool_operator", deed.name) { try deed.act(ledger) } }
    #expect(try bench.state("job") == .queued)
  }

  @Test(arguments: roles) func `each role reads what status, why and quota show`(role: String) throws {
    _ = try bench.ledger.lead(Candidate(name: "c", epoch: "1"))
    try bench.register("a")
    try bench.submit("job")
    let ledger = PostgreSQLLedger(url: try logins.new(role).url)
    #expect(try ledger.concealed(job: "job") == [])
    #expect(try ledger.jobs(limit: 9).map(\.id) == ["job"])
    #expect(try ledger.workers().map(\.name) == ["a"])
    let tasks = try ledger.tasks(job: "job")
    #expect(tasks.count == 4)
    #expect(try ledger.waiting(job: "job").map(\.reason) == ["about to be given out"])
    #expect(try ledger.wait(task: tasks[0].id)?.reason == "about to be given out")
    #expect(try ledger.task(tasks[0].id)?.job == "job")
    #expect(try ledger.reason(worker: "a") != nil)
    #expect(try ledger.submitters().map(\.name) == ["tester"])
    #expect(try ledger.trouble(job: "job") == nil)
    #expect(try ledger.slowness(of: "any") == 1)
  }

  @Test func `a viewer reads the loudness of a job's sound, and that a job has none`() throws {
    try bench.register("a")
    for job in ["loud", "silent", "plain"] { try bench.submit(job, chunks: 1, sound: true) }
    let known = SoundLoudness(measured: -20.31, gain: 4.31, limiting: 2.1, integrated: -16, truePeak: -1.1)
    let unknown = SoundLoudness(measured: nil, gain: 0, limiting: 0, integrated: nil, truePeak: nil)
    let ledger = PostgreSQLLedger(url: try logins.new("spool_viewer").url)
    for order in try bench.claim(slots: 8) {
      guard case .sound(var proof) = Bench.proof(order) else { continue }
      #expect(try ledger.loudness(job: order.job) == nil)
      proof.loudness = ["loud": known, "silent": unknown][order.job]
      _ = try bench.ledger.commit(order.key, worker: "a", epoch: "1", proof: .sound(proof))
    }
    #expect(try ledger.loudness(job: "loud") == known)
    #expect(try ledger.loudness(job: "silent") == unknown)
    #expect(try ledger.loudness(job: "plain") == nil)
  }

  @Test func `a viewer reads which media of a job are damaged`() throws {
    try bench.register("a")
    try bench.submit("job", chunks: 1)
    let order = try #require(try bench.claim().first)
    let proof = Bench.proof(order, concealed: [Concealment(asset: "tape", frames: 2, frameSpan: 3..<7)])
    _ = try bench.ledger.commit(order.key, worker: "a", epoch: "1", proof: proof)
    let ledger = PostgreSQLLedger(url: try logins.new("spool_viewer").url)
    #expect(try ledger.concealed(job: "job") == proof.concealed)
    #expect(try ledger.jobs(JobFilter(limit: 9)).map(\.isDamaged) == [true])
  }

  @Test(arguments: ["spool_viewer", "spool_submitter", "spool_any_submitter"])
  func `nothing that may be read of others' jobs holds a signed URL`(role: String) throws {
    var submission = Bench.submission("job", chunks: 1)
    submission.spec.document = #"{"assets": {"a": {"path": "https://media.example/clip.mp4?signature=SECRET"}}}"#
    _ = try bench.ledger.submit(submission)
    let reader = try logins.new(role)
    let readable = try relationsWithoutSecret(reader)
    #expect(readable.contains("spool.job_status") && !readable.contains("spool.job_spec") && !readable.contains("spool.job"))
    expectForbidden("spool_operator") { _ = try PostgreSQLLedger(url: reader.url).spec(job: "job") }
    // The specification is there for roles that may read it.
    let privy = PostgreSQLLedger(url: try logins.new("spool_operator").url)
    #expect(try privy.spec(job: "job")?.document.contains("SECRET") == true)
  }

  @Test(arguments: ["spool_viewer", "spool_submitter", "spool_any_submitter", "spool_coordinator"])
  func `the secret of a webhook is for operators alone`(role: String) throws {
    let ledger = PostgreSQLLedger(url: logins.url)
    try ledger.change(webhook: Webhook(name: "portal", url: "https://portal.example/", secret: "whsec_SECRET"))
    let login = try logins.new(role)
    #expect(try !relationsWithoutSecret(login).contains("spool.webhook"))
    let other = PostgreSQLLedger(url: login.url)
    expectForbidden("spool_operator") { _ = try other.webhooks() }
    expectForbidden("spool_operator") { _ = try other.takeDelivery() }
    expectForbidden("spool_operator") { try other.change(webhook: Webhook(name: "portal", url: "https://evil.example/")) }
    let operators = PostgreSQLLedger(url: try logins.new("spool_operator").url)
    #expect(try operators.webhooks().map(\.secret) == ["whsec_SECRET"])
  }

  @Test(arguments: roles) func `what attempts wrote is for all who may look`(role: String) throws {
    try bench.register("a")
    try bench.submit("job", chunks: 1)
    let log = AttemptLog(text: "words", byteCount: 5)
    let key = try #require(try bench.claim().first).key
    try PostgreSQLLedger(url: logins.url).keep([LoggedAttempt(worker: "a", epoch: "1", key: key, log: log)])
    let ledger = PostgreSQLLedger(url: try logins.new(role).url)
    #expect(try ledger.logs(of: .job("job"), containing: nil, limit: 9).map(\.text) == ["words"])
  }

  @Test func `who is of no role is told so, by the database's own refusal`() throws {
    let ledger = PostgreSQLLedger(url: try logins.new(nil).url)
    expectForbidden("spool_viewer") { _ = try ledger.jobs(limit: 1) }
  }

  // MARK: Coordinators

  @Test func `a coordinator does all of its work, and is no operator`() throws {
    let login = try logins.new("spool_coordinator")
    let ledger = PostgreSQLLedger(url: login.url)
    try ledger.migrate()
    try ledger.require(role: "spool_coordinator", "to give out a farm's work")
    #expect(try ledger.lead(Candidate(name: "c", epoch: "c")) == .leads(term: 1))
    ledger.term = 1
    try ledger.register(WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 8, running: []))
    try bench.submit("job", chunks: 2, sound: true)
    try bench.submit("failing", chunks: 1)
    let offer = FreeSlots(worker: "a", epoch: "1", slots: 8)
    for claimed in try ledger.claim(for: [offer]) where claimed.order.job == "failing" {
      let content = Failure(.content, at: "p", "r")
      _ = try ledger.fail([FailedAttempt(worker: "a", epoch: "1", key: claimed.order.key, failure: content)])
    }
    for round in 0..<3 {
      let held = try ledger.openAttempts(worker: "a", epoch: "1").map(\.order)
      let orders = round == 0 ? held : try ledger.claim(for: [offer]).map(\.order)
      let completions = orders.map { Completion(worker: "a", epoch: "1", key: $0.key, proof: Bench.proof($0)) }
      #expect(try ledger.commit(completions).verdicts.allSatisfy { $0 == .won })
      try ledger.learn(from: orders.map(\.key))
    }
    #expect(try bench.state("job") == .done && bench.state("failing") == .failed)
    _ = try ledger.heartbeat(worker: "a", epoch: "1", running: [])
    _ = try ledger.expire()
    _ = try ledger.speculate(for: [offer], most: 1, sparing: [])
    _ = try ledger.split(for: [offer], asked: [])
    while try ledger.follow() != nil {}
    #expect(try ledger.over(among: ["job"], endedFor: .zero).map(\.id) == ["job"])
    try Connection(url: logins.url, applicationName: "test").run(
      "create table spool.history_2020_01 partition of spool.history for values from ('2020-01-01Z') to ('2020-02-01Z')")
    try ledger.keepHistory()
    for _ in 0..<2 { try ledger.countSlots() }
    try ledger.retire(worker: "a", epoch: "1")
    try ledger.flush()
    try ledger.resign(Candidate(name: "c", epoch: "c"))
    ledger.term = nil
    expectForbidden("spool_operator") { _ = try ledger.drain(worker: nil, true) }
    expectForbidden("spool_submitter") { _ = try ledger.submit(login.job("own")) }
    try expectRefused("update spool.schema_version set version = 1", by: login)
    try expectRefused("truncate spool.attempt", by: login)
  }

  @Test(arguments: ["spool_viewer", "spool_submitter", "spool_operator"])
  func `who is no coordinator leads nothing`(role: String) throws {
    let ledger = PostgreSQLLedger(url: try logins.new(role).url)
    expectForbidden("spool_coordinator") { try ledger.require(role: "spool_coordinator", "to give out a farm's work") }
    #expect(throws: LedgerError.self) { _ = try ledger.lead(Candidate(name: "c", epoch: "c")) }
    #expect(throws: LedgerError.self) { try ledger.keepHistory() }
  }

  // MARK: All of them

  @Test(arguments: roles) func `no role runs a program, reads the server's files or makes anything`(role: String) throws {
    let login = try logins.new(role)
    for attack in [
      "copy (select 1) to program 'true'", "create temp table t (l text); copy t from program 'id'",
      "copy spool.pace from program 'id'",
      "copy (select 1) to '/tmp/spool-copied'", "select pg_read_file('/etc/passwd')", "select lo_import('/etc/passwd')",
      "select pg_ls_dir('/')", "create schema mine", "create table spool.mine ()", "create extension file_fdw",
      "create function spool.mine() returns int language sql as 'select 1'",
      "create trigger mine before update on spool.job for each row execute function spool.refuse('x')",
      "create role mine superuser", "set role spool", "alter system set jit = on", "set session authorization spool",
      "alter table spool.job disable trigger all", "drop view spool.job_status",
      "select spool.grant_roles(); create table spool.mine ()",
    ] {
      try expectRefused(attack, by: login)
    }
  }

  @Test(arguments: roles) func `nobody but a coordinator writes to a table`(role: String) throws {
    let connection = try Connection(url: try logins.new(role).url, applicationName: "test")
    let writable = Statement(
      "writable",
      """
      select oid::regclass::text as name from pg_class
      where relnamespace = 'spool'::regnamespace and relkind in ('r', 'v', 'p', 'm', 'f')
        and (has_table_privilege(oid, 'insert, update, delete, truncate, trigger') or has_any_column_privilege(oid, 'insert, update'))
      """)
    let names = try connection.query(writable).map { try $0.value("name", as: String.self) }
    let leads = role == "spool_coordinator"
    #expect(leads ? names.contains("spool.task") && !names.contains("spool.audit") : names == [], "\(names)")
  }

  @Test func `what has its owner's rights looks nowhere but where it must, and asks who calls`() throws {
    let connection = try Connection(url: logins.url, applicationName: "test")
    let functions = Statement(
      "definers",
      """
      select proname as name, coalesce(array_to_string(proconfig, ' '), '') as settings, prosrc as body,
        has_function_privilege('spool_viewer', oid, 'execute') as is_open
      from pg_proc where pronamespace = 'spool'::regnamespace and prosecdef
      """)
    let found = try connection.query(functions)
    #expect(found.count == 19)
    for row in found {
      let name: String = try row.value("name")
      #expect(try row.value("settings", as: String.self).contains("search_path=pg_catalog, pg_temp"), "\(name)")
      let isOpen: Bool = try row.value("is_open")
      // It tells what every role may read in spool.worker_status: where workers write.
      if name == "is_written" { continue }
      #expect(try !isOpen || row.value("body", as: String.self).contains("spool.require_role("), "\(name)")
    }
    let open = Statement(
      "open",
      """
      select string_agg(proname, ' ' order by proname) as names from pg_proc
      where pronamespace = 'spool'::regnamespace and has_function_privilege('spool_viewer', oid, 'execute')
      """)
    #expect(
      try connection.query(open)[0].value("names")
        == """
        cancel_job change_job change_share change_webhook deliveries drain has_role is_written length_of may_write may_write_all needs_of note_refusal \
        part_files remove_webhook replay require_role settle_delivery since specification submit_job take_delivery want_part webhooks
        """)
  }

  // MARK: Private parts

  /// Actions that only operators may do: to a job of anybody, and to the farm.
  private static func deeds(_ job: String) -> [(name: String, act: (PostgreSQLLedger) throws -> Void)] {
    [
      ("cancel", { _ = try $0.cancel(job: job) }), ("pause", { _ = try $0.change(job: job, .pause) }),
      ("resume", { _ = try $0.change(job: job, .resume) }), ("retry", { _ = try $0.change(job: job, .retry) }),
      ("priority", { _ = try $0.change(job: job, .prioritise(2)) }), ("spec", { _ = try $0.spec(job: job) }),
      ("quota", { _ = try $0.change(submitter: "tester", .reset) }), ("drain", { _ = try $0.drain(worker: nil, true) }),
    ]
  }

  /// Expects that no table or view which a login may read has the word SECRET in it.
  ///
  /// - Returns: those that it may read.
  private func relationsWithoutSecret(_ reader: Logins.Login) throws -> [String] {
    let connection = try Connection(url: reader.url, applicationName: "test")
    let relations = Statement(
      "relations",
      """
      select oid::regclass::text as name, has_table_privilege(oid, 'select') as is_readable from pg_class
      where relnamespace = 'spool'::regnamespace and relkind in ('r', 'v', 'p')
      """)
    var readable: [String] = []
    for row in try connection.query(relations) where try row.value("is_readable") == true {
      let name: String = try row.value("name")
      let found = Statement("found_\(readable.count)", "select count(*) as n from \(name) r where r::text like '%SECRET%'")
      #expect(try connection.query(found)[0].value("n") == 0, "\(name)")
      readable.append(name)
    }
    return readable
  }

  private func expectForbidden(_ role: String, _ name: String = "", _ act: () throws -> Void) {
    #expect("\(name)") {
      try act()
    } throws: { error in
      guard case .forbidden(let reason) = error as? LedgerError else { return false }
      return reason.contains(role)
    }
  }

  /// Expects that the server refuses the statement for lack of rights, or as an error where nobody may do it.
  private func expectRefused(_ sql: String, by login: Logins.Login) throws {
    let connection = try Connection(url: login.url, applicationName: "test")
    #expect("\(sql)") {
      try connection.run(sql)
    } throws: { error in
      (error as? PostgreSQLError)?.kind == .statement(.insufficientPrivilege)
    }
  }
}
