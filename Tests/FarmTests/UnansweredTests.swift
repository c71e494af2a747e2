import Glibc
import Ledger
import Testing
import ZeroMQ

/// Workers that no coordinator serves. They say so, with the likely cause.
@Suite(.serialized) struct UnansweredTests {
  @Test func `a worker whose key is not listed says so within seconds, and that it is answered once the key is listed`() throws {
    let (server, known) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
    let keys = try KeyFolder(server, known)
    try keys.write("allowed", "# nobody\n")
    let farm = try Self.farm(keys, worker: Self.keyed(keys))
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let cause = "the coordinator does not let it in: the worker's public key is not in the coordinator's list"
    try Self.expect(farm, farm.endpoint, cause)
    try keys.write("allowed", "\(known.public)\n")
    try farm.wait("anna is answered") {
      farm.read("anna.log").contains("event=answered endpoint=\(farm.endpoint) after_seconds=")
    }
  }

  @Test func `a worker with another coordinator's key says so`() throws {
    let (server, known) = (try CurveKeyPair.generate(), try CurveKeyPair.generate())
    let keys = try KeyFolder(server, known)
    try keys.write("server.pub", "\(try CurveKeyPair.generate().public)\n")
    let farm = try Self.farm(keys, worker: Self.keyed(keys))
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try Self.expect(farm, farm.endpoint, "--curve-server-key is not that coordinator's public key")
  }

  @Test func `a worker without keys at a coordinator with keys says so`() throws {
    let keys = try KeyFolder(.generate(), .generate())
    let farm = try Self.farm(keys, worker: [])
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try Self.expect(farm, farm.endpoint, "the coordinator wants keys (--curve-secret-key, --curve-server-key)")
  }

  @Test func `a worker with keys at a coordinator without keys says so`() throws {
    let keys = try KeyFolder(.generate(), .generate())
    let farm = try RealFarm(worker: Self.keyed(keys))
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try Self.expect(farm, farm.endpoint, "the coordinator has no keys, or it is no coordinator")
  }

  @Test func `a worker at a port where nobody listens says so`() throws {
    let farm = try RealFarm()
    let port = try Self.port(listens: false)
    defer { close(port.descriptor) }
    try farm.startWorker("anna", at: "tcp://127.0.0.1:\(port.number)")
    try Self.expect(farm, "tcp://127.0.0.1:\(port.number)", "the connection is refused or nobody is reached")
  }

  @Test func `a worker at a port where something else listens says so`() throws {
    let farm = try RealFarm()
    let port = try Self.port(listens: true)
    defer { close(port.descriptor) }
    try farm.startWorker("anna", at: "tcp://127.0.0.1:\(port.number)")
    try Self.expect(farm, "tcp://127.0.0.1:\(port.number)", "something takes the connection and says nothing")
  }

  /// A farm whose coordinator has the keys of the folder.
  private static func farm(_ keys: KeyFolder, worker: [String]) throws -> RealFarm {
    try RealFarm(
      coordinator: ["--curve-secret-key", keys.path("server"), "--authorized-keys", keys.path("allowed")], worker: worker)
  }

  private static func keyed(_ keys: KeyFolder) -> [String] {
    ["--curve-secret-key", keys.path("worker"), "--curve-server-key", keys.path("server.pub")]
  }

  /// Expects the first line of the log, which comes within five seconds of the start.
  private static func expect(_ farm: RealFarm, _ endpoint: String, _ cause: String) throws {
    try farm.wait("anna says that nobody answers") { farm.read("anna.log").contains("event=unanswered") }
    let line = try #require(farm.read("anna.log").split(separator: "\n").first { $0.contains("event=unanswered") })
    #expect(line.contains("endpoint=\(endpoint) seconds=4 cause=") && line.contains(cause), "\(line)")
  }

  /// A port of this machine that stays reserved.
  private static func port(listens: Bool) throws -> (descriptor: Int32, number: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, size) + getsockname(descriptor, $0, &size)
      }
    }
    try #require(bound == 0 && (!listens || listen(descriptor, 8) == 0))
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }
}
