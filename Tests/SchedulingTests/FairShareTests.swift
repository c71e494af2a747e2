import FarmTesting
import Messages
import Scheduling
import Testing

private func job(
  _ number: Int64, of submitter: String, priority: Int = 0, ready: Int = 1000, cost: Double = 1,
  needs: Capabilities = Capabilities()
) -> FairShare.Job {
  FairShare.Job(
    id: "j\(number)", submitter: submitter, priority: priority, number: number, ready: ready, cost: cost, needs: needs)
}

private func offers(_ slots: Int, _ tags: [String] = [], memory: Int = 0) -> [Offer] {
  [Offer(worker: "w\(tags)", epoch: "1", slots: slots, capabilities: Capabilities(tags: tags, memory: memory))]
}

private func divide(_ jobs: [FairShare.Job], _ offers: [Offer], _ submitters: [String: FairShare.Submitter] = [:]) -> [String:
  Int]
{
  var all = submitters
  for job in jobs where all[job.submitter] == nil { all[job.submitter] = FairShare.Submitter() }
  var share = FairShare(submitters: all, turn: 0)
  return Dictionary(uniqueKeysWithValues: share.divide(jobs, among: offers).map { ($0.job, $0.count) })
}

struct FairShareTests {
  @Test func `submitters of one priority get the same, however many jobs they have`() {
    let jobs = [job(1, of: "ana", ready: 4), job(2, of: "ana"), job(3, of: "ana"), job(4, of: "ben")]
    #expect(divide(jobs, offers(20)) == ["j1": 4, "j2": 6, "j4": 10])
  }

  @Test func `what was cut off has its turn, and nobody has another one before that is known`() {
    var cut = job(1, of: "ana", ready: 1)
    cut.isCut = true
    func divide(_ slots: Int) -> (shares: [Int], isShort: Bool) {
      var share = FairShare(submitters: ["ana": .init(), "ben": .init()], turn: 0)
      return (share.divide([cut, job(2, of: "ben")], among: offers(slots)).map(\.count), share.isShort)
    }
    #expect(divide(2) == ([1, 1], false))
    #expect(divide(3) == ([1, 1], true))
  }

  @Test func `who had less goes first, though who went before had more`() {
    // The first turn moves the present on. It is then the same for both of the others.
    let jobs = [job(1, of: "cleo", priority: 1, ready: 1), job(2, of: "ben"), job(3, of: "ana")]
    let spent: [String: FairShare.Submitter] = ["cleo": .init(spent: 100), "ben": .init(spent: 7), "ana": .init(spent: 5)]
    #expect(divide(jobs, offers(2), spent) == ["j1": 1, "j3": 1])
  }

  @Test func `the share is of work, not of tasks`() {
    let jobs = [job(1, of: "ana", cost: 9), job(2, of: "ben", cost: 1)]
    #expect(divide(jobs, offers(100)) == ["j1": 10, "j2": 90])
  }

  @Test func `what was charged with the chunk that it was split off costs nothing`() {
    var share = FairShare(submitters: ["ana": .init()], turn: 0)
    var split = job(1, of: "ana", ready: 4, cost: 9)
    split.charged = [1, 3]
    #expect(share.divide([split], among: offers(2)).map(\.count) == [2])
    #expect(share.submitters["ana"]?.spent == 9)
    _ = share.divide([split], among: offers(4))
    #expect(share.submitters["ana"]?.spent == 27)
  }

  @Test func `a weight multiplies the share`() {
    let jobs = [job(1, of: "ana"), job(2, of: "ben")]
    #expect(divide(jobs, offers(40), ["ana": .init(weight: 3)]) == ["j1": 30, "j2": 10])
  }

  @Test func `a higher priority goes first, and what is left goes to the others`() {
    let jobs = [job(1, of: "ana"), job(2, of: "ben", priority: 1, ready: 3)]
    #expect(divide(jobs, offers(5)) == ["j1": 2, "j2": 3])
  }

