import FarmTesting
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Testing

private let anna = Candidate(name: "anna", epoch: "a1")
private let ben = Candidate(name: "ben", epoch: "b1")

/// Leadership: one coordinator leads, in both ledgers.
struct LeadershipTests {
  @Test(arguments: LedgerUnderTest.allCases)
  func `the first one leads until its lease passes, and then whoever asks`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    #expect(try bench.ledger.lead(anna) == .leads(term: 1))
    #expect(try bench.ledger.lead(ben) == .follows(leader: "anna", term: 1))
    try bench.advance(by: .seconds(4))
    #expect(try bench.ledger.lead(anna) == .leads(term: 1))
    try bench.advance(by: .seconds(4))
    #expect(try bench.ledger.lead(ben) == .follows(leader: "anna", term: 1))
    try bench.advance(by: .seconds(2))
    #expect(try bench.ledger.lead(ben) == .leads(term: 2))
    #expect(try bench.ledger.lead(anna) == .follows(leader: "ben", term: 2))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a leader whose lease passed begins a new term, although nobody else led`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    _ = try bench.ledger.lead(anna)
    try bench.advance(by: .seconds(6))
    #expect(try bench.ledger.lead(anna) == .leads(term: 2))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a new process succeeds the older one of its name at once, and only when it is new`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    _ = try bench.ledger.lead(anna)
    var successor = Candidate(name: "anna", epoch: "a2", isNew: false)
    #expect(try bench.ledger.lead(successor) == .follows(leader: "anna", term: 1))
    successor.isNew = true
    #expect(try bench.ledger.lead(successor) == .leads(term: 2))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `who resigns is followed at once`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    _ = try bench.ledger.lead(anna)
    try bench.ledger.resign(ben)
    #expect(try bench.ledger.lead(ben) == .follows(leader: "anna", term: 1))
    try bench.ledger.resign(anna)
    #expect(try bench.ledger.lead(ben) == .leads(term: 2))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a deposed leader's writes change nothing, each of them`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    _ = try bench.ledger.lead(anna)
    bench.ledger.term = 1
    try bench.register("a")
    try bench.submit(chunks: 2)
    let order = try #require(try bench.claim().first)
    try bench.advance(by: .seconds(6))
    _ = try bench.ledger.lead(ben)
    let writes: [(String, () throws -> Void)] = [
      ("register", { try bench.register("b") }),
      ("heartbeat", { _ = try bench.ledger.heartbeat(worker: "a", epoch: "1", running: []) }),
      ("retire", { try bench.ledger.retire(worker: "a", epoch: "1") }),
      ("claim", { _ = try bench.claim() }),
      ("commit", { _ = try bench.commit(order) }),
      ("fail", { _ = try bench.fail(order, .bug) }),
    ]
    for (name, write) in writes {
      #expect(throws: LedgerError.deposed("another coordinator leads: term 1 is over"), Comment(rawValue: name)) { try write() }
    }
    #expect(try bench.states() == [.running, .ready, .waiting, .waiting])
    #expect(try bench.ledger.workers().map(\.name) == ["a"])
    bench.ledger.term = 2
    #expect(try bench.commit(order) == .won)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a new term gives whoever lived in the old one a whole lease, and nobody else`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    _ = try bench.ledger.lead(anna)
    try bench.register("gone")
    try bench.register("gone", slots: 1)
    try bench.submit(chunks: 2)
    #expect(try bench.claim("gone").count == 1)
    // Anna leads for longer than the silent worker's lease.
    for _ in 0..<3 {
      try bench.advance(by: .seconds(4))
      #expect(try bench.ledger.lead(anna) == .leads(term: 1))
    }
    try bench.register("a")
    #expect(try bench.claim("a").count == 1)
    try bench.advance(by: .seconds(15))
    #expect(try bench.ledger.lead(ben) == .leads(term: 2))
    #expect(try bench.ledger.expire().map(\.worker) == ["gone"])
  }

  @Test func `a leader's statements look rows up by keys, also where its first question for the lead failed`() throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    let connection = try Connection(url: try #require(bench.url), applicationName: "test")
    func lookAt(_ script: String) throws {
      try connection.run(
        """
        create or replace function public.look() returns trigger language plpgsql as $$ begin \(script); return null; end $$;
        create or replace trigger look before update on spool.leader for each statement execute function public.look();
        """)
    }
    try lookAt("raise exception 'planted'")
    #expect(throws: LedgerError.self) { _ = try bench.ledger.lead(anna) }
    try lookAt("if current_setting('enable_seqscan') <> 'off' then raise exception 'it reads whole tables'; end if")
    #expect(try bench.ledger.lead(anna) == .leads(term: 1))
  }

  @Test func `a leader that stands still in a transaction does not keep the lead`() throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    let url = try #require(bench.url)
    _ = try bench.ledger.lead(anna)
    let stopped = try Connection(url: url, applicationName: "stopped", limits: .init(idleTransaction: 100))
    try stopped.run("begin; select spool.require_term(1)")
    try bench.advance(by: .seconds(6))
    #expect(try bench.ledger.lead(ben) == .leads(term: 2))
    #expect(throws: PostgreSQLError.self) { try stopped.run("commit") }
  }
}
