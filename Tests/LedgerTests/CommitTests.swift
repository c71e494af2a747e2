import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// Commits of many results at once, in both ledgers.
struct CommitTests {
  private func completion(_ order: AttemptOrder, _ worker: String = "a", key: AttemptKey? = nil) -> Completion {
    Completion(worker: worker, epoch: "1", key: key ?? order.key, proof: Bench.proof(order))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `each of many results is judged by itself, and what waited for them is ready`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit("first", chunks: 2, sound: true)
    try bench.submit("second", chunks: 2)
    try bench.submit("third", chunks: 1)
    let orders = try bench.claim(slots: 6)
    _ = try bench.ledger.cancel(job: "third")
    let strange = [
      completion(orders[3], key: AttemptKey(task: 999, attempt: 1)), completion(orders[3], "b"),
      completion(orders[3], key: AttemptKey(task: orders[3].key.task, attempt: 2)),
    ]
    let verdicts = try bench.ledger.commit(strange + orders.filter { $0.key != orders[3].key }.map { completion($0) })
      .verdicts
    #expect(verdicts == [.stale, .stale, .stale, .won, .won, .won, .won, .stale])
    #expect(try bench.states("first") == [.done, .done, .done, .ready, .waiting])
    #expect(try bench.states("second") == [.running, .done, .waiting, .waiting])
    #expect(try bench.ledger.status(job: "first")?.framesDone == 20)
    #expect(try bench.ledger.status(job: "second")?.chunksDone == 1)
    // The first results come again with new ones, as after a lost answer.
    #expect(try bench.ledger.commit(orders.prefix(4).map { completion($0) }).verdicts == [.won, .won, .won, .won])
    #expect(try bench.states("second") == [.done, .done, .ready, .waiting])
  }

  @Test(arguments: LedgerUnderTest.allCases, TaskKind.allCases)
  func `a result of another kind than its task is the attempt's failure, and wins nothing`(
    _ kind: LedgerUnderTest, _ told: TaskKind
  ) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1, sound: true)
    for task in TaskKind.allCases {
      var order = try #require(try bench.claim().first)
      #expect(order.work.kind == task)
      if task != told {
        let wrong = Completion(worker: "a", epoch: "1", key: order.key, proof: .sample(of: told))
        #expect(try bench.ledger.commit([wrong]) == Committed(verdicts: [.unfit]), "\(task)")
        #expect(try bench.ledger.commit([wrong]) == Committed(verdicts: [.stale]), "\(task)")
        let failure = try bench.ledger.tasks(job: "job").first { $0.id == order.key.task }?.failure
        #expect(failure == Failure(.bug, at: "task of kind \(task)", "the result is of kind \(told)"))
        try bench.advanceAlive(by: .seconds(9), ["a"])
        order = try #require(try bench.claim().first)
        #expect(order.work.kind == task)
      }
      #expect(try bench.commit(order) == .won)
    }
    #expect(try bench.state() == .done)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a job whose results tell of damaged media is marked, and no other`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    for job in ["damaged", "whole"] { try bench.submit(job, chunks: 2, sound: true) }
    let orders = try bench.claim(slots: 8)
    let pictures = orders.filter { $0.job == "damaged" && $0.work.kind == .picture }
    let completions = orders.map { order -> Completion in
      var concealed: [Concealment] = []
      if order.key == pictures[1].key {
        concealed = [
          Concealment(asset: "b", frames: 1, frameSpan: 12..<13), Concealment(asset: "a", frames: 2, frameSpan: 15..<19),
        ]
      } else if order.key == pictures[0].key {
        concealed = [Concealment(asset: "a", frames: 3, frameSpan: 7..<10)]
      } else if order.job == "damaged" {
        concealed = [Concealment(asset: "a", samples: 100, sampleSpan: 0..<4096)]
      }
      return Completion(worker: "a", epoch: "1", key: order.key, proof: Bench.proof(order, concealed: concealed))
    }
    let isDamaged = { (job: String) in try bench.ledger.status(job: job)?.isDamaged }
    _ = try bench.ledger.commit(completions.filter { $0.proof.concealed.isEmpty })
    #expect(try isDamaged("damaged") == false && isDamaged("whole") == false)
    _ = try bench.ledger.commit(completions)
    #expect(try isDamaged("damaged") == true && isDamaged("whole") == false)
    guard let ledger = bench.ledger as? PostgreSQLLedger else { return }
    let found = try ledger.concealed(job: "damaged")
    #expect(found == .sum(completions.flatMap(\.proof.concealed)))
    #expect(
      found.map(\.words) == [
        "5 frames (frame 7 to 18) and 100 samples (sample 0 to 4095) of asset 'a'", "1 frame (frame 12) of asset 'b'",
      ])
    #expect(try ledger.concealed(job: "whole") == [])
    #expect(try ledger.jobs(JobFilter(limit: 9)).filter(\.isDamaged).map(\.id) == ["damaged"])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `jobs that are muxed and published in one go are done`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    for job in ["first", "second"] { try bench.submit(job, chunks: 1) }
    for _ in 0..<3 {
      let orders = try bench.claim(slots: 8)
      #expect(try bench.ledger.commit(orders.map { completion($0) }).verdicts == [.won, .won])
    }
    #expect(try bench.ledger.jobs(limit: 9).map(\.state) == [.done, .done])
    #expect(try bench.ledger.commit([]).verdicts == [])
  }
}
