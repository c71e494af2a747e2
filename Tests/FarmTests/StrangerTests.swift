import FarmTesting
import Ledger
import Messages
import Subprocess
import Testing
import ZeroMQ

/// Messages to a coordinator from peers that do not belong to its farm.
@Suite(.serialized) struct StrangerTests {
  @Test func `garbage and oversized frames are dropped, and the next worker is welcome`() throws {
    let farm = try RealFarm()
    try farm.startCoordinator()
    let context = try Context()
    let header = try Wire.encode(WorkerMessage.goodbye(worker: "eve", epoch: "1"))[0]
    let rubbish: [[[UInt8]]] = [
      [], [[]], [[0xff, 0]], [header], [header, Array("{".utf8)], [header, [UInt8](repeating: 0x5b, count: 200_000)],
      Array(repeating: [1], count: 100), [header, [UInt8](repeating: 0x20, count: Wire.longestMessage + 1)],
    ]
    for (number, message) in rubbish.enumerated() where !message.isEmpty {
      let stranger = try Self.dealer("eve\(number)/1", context, farm.endpoint)
      try Self.send(message, from: stranger, farm)
    }
    let worker = try Self.dealer("anna/1", context, farm.endpoint)
    let hello = WorkerHello(worker: "anna", epoch: "1", host: "here", processID: 1, slots: 1, running: [])
    try Self.send(try Wire.encode(WorkerMessage.hello(hello)), from: worker, farm)
    #expect(try Self.answer(to: worker, farm) == .welcome(heartbeatMilliseconds: 500))
  }

  @Test func `without keys a coordinator listens at no network's address, unless it is told to`() throws {
    let farm = try RealFarm(coordinator: ["--insecure"])
    let refused = try farm.run(["coordinator", "--endpoint", "tcp://127.0.0.1:*"])
    let reason = "whoever reaches tcp://127.0.0.1:* could work for the farm"
    #expect(refused.status == .exited(64) && refused.errorOutput.contains(reason), "\(refused.errorOutput)")
    try farm.startCoordinator(at: "tcp://127.0.0.1:*")
    try farm.wait("it listens") { farm.read("coordinator.log").contains("endpoint=tcp://127.0.0.1:") }
  }

  @Test(arguments: [("3", 500), ("4", 666), ("5", 833), ("6", 1000), ("60", 1000)])
  func `a worker is asked for a sign of life six times in a lease, and once a second`(
    lease: String, milliseconds: Int
  ) throws {
    let farm = try RealFarm(lease: lease)
    try farm.startCoordinator()
    let worker = try Self.dealer("anna/1", Context(), farm.endpoint)
    let hello = WorkerHello(worker: "anna", epoch: "1", host: "here", processID: 1, slots: 1, running: [])
    try Self.send(try Wire.encode(WorkerMessage.hello(hello)), from: worker, farm)
    #expect(try Self.answer(to: worker, farm) == .welcome(heartbeatMilliseconds: milliseconds))
  }

  @Test func `a message in another's name is not believed`() throws {
    let farm = try RealFarm()
    try farm.startCoordinator()
    let eve = try Self.dealer("eve/1", Context(), farm.endpoint)
    let forged = WorkerHello(worker: "anna", epoch: "1", host: "here", processID: 1, slots: 8, running: [])
    try Self.send(try Wire.encode(WorkerMessage.hello(forged)), from: eve, farm)
    let honest = WorkerHello(worker: "eve", epoch: "1", host: "here", processID: 1, slots: 1, running: [])
    try Self.send(try Wire.encode(WorkerMessage.hello(honest)), from: eve, farm)
    #expect(try Self.answer(to: eve, farm) == .welcome(heartbeatMilliseconds: 500))
    #expect(try farm.ledger.workers().map(\.name) == ["eve"])
  }

  @Test func `a worker of another version is refused, with the reason`() throws {
    let farm = try RealFarm()
    try farm.startCoordinator()
    let old = try Self.dealer("anna/1", Context(), farm.endpoint)
    try Self.send([Array("spool/0".utf8), Array("{}".utf8)], from: old, farm)
    let reason = "the worker's message speaks spool/0, this is spool/\(Wire.version)"
    #expect(try Self.answer(to: old, farm) == .refused(reason: reason))
  }

  @Test func `with keys a job is done by the worker whose key is listed, until it is listed no longer`() throws {
    let (server, known) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
    let keys = try KeyFolder(server, known)
    let farm = try RealFarm(
      coordinator: ["--curve-secret-key", keys.path("server"), "--authorized-keys", keys.path("allowed")],
      worker: ["--curve-secret-key", keys.path("worker"), "--curve-server-key", keys.path("server.pub")])
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.waitDone(try farm.submit(chunks: 2))
    try keys.write("allowed", "# nobody\n")
    try farm.wait("anna is locked out") { try farm.ledger.workers().allSatisfy { !$0.isAlive } }
    let late = try farm.submit(chunks: 1)
    try farm.startWorker("anna")
    try farm.wait("anna is refused again") {
      try !farm.ledger.workers().isEmpty && farm.read("coordinator.log").contains("refused_key")
    }
    #expect(try farm.ledger.status(job: late)?.state == .queued)
  }

