import FarmTesting
import Glibc
import Messages
import Subprocess
import Testing
import ZeroMQ

/// The program's worker, with the test itself as the coordinator.
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
    // The interval is so long that no heartbeat is due. A worker whose heartbeats are not answered looks for another coordinator.
    try peer.say(.welcome(heartbeatMilliseconds: 60_000), to: route)
    try peer.say(.sweep, to: route)
    let listing = try peer.hear { if case .stored = $0 { true } else { false } }
    guard case .stored(_, _, let jobs) = listing.message else { return }
    #expect(Set(jobs) == ["mine", "yours"])
    try peer.say(.over([OverJob(id: "mine", output: directory.file("m.mp4"))]), to: route)
    // The order was accepted because no other sweep was running. Until it is done, the worker refuses others.
    try peer.wait { unsafe access(directory.file("store/mine"), F_OK) != 0 }
    #expect(try peer.stored(asking: route) == ["yours"])
    #expect(unsafe access(directory.file(".m.mp4.mine.1.part"), F_OK) != 0)
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

  /// The jobs that the worker lists. It is asked until it answers, because it refuses while it sweeps.
  func stored(asking route: [UInt8]) throws -> [String] {
    var jobs: [String]?
    try wait {
      try say(.sweep, to: route)
      while jobs == nil, let received = try router.receive() {
        let message = try Wire.decode(WorkerMessage.self, from: Array(received.frames.dropFirst()))
        if case .stored(_, _, let found) = message { jobs = found }
      }
      return jobs != nil
    }
    return jobs ?? []
  }

  /// Checks every few milliseconds until `condition` holds.
  func wait(until condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !condition() {
      guard ContinuousClock.now < deadline else { throw Silence() }
      usleep(20_000)
    }
  }
}
