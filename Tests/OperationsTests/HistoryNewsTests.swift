import Ledger
import Operations
import Testing

@Suite struct `What is told of a job's history` {
  private static func entry(_ second: Int, _ after: String, task: Int64? = nil) -> HistoryEntry {
    HistoryEntry(
      at: "2026-11-24T09:00:0\(second).250Z", entity: task == nil ? "job" : "attempt", task: task, number: task.map { _ in 1 },
      worker: task.map { _ in "anna" }, before: "queued", after: after, reason: nil)
  }

  @Test func `is each change once, the oldest first, and at first the last ones`() {
    var news = HistoryNews(past: 2)
    let all = [Self.entry(4, "done"), Self.entry(3, "running", task: 7), Self.entry(2, "running"), Self.entry(1, "queued")]
    let first = news.take(Array(all.dropFirst()))
    #expect(first.fresh == [all[2], all[1]] && !first.missed)
    let second = news.take(all)
    #expect(second.fresh == [all[0]] && !second.missed)
    #expect(news.take(all).fresh == [])
    #expect(news.take([Self.entry(9, "failed")]).missed, "no entry of the last look is left, so some between may be")
  }

  @Test func `is a line a change`() {
    #expect(Self.entry(3, "running", task: 7).sentence == "09:00:03.250 task 7, attempt 1 queued → running on anna")
    #expect(Self.entry(1, "done").sentence == "09:00:01.250 job queued → done")
  }
}
