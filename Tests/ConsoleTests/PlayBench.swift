import Console
import Examination
import FarmTesting
import FoundationEssentials
import Glibc
import Ledger
import Media
import Messages
import Operations
import Rendering
import Scheduling
import SpoolCompositing
import WebServer

/// A console that plays, and a job of real media whose tasks the tests do themselves: four chunks of 24 frames and 3.84 s of sound.
final class PlayBench {
  let console: ConsoleBench
  let job: String
  /// The path of the movie.
  let movie: String
  private var orders: [AttemptOrder] = []

  static let document = """
    {"spool": 1, "assets": {"clip": {"path": "clip.mkv"}},
     "composition": {"tracks": [
       {"id": "picture", "media": "video", "segments": [{"asset": "clip", "source": {"start": "0", "duration": "3.84"}}]},
       {"id": "sound", "media": "audio", "segments": [{"asset": "clip", "source": {"start": "0", "duration": "3.84"}}]}]},
     "export": {"fileType": "mp4", "video": {"codec": "h264", "crf": 23, "speed": "fast"}, "audio": {"codec": "aac"}}}
    """

  /// - Parameter output: the movie's path from the console's folder.
  init(
    tokens: [String: Role]? = nil, document: String = PlayBench.document, output: String = "movie.mp4", keepsSegments: Bool = true
  ) throws {
    console = try ConsoleBench(tokens: tokens, plays: true)
    guard unsafe mkdir(console.store, 0o777) == 0 else { throw MediaTools.Failure(description: "no folder for the store") }
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=size=192x108:rate=25:duration=4", "-f", "lavfi", "-i",
      "sine=440:duration=4:sample_rate=48000",
      "-c:v", "ffv1", "-c:a", "flac", "\(console.folder)/clip.mkv",
    ])
    let path = "\(console.folder)/edit.json"
    try document.write(toFile: path, atomically: true, encoding: .utf8)
    movie = "\(console.folder)/\(output)"
    _ = try console.ledger.lead(Candidate(name: "c", epoch: "1", isNew: false))
    try console.ledger.register(WorkerHello(worker: "w", epoch: "1", host: "h", processID: 1, slots: 9, running: []))
    var request = SubmitRequest(document: path, output: movie)
    (request.chunkFrames, request.submitter, request.keepsSegments) = (24, "ana", keepsSegments)
    let database = console.database
    var setting = ExaminationSetting(roots: [console.folder], library: nil)
    setting.executable = SpoolProgram.executable
    job = try Farm { () throws(Complaint) in database }.submit(
      request, reading: MediaAccess(compositors: CompositorRegistry()) { [setting] _ in setting }
    ) { _ in }.job
  }

  /// Gives out the next tasks. The worker may have been silent for long, as a test is that waits.
  @discardableResult func claim(_ slots: Int = 1) throws -> [AttemptOrder] {
    _ = try console.ledger.lead(Candidate(name: "c", epoch: "1", isNew: false))
    _ = try console.ledger.heartbeat(worker: "w", epoch: "1", running: [])
    orders += try console.ledger.claim(for: [FreeSlots(worker: "w", epoch: "1", slots: slots, lanes: 1)]).map(\.order)
    return orders
  }

  /// Does a task that was given out.
  func finish(_ order: AttemptOrder) throws {
    var last: AttemptReport?
    let store = SegmentStore(root: console.store)
    AttemptRunner(order: order, store: store, policy: SourcePolicy(roots: [console.folder])) { last = $0 }.run()
    guard case .finished(let proof) = last else {
      throw MediaTools.Failure(description: "\(order.key): \(String(describing: last))")
    }
    _ = try console.ledger.commit(order.key, worker: "w", epoch: "1", proof: proof)
    orders.removeAll { $0.key == order.key }
  }

  /// Does all that is left of the job.
  func finishAll() throws {
    while case let given = try claim(9), !given.isEmpty { for order in given { try finish(order) } }
  }

  /// The order of the chunk that begins at a frame, which is given out; nil where it is not.
  func order(from frame: Int) -> AttemptOrder? {
    orders.first { if case .picture(let frames) = $0.work { frames.first == frame } else { false } }
  }

  func address(_ part: String) -> String { "http://127.0.0.1:\(console.server.port)/api/v1/jobs/\(job)/\(part)" }

  func get(_ part: String, _ headers: [String: String] = [:]) throws -> WebAnswer {
    try console.get("/api/v1/jobs/\(job)/\(part)", headers)
  }
}
