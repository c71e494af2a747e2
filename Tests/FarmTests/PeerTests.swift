import FarmTesting
import Glibc
import Ledger
import Messages
import Subprocess
import Testing
import ZeroMQ

/// Peers that misuse their connections. None of it ends a coordinator.
///
/// The farm has no keys, so that tests can do by hand what any implementation of ZeroMQ's protocol may do.
@Suite(.serialized) struct PeerTests {
  @Test func `two connections under one name, of which one goes on and closes, do not end the coordinator`() throws {
    let farm = try RealFarm()
    try Self.start(farm)
    for _ in 0..<4 {
      let first = try RawPeer("eve/1", at: Self.socket(farm))
      try first.send(RawPeer.question)
      try first.awaitAnswer()
      let second = try RawPeer("eve/1", at: Self.socket(farm))
      try second.send(RawPeer.question)
      try second.awaitAnswer()
      // The coordinator does not read the first connection any more. Its messages stay there, and so does its end.
      for _ in 0..<50 { try first.send(RawPeer.message) }
    }
    // The time is longer than any interval at which connections are checked.
    try Self.expectService(farm, for: .seconds(4))
  }

  @Test func `a peer that fills its queue with words and pings while the database stands still, and dies, does not end it`()
    throws
  {
    let farm = try RealFarm()
    try Self.start(farm)
    let lock = try Self.stall(farm)
    do {
      let peer = try RawPeer("eve/1", at: Self.socket(farm))
      for _ in 0..<20 { try peer.send([[UInt8]](repeating: RawPeer.message + RawPeer.ping, count: 100).flatMap(\.self)) }
    }
    lock.signal(SIGKILL)
    _ = try lock.wait()
    _ = try farm.psql(
      "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()")
    try Self.expectService(farm, for: .seconds(3))
  }

  @Test func `a peer that says more than any worker may is heard in part, and others in full`() throws {
    let farm = try RealFarm()
    try Self.start(farm)
    let loud = try RawPeer("eve/1", at: Self.socket(farm))
    for _ in 0..<50 { try loud.send([[UInt8]](repeating: RawPeer.message, count: 1000).flatMap(\.self)) }
    try Self.expectService(farm, for: .seconds(1))
  }

  private static func socket(_ farm: RealFarm) -> String { String(farm.endpoint.dropFirst("ipc://".count)) }

  private static func start(_ farm: RealFarm) throws {
    try farm.startCoordinator()
    try farm.wait("it leads") { farm.read("coordinator.log").contains("event=leads") }
  }

  /// Keeps the coordinator waiting for a lock until the process ends.
  private static func stall(_ farm: RealFarm) throws -> ChildProcess {
    let hold = "begin; lock table spool.leader in access exclusive mode; select pg_sleep(60)"
    let lock = try ChildProcess(
      Command("/usr/bin/psql", [farm.url, "-c", hold], environment: ["PATH": "/usr/bin:/bin"], output: .null, errorOutput: .null)
        .endingWithTests())
    try farm.wait("the coordinator waits for the database") {
      try farm.psql(
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'spool coordinator coordinator' "
          + "and datname = current_database()") != "0"
    }
    return lock
  }

  /// Expects that a worker is heard and answered during the whole time.
  private static func expectService(_ farm: RealFarm, for length: Duration) throws {
    var options = SocketOptions()
    options.routingID = Array("anna/1".utf8)
    let worker = try Socket(.dealer, in: Context(), options)
    try worker.connect(farm.endpoint)
    let hello = WorkerHello(worker: "anna", epoch: "1", host: "here", processID: 1, slots: 1, running: [])
    let (message, end) = (try Wire.encode(WorkerMessage.hello(hello)), ContinuousClock.now + length)
    var answers = 0
    try farm.wait("the coordinator goes on") {
      try #require(try farm.coordinator?.poll() == nil, "the coordinator ended: \(farm.read("coordinator.log").suffix(300))")
      _ = try worker.send(message)
      while try worker.receive() != nil { answers += 1 }
      return answers > 1 && ContinuousClock.now > end
    }
  }
}
