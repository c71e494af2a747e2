import FarmTesting
import Glibc
import Messages
import Remote
import Testing
import Transfer

/// The bucket is one of moto, a server that shares no code with this project and checks every signature.
@Suite(.serialized, .enabled("scripts/test installs moto", { S3Server.isInstalled })) struct S3BucketTests {
  static let server = Result { try S3Server() }
  private let directory = TemporaryDirectory()

  private func bucket(_ prefix: String, secret: String? = nil) throws -> S3Bucket {
    var environment = try Self.server.get().environment
    if let secret { environment["AWS_SECRET_ACCESS_KEY"] = secret }
    return try S3Bucket(try #require(S3Location("s3://farm/\(prefix)")), S3Account(environment: environment))
  }

  private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    try bytes.write(toFile: directory.file(name))
    return directory.file(name)
  }

  @Test func `what is put is got again, byte for byte`() throws {
    let bucket = try bucket("round")
    var random = SeededRandom(seed: 1)
    let bytes = (0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    try bucket.put(try file("a", bytes), as: "job/1/1.nut")
    #expect(try bucket.byteCount(of: "job/1/1.nut") == 3_000_000)
    try bucket.get("job/1/1.nut", to: directory.file("b"), byteCount: 3_000_000)
    #expect(try [UInt8](contentsOf: directory.file("b")) == bytes)
  }

  @Test func `putting again is no fault where the content is as long, and one where it is not`() throws {
    let bucket = try bucket("again")
    try bucket.put(try file("a", [1, 2, 3]), as: "k")
    try bucket.put(try file("a", [1, 2, 3]), as: "k")
    let error = try #require(throws: TransferError.self) { try bucket.put(try file("b", [1, 2, 3, 4]), as: "k") }
    #expect(error.kind == .changed)
    #expect(try bucket.byteCount(of: "k") == 3)
  }

  @Test func `what there is not is missing, and may be removed`() throws {
    let bucket = try bucket("missing")
    #expect(try bucket.byteCount(of: "k") == nil)
    try bucket.remove("k")
    let error = try #require(throws: TransferError.self) { try bucket.get("k", to: directory.file("k"), byteCount: 1) }
    #expect(error.kind == .missing)
  }

  @Test func `an object of another length than expected has changed`() throws {
    let bucket = try bucket("length")
    try bucket.put(try file("a", [1, 2, 3]), as: "k")
    for count in [2, 4] as [Int64] {
      let error = try #require(throws: TransferError.self) { try bucket.get("k", to: directory.file("k"), byteCount: count) }
      #expect(error.kind == .changed)
    }
  }

  @Test func `listings go on over pages, and names keep their characters`() throws {
    let bucket = try bucket("list & more")
    let empty = try file("a", [])
    let keys = (0..<1005).map { "job\($0 % 3)/\($0)" } + ["歌 & <x>+y%/1"]
    for key in keys { try bucket.put(empty, as: key) }
    #expect(Set(try bucket.objects().map(\.key)) == Set(keys))
    #expect(try bucket.objects(below: "job1/").count == 335)
    #expect(Set(try bucket.folders()) == ["job0", "job1", "job2", "歌 & <x>+y%"])
  }

  @Test func `a place may have any name`() throws {
    let bucket = try bucket("séparé/歌 & 👩‍👩‍👧")
    for key in ["job/7/1.nut", "job/8/1.nut"] { try bucket.put(try file("a", [1]), as: key) }
    #expect(try bucket.folders() == ["job"])
    #expect(Set(try bucket.objects().map(\.key)) == ["job/7/1.nut", "job/8/1.nut"])
    try S3SegmentStore(bucket).clear([.init(id: "job", output: directory.file("m.mp4"))])
    #expect(try bucket.objects().isEmpty)
  }

  @Test func `a wrong key is refused at once, with the server's reason`() throws {
    let error = try #require(throws: TransferError.self) { try bucket("x", secret: "wrong").folders() }
    #expect(error.kind == .refused && error.reason == "the server refuses it (HTTP status 403, SignatureDoesNotMatch)")
    #expect(!error.description.contains("wrong"))
  }

  @Test func `a store in S3 is swept as a directory is`() throws {
    let place = try bucket("swept")
    let store = S3SegmentStore(place)
    for key in ["over/7/1.nut", "over/8/2.nut", "over/notes.txt", "live/7/1.nut", "young/1/1.nut"] {
      try place.put(try file("a", [1]), as: key)
    }
    try "x".write(toFile: directory.file(".m.mp4.over.1.part"))
    #expect(Set(try store.jobs()) == ["over", "live", "young"])
    try store.clear([
      .init(id: "over", output: directory.file("m.mp4")), .init(id: "young", output: nil), .init(id: "../x", output: "/"),
    ])
    #expect(Set(try place.objects().map(\.key)) == ["over/notes.txt", "live/7/1.nut", "young/1/1.nut"])
    #expect(unsafe access(directory.file(".m.mp4.over.1.part"), F_OK) != 0)
  }
}

/// The server fails as its buckets' names say.
@Suite struct BrokenTransferTests {
  private let directory = TemporaryDirectory()
  private let server: FaultyServer
  private let content: [UInt8] = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 11 &+ $0 >> 8) }

  init() throws {
    try content.write(toFile: directory.file("a"))
    server = try FaultyServer(folder: directory.path)
  }

  private func get(from bucket: String) throws -> [UInt8] {
    var retries = Retries()
    (retries.tries, retries.firstMilliseconds) = (4, 1)
    let signature = AWSSignature(accessKey: "x", secretKey: "x", region: "us-east-1")
    let bucket = try S3Bucket(
      try #require(S3Location("s3://\(bucket)")), S3Account(endpoint: server.url, signature: signature), retries: retries)
    try bucket.get("a", to: directory.file("b"), byteCount: Int64(content.count))
    return try [UInt8](contentsOf: directory.file("b"))
  }

  @Test(arguments: ["cmm", "ccm", "c5m"])
  func `a transfer that breaks is resumed with the version that it began with`(bucket: String) throws {
    #expect(try get(from: bucket) == content)
    #expect(try server.requests(of: bucket) == bucket.count - (bucket == "cmm" ? 1 : 0))
  }

  @Test func `what has become another version meanwhile is not put together with the first`() throws {
    let error = try #require(throws: TransferError.self) { _ = try get(from: "cvv") }
    #expect(error.kind == .changed && error.status == 412)
  }
}
