import Messages
import Scheduling
import Testing

/// The number of tasks that a claim asks each line of jobs for.
struct ClaimDepthTests {
  private func job(_ id: String, ready: Int = 1) -> FairShare.Job {
    FairShare.Job(id: id, submitter: id, priority: 0, number: 1, ready: ready, cost: 1)
  }

  private func share(_ id: String, _ count: Int) -> FairShare.Share {
    FairShare.Share(job: id, needs: Capabilities(), count: count)
  }

  @Test func `a claim begins as deep as the one before had to go, until less would have been enough`() {
    // Nine people have one task each, and one has all the others.
    let people = (1...9).map { job("person\($0)") }
    let jobs = people + [job("movie", ready: 100)]
    let (short, slots) = (people.map { share($0.id, 1) }, 40)
    var depth = ClaimDepth()
    let first = depth
    depth.deepen()
    let deep = depth
    depth.settle(short + [share("movie", 31)], of: jobs, slots: slots)
    #expect(depth == deep)
    // Eight tasks are the first depth. With as many, nobody knows whether there are more.
    depth.settle(short + [share("movie", 9)], of: jobs, slots: slots)
    #expect(depth == deep)
    depth.deepen()
    depth.settle(short + [share("movie", 9)], of: jobs, slots: slots)
    #expect(depth == deep)
    depth.settle(short + [share("movie", 8)], of: jobs, slots: slots)
    #expect(depth == first)
  }

  @Test func `a claim without jobs, or without slots, leaves the first depth`() {
    var depth = ClaimDepth()
    let first = depth
    depth.deepen()
    depth.settle([], of: [], slots: 0)
    #expect(depth == first)
  }
}
