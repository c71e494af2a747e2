import FoundationEssentials
import Glibc
import Ledger
import Messages
import Subprocess
import Testing
import ZeroMQ

/// Strangers who reach the port without a listed key.
@Suite(.serialized) struct FloodTests {
  @Test func `while strangers hold all connections, a key is revoked and the database is reached again`() throws {
    let (server, anna) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
    let keys = try KeyFolder(server, anna)
    let (farm, port) = try Self.start(keys, openFiles: 96)
    try farm.startWorker("anna", at: "tcp://127.0.0.1:\(port)")
    try farm.wait("anna works") { try farm.ledger.workers().contains { $0.isAlive } }

    let flood = Flood(port: port)
    try farm.wait("no descriptor is left") {
      flood.keepUp()
      return try Self.mostDescriptors(farm) >= 96
    }
    try keys.write("allowed", "# nobody\n")
    try farm.wait("the list is read again") {
      flood.keepUp()
      return farm.read("coordinator.log").contains("event=allow_list_changed")
    }
    try farm.wait("anna is locked out") {
      flood.keepUp()
      return try farm.ledger.workers().allSatisfy { !$0.isAlive }
    }
    let session =
      "from pg_stat_activity where application_name = 'spool coordinator coordinator' and datname = current_database()"
    let former = try farm.psql("select pid \(session)")
    _ = try farm.psql("select pg_terminate_backend(pid) \(session)")
    try farm.wait("the coordinator has a session again") {
      flood.keepUp()
      let pids = try farm.psql("select pid \(session)")
      return !pids.isEmpty && pids != former
    }
    #expect(try Self.mostDescriptors(farm) >= 90, "the flood was over before")
  }

  @Test func `a key that is refused is logged once, with the address that it came from`() throws {
    let (server, known) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
    let (farm, port) = try Self.start(try KeyFolder(server, known))
    let (context, stranger, other) = (try Context(), try CurveKeyPair.generate(), try CurveKeyPair.generate())
    // A socket whose key was refused gives up, so each try has a socket of its own. The third refusal has surely happened once
    // that of the fourth socket, with another key, is logged.
    let sockets = try [stranger, stranger, stranger, other].map { keys in
      var options = SocketOptions()
      options.security = .client(keys, server: server.public)
      let socket = try Socket(.dealer, in: context, options)
      let monitor = try ConnectionMonitor(of: socket, in: context)
      try socket.connect("tcp://127.0.0.1:\(port)")
      try farm.wait("the key is refused") { try monitor.events().contains(.keyRefused(status: 400)) }
      return socket
    }
    #expect(sockets.count == 4)
    let lines = farm.read("coordinator.log").split(separator: "\n").filter { $0.contains("event=refused_key") }
    #expect(lines.count == 2)
    for (line, keys) in zip(lines, [stranger, other]) {
      #expect(line.contains(keys.public.description) && line.hasSuffix(" address=127.0.0.1"), "\(line)")
    }
  }

  private static func start(_ keys: KeyFolder, openFiles: Int? = nil) throws -> (RealFarm, port: UInt16) {
    let farm = try RealFarm(
      coordinator: ["--curve-secret-key", keys.path("server"), "--authorized-keys", keys.path("allowed")],
      worker: ["--curve-secret-key", keys.path("worker"), "--curve-server-key", keys.path("server.pub")])
    try farm.startCoordinator(at: "tcp://127.0.0.1:*", openFiles: openFiles)
    var port: UInt16?
    try farm.wait("it listens") {
      port = farm.read("coordinator.log").firstMatch(of: #/endpoint=tcp://127\.0\.0\.1:(\d+)/#).flatMap { UInt16($0.1) }
      return port != nil && farm.read("coordinator.log").contains("event=leads")
    }
    return (farm, try #require(port))
  }

  /// The most descriptors of any thread of the coordinator, because threads may have different tables.
  private static func mostDescriptors(_ farm: RealFarm) throws -> Int {
    let process = try #require(farm.coordinator).processID
    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")
    return try threads.map { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task/\($0)/fd").count }.max()
      ?? 0
  }
}

/// Connections that say nothing and are opened again as soon as they are closed.
private final class Flood {
  private let port: UInt16
  private var descriptors: [Int32] = []

  init(port: UInt16) { self.port = port }

  deinit { descriptors.forEach { close($0) } }

  /// Opens 300 connections without waiting for any, and reopens those that have ended.
  func keepUp() {
    descriptors.removeAll { descriptor in
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&entry, 1, 0) > 0 else { return false }
      close(descriptor)
      return true
    }
    while descriptors.count < 300 {
      let descriptor = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
      guard descriptor >= 0 else { return }
      var address = sockaddr_in()
      (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
      address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
      unsafe withUnsafePointer(to: address) { address in
        _ = unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      descriptors.append(descriptor)
    }
  }
}