  @Test func `a worker whose key is listed later is let in, and again after it was removed for a while`() throws {
    let (server, known) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
    let keys = try KeyFolder(server, known)
    try keys.write("allowed", "")
    let farm = try RealFarm(
      coordinator: ["--curve-secret-key", keys.path("server"), "--authorized-keys", keys.path("allowed")],
      worker: ["--curve-secret-key", keys.path("worker"), "--curve-server-key", keys.path("server.pub")])
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.wait("anna is refused") { farm.read("coordinator.log").contains("refused_key") }
    try keys.write("allowed", "\(known.public)\n")
    try farm.waitDone(try farm.submit(chunks: 1))
    try keys.write("allowed", "# nobody\n")
    try farm.wait("anna is locked out") { try farm.ledger.workers().allSatisfy { !$0.isAlive } }
    try keys.write("allowed", "\(known.public)\n")
    try farm.waitDone(try farm.submit(chunks: 1))
    #expect(farm.read("coordinator.log").ranges(of: "event=allow_list_changed").count == 3, "each change is told once")
  }

  @Test func `a key speaks for the worker that its line names, and its results count for its own attempts, once`() throws {
    let (server, anna, ben) = (try CurveKeyPair.generate(), try CurveKeyPair.generate(), try CurveKeyPair.generate())
    let keys = try KeyFolder(server, anna)
    try keys.write("allowed", "\(anna.public) anna\n\(ben.public) ben\n")
    let farm = try RealFarm(
      coordinator: ["--curve-secret-key", keys.path("server"), "--authorized-keys", keys.path("allowed")])
    try farm.startCoordinator()
    let context = try Context()
    let bens = try Self.dealer("ben/1", context, farm.endpoint, .client(ben, server: server.public))
    try Self.send(try Wire.encode(Self.hello("ben")), from: bens, farm)
    #expect(try Self.answer(to: bens, farm) == .welcome(heartbeatMilliseconds: 500))

    let job = try farm.submit(chunks: 1)
    var orders: [AttemptOrder] = []
    while orders.count < 2 {
      if case .assign(let order)? = try Self.answer(to: bens, farm), !orders.contains(where: { $0.key == order.key }) {
        orders.append(order)
      }
      try Self.send(try Wire.encode(Self.hello("ben", running: orders.map(\.key))), from: bens, farm)
    }
    let key = orders[0].key
    func proof(_ file: String) -> Proof { .sample(of: orders[0].work, file: file) }
    let forged = proof("forged")

    // Anna uses his name with her key.
    let impostor = try Self.dealer("ben/2", context, farm.endpoint, .client(anna, server: server.public))
    try Self.send(try Wire.encode(Self.hello("ben", epoch: "2")), from: impostor, farm)
    #expect(try Self.answer(to: impostor, farm) == .refused(reason: "the key is not for a worker named 'ben'"))
    try Self.send(try Wire.encode(WorkerMessage.finished(worker: "ben", epoch: "1", key, forged)), from: impostor, farm)
    #expect(try Self.answer(to: impostor, farm) == .refused(reason: "the key is not for a worker named 'ben'"))

    // Anna uses her own name and key for an attempt that is his.
    let annas = try Self.dealer("anna/1", context, farm.endpoint, .client(anna, server: server.public))
    try Self.send(try Wire.encode(WorkerMessage.finished(worker: "anna", epoch: "1", key, forged)), from: annas, farm)
    try Self.await(.settled(key), at: annas, farm)
    let open = "select count(*) from spool.attempt where outcome is null and worker = 'ben' and epoch = '1'"
    #expect(try farm.psql(open) == "2")
    #expect(try farm.psql("select count(*) from spool.worker where name = 'ben' and epoch = '2'") == "0")

    // His own result counts, once.
    for file in ["own", "replayed"] {
      try Self.send(try Wire.encode(WorkerMessage.finished(worker: "ben", epoch: "1", key, proof(file))), from: bens, farm)
      try Self.await(.settled(key), at: bens, farm)
    }
    #expect(try farm.psql("select proof->>'file' from spool.attempt where task = \(key.task) and outcome = 'won'") == "own")
    #expect(try farm.ledger.status(job: job)?.state == .running)
  }

  private static func hello(_ worker: String, epoch: String = "1", running: [AttemptKey] = []) -> WorkerMessage {
    .hello(
      WorkerHello(
        worker: worker, epoch: epoch, host: "here", processID: 1, slots: 2,
        running: running.map { AttemptProgress(key: $0, done: 0, total: 1) }))
  }

  private static func await(_ expected: CoordinatorMessage, at dealer: Socket, _ farm: RealFarm) throws {
    while try answer(to: dealer, farm) != expected {}
  }

  private static func dealer(
    _ name: String, _ context: Context, _ endpoint: String, _ security: SocketOptions.Security = .none
  ) throws -> Socket {
    var options = SocketOptions()
    options.security = security
    options.routingID = Array(name.utf8)
    options.longestMessage = -1
    let dealer = try Socket(.dealer, in: context, options)
    try dealer.connect(endpoint)
    return dealer
  }

  private static func send(_ message: [[UInt8]], from dealer: Socket, _ farm: RealFarm) throws {
    try farm.wait("the coordinator takes a message") { try dealer.send(message) }
  }

  private static func answer(to dealer: Socket, _ farm: RealFarm) throws -> CoordinatorMessage? {
    var answer: Socket.Received?
    try farm.wait("the coordinator answers") {
      answer = try dealer.receive()
      return answer != nil
    }
    return try answer.map { try Wire.decode(CoordinatorMessage.self, from: $0.frames) }
  }
}