  @Test func `a quota is kept, and the slots go to others`() {
    let jobs = [job(1, of: "ana", priority: 9), job(2, of: "ben")]
    #expect(divide(jobs, offers(5), ["ana": .init(slotsLeft: 2)]) == ["j1": 2, "j2": 3])
    #expect(divide(jobs, offers(5), ["ana": .init(slotsLeft: 0)]) == ["j2": 5])
  }

  @Test func `who rested earns no credit`() {
    var share = FairShare(submitters: ["ana": .init(spent: 1000, turn: 999), "ben": .init()], turn: 999)
    let shares = share.divide([job(1, of: "ana"), job(2, of: "ben")], among: offers(20))
    #expect(Set(shares.map(\.count)) == [10])
  }

  @Test func `over many rounds the shares stay even, whatever comes free when`() {
    var random = SeededRandom(seed: 7)
    var share = FairShare(submitters: ["ana": .init(), "ben": .init(weight: 2), "cleo": .init()], turn: 0)
    var given: [String: Double] = [:]
    for _ in 0..<500 {
      let jobs = [job(1, of: "ana", cost: 3), job(2, of: "ben", cost: 1), job(3, of: "cleo", cost: 0.5)]
      for share in share.divide(jobs, among: offers(Int.random(in: 1...3, using: &random))) {
        let job = jobs.first { $0.id == share.job }
        given[share.job, default: 0] += Double(share.count) * (job?.cost ?? 0)
      }
    }
    // The shares are equal within one task of the most expensive job.
    #expect(abs(given["j1", default: 0] - given["j3", default: 0]) <= 3)
    #expect(abs(given["j2", default: 0] - 2 * given["j1", default: 0]) <= 6)
  }

  @Test func `a job whose needs nobody meets holds up no other`() {
    let jobs = [job(1, of: "ana", priority: 5, needs: .init(tags: ["gpu"])), job(2, of: "ana")]
    #expect(divide(jobs, offers(4)) == ["j2": 4])
    #expect(divide(jobs, offers(4) + offers(2, ["gpu"])) == ["j1": 2, "j2": 4])
    #expect(divide([job(1, of: "ana", needs: .init(memory: 100))], offers(1, memory: 99)) == [:])
    #expect(divide([job(1, of: "ana", needs: .init(memory: 100))], offers(1, memory: 100)) == ["j1": 1])
  }

  @Test func `what needs nothing spares the workers that have more`() {
    let offers = offers(2, ["gpu"]) + offers(2)
    #expect(offers.best(for: Capabilities()) == 1)
    #expect(offers.best(for: Capabilities(tags: ["gpu"])) == 0)
    #expect(offers.best(for: Capabilities(tags: ["gpu", "av1"])) == nil)
    #expect(offers.best(for: Capabilities(), avoiding: offers[1].worker) == 0)
  }

  @Test func `a mux goes before chunks of any priority, to lanes first, and is charged to nobody`() {
    var jobs = [job(1, of: "ana", priority: 9, ready: 5), job(2, of: "ben", ready: 1), job(3, of: "cleo", ready: 1)]
    for light in [1, 2] { jobs[light].isLight = true }
    var share = FairShare(submitters: ["ana": .init(), "ben": .init(slotsLeft: 0), "cleo": .init()], turn: 0)
    let shares = share.divide(jobs, among: [Offer(worker: "w", epoch: "1", slots: 2, lanes: 1)])
    #expect(shares.map(\.job) == ["j2", "j3", "j1"])
    #expect(shares.map(\.count) == [1, 1, 1])
    #expect(share.submitters["ben"]?.spent == 0)
  }

  @Test func `the sound is charged as sound, and the chunks after it as chunks`() {
    var share = FairShare(submitters: ["ana": .init()], turn: 0)
    var both = job(1, of: "ana", ready: 3, cost: 9)
    both.firstCost = 2
    _ = share.divide([both], among: offers(3))
    #expect(share.submitters["ana"]?.spent == 20)
  }
}
