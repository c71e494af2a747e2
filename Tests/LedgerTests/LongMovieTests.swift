import FarmTesting
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Testing

/// A movie of as many chunks as a plan may have.
struct LongMovieTests {
  private static let chunks = ChunkPlan.mostChunks

  @Test func `a movie of the most chunks is muxed, each of them in its place`() throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    try bench.register("a")
    try Connection(url: try #require(bench.url), applicationName: "spool chunks", limits: .longWork).run(
      """
      insert into spool.submitter (name) values ('tester');
      insert into spool.job (id, submitter, priority, output, frame_count, chunk_count, parts_left)
      values ('long', 'tester', 0, '/o/long', 10 * \(Self.chunks), \(Self.chunks), 0);
      insert into spool.job_spec (job, document, facts, overwrites, keeps_segments) values ('long', '{}', '{}', true, false);
      insert into spool.task (job, ordinal, kind, state, first_frame, frame_count, cost, attempts)
      select 'long', n, 'picture', 'done', 10 * n, 10, 1, 1 from generate_series(\(Self.chunks - 1), 0, -1) n;
      insert into spool.task (job, ordinal, kind, state, cost) values ('long', \(Self.chunks), 'mux', 'ready', 1);
      insert into spool.attempt (task, number, worker, epoch, outcome, ended_at, progress_deadline, proof)
      select id, 1, 'a', '1', 'won', clock_timestamp(), clock_timestamp(), json_build_object(
        'kind', 'picture', 'file', 'long/' || id || '-1.seg', 'byteCount', id, 'byteDigest', md5(id::text),
        'contentDigest', md5('c' || id), 'parameterSetDigest', md5(''),
        'frames', json_build_object('first', first_frame, 'count', frame_count))
      from spool.task where job = 'long' and kind = 'picture'
      """)
    let order = try #require(try bench.claim().first)
    guard case .mux(let pictures, let sounds) = order.work, sounds.isEmpty else {
      Issue.record("no mux without sound")
      return
    }
    #expect(pictures.map(\.proof.frames.first) == (0..<Self.chunks).map { $0 * 10 })
    for winner in pictures {
      let file = winner.proof.segment.file
      guard winner.key.attempt == 1, file.path == "long/\(winner.key.task)-1.seg", file.byteCount == winner.key.task else {
        Issue.record("\(winner.key) has the proof of another: \(file)")
        return
      }
    }
    // The order is one message, short enough to be sent, and says all this.
    let message = try Wire.encode(CoordinatorMessage.assign(order))
    guard case .assign(let sent) = try Wire.decode(CoordinatorMessage.self, from: message) else {
      Issue.record("another message")
      return
    }
    #expect(sent == order)
  }
}
