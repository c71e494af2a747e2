import FarmTesting
import Glibc
import Messages
import Subprocess
import Testing
import ZeroMQ

/// The program's worker, and a coordinator that is the test itself.
@Suite(.serialized) struct SweepTests {
  @Test func `a worker tells what is in its store, and clears away what is over`() throws {
    let directory = TemporaryDirectory()
    for folder in ["store", "store/mine", "store/mine/7", "store/yours", "store/yours/8"] {
      #expect(unsafe mkdir(directory.file(folder), 0o755) == 0)
    }
    for file in ["store/mine/7/1.nut", "store/yours/8/1.nut", ".m.mp4.mine.1.part"] {
      try "x".write(toFile: directory.file(file))
    }
    let endpoint = "ipc://" + directory.file("farm")
    let router = try Socket(.router, in: Context(), SocketOptions())
    try router.bind(endpoint)
    var command = SpoolProgram.command([
      "worker", "--connect", endpoint, "--name", "anna", "--slots", "1", "--store", directory.file("store"), "--media-root", "/",
    ])
    command.errorOutput = .null
    let worker = try ChildProcess(command)
    let peer = Peer(router: router, worker: worker)

    let (route, _) = try peer.hear { if case .hello = $0 { true } else { false } }
    try peer.say(.welcome(heartbeatMilliseconds: 50), to: route)
    #expect(try Set(peer.stored(asking: route)) == ["mine", "yours"])
    try peer.say(.over([OverJob(id: "mine", output: directory.file("m.mp4"))]), to: route)
    var jobs: [String] = []
    // The listing is refused while the clearing runs: asked again, as the coordinator does.
    repeat { jobs = try peer.stored(asking: route) } while jobs.contains("mine")
    #expect(jobs == ["yours"])
    #expect(unsafe access(directory.file(".m.mp4.mine.1.part"), F_OK) != 0)
    #expect(unsafe access(directory.file("store/mine"), F_OK) != 0)
    #expect(unsafe access(directory.file("store/yours/8/1.nut"), F_OK) == 0)
  }
}

private struct Peer {
  let router: Socket
  let worker: ChildProcess

  struct Silence: Error {}

  func say(_ message: CoordinatorMessage, to route: [UInt8]) throws {
    #expect(try router.send([route] + Wire.encode(message)))
  }

  /// The next message for which `wanted` holds.
  func hear(_ wanted: (WorkerMessage) -> Bool) throws -> (route: [UInt8], message: WorkerMessage) {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      _ = try poll([.socket(router), .descriptor(worker.exitDescriptor)], timeout: .milliseconds(100))
      guard let received = try router.receive(), let route = received.frames.first else { continue }
      let message = try Wire.decode(WorkerMessage.self, from: Array(received.frames.dropFirst()))
      if wanted(message) { return (route, message) }
    }
    throw Silence()
  }

  /// What the worker lists, asked with every heartbeat until it answers.
  func stored(asking route: [UInt8]) throws -> [String] {
    while true {
      try say(.sweep, to: route)
      let heard = try hear { message in
        switch message {
        case .heartbeat, .stored: true
        default: false
        }
      }
      if case .stored(_, _, let jobs) = heard.message { return jobs }
    }
  }
}
