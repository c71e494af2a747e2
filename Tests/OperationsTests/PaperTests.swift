import FarmTesting
import Ledger
import Messages
import Operations
import Scheduling
import Testing

@Suite struct `A job's report` {
  @Test func `it has what the record has, and text of others is text`() throws {
    let bench = try FarmBench()
    try bench.submit(submitter: "<script>alert('ana')</script>")
    try bench.start(worker: "<b>anna</b>")
    let order = try #require(try bench.claim("<b>anna</b>").first)
    let log = AttemptLog(text: "h264: bad\u{1b}[2J <i>packet</i>\nnext", byteCount: 40)
    try bench.ledger.keep([LoggedAttempt(worker: "<b>anna</b>", epoch: "1", key: order.key, log: log)])
    _ = try bench.ledger.fail(order.key, worker: "<b>anna</b>", epoch: "1", Failure(.content, at: "assets.a", "is broken & gone"))
    let html = try bench.farm.paper(job: "job")
    for words in [
      "<h1>Job job: failed</h1>", "<dt>Movie</dt><dd>/out/job.mp4</dd>", "<dt>Frames</dt><dd>0 of 20</dd>",
      "content: assets.a: is broken &amp; gone", "&lt;script&gt;alert(&#39;ana&#39;)&lt;/script&gt;",
      "<td>&lt;b&gt;anna&lt;/b&gt;</td>", "<pre>h264: bad\\u{1B}[2J &lt;i&gt;packet&lt;/i&gt;\nnext</pre>", "<td>submit</td>",
      "<rect class=\"lost\"",
    ] { #expect(html.contains(words), "\(words)") }
    #expect(!html.contains("<script") && !html.contains("\u{1b}") && !html.contains("http"))
    #expect(try complaint { _ = try bench.farm.paper(job: "none") }?.exit == .noInput)
    let tables = html.split(separator: "<table>").dropFirst().map { $0.split(separator: "</table>")[0] }
    #expect(tables.count >= 3)
    for rows in tables.map({ $0.split(separator: "<tr>").dropFirst() }) {
      let heads = rows.first.map { $0.ranges(of: "<th ").count }
      #expect(heads ?? 0 > 1 && rows.count > 1 && rows.allSatisfy { $0.ranges(of: "</tr>").count == 1 }, "\(rows)")
      #expect(rows.dropFirst().allSatisfy { $0.ranges(of: "<td>").count == heads }, "\(rows)")
    }
  }
}
