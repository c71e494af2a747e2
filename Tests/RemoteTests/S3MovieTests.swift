import FarmTesting
import Formats
import Media
import Messages
import Remote
import Testing
import Transfer

/// Movies that are published in a bucket of moto.
@Suite(.serialized, .enabled("scripts/test installs moto", { S3Server.isInstalled })) struct S3MovieTests {
  private static let server = Result { try S3Server() }
  private let directory = TemporaryDirectory()
  private let server: S3Server
  /// The movie's bytes: two parts of the least size that S3 allows, and a rest.
  private static let bytes: [UInt8] = (0..<11 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 11) }

  init() throws {
    server = try Self.server.get()
    try server.breaks(nil)
  }

  private func movie(_ key: String, bucket: String = "farm", secret: String? = nil) throws -> S3Movie {
    var environment = server.environment
    if let secret { environment["AWS_SECRET_ACCESS_KEY"] = secret }
    var retries = Retries()
    (retries.tries, retries.firstMilliseconds) = (3, 1)
    return try S3Movie(
      MediaURL("s3://\(bucket)/\(key)"), S3Account(environment: environment), retries: retries, stallSeconds: 5,
      leastPart: 5 << 20)
  }

  /// Writes a muxed movie.
  private func muxed(_ bytes: [UInt8] = Self.bytes) throws -> (path: String, winner: Winner<FileProof>) {
    let path = directory.file("1.movie")
    try bytes.write(toFile: path)
    let digest = try FileDigest(ofMovie: path)
    return (
      path,
      Winner(
        key: AttemptKey(task: 3, attempt: 1),
        proof: FileProof(path: "j/3/1.movie", byteCount: digest.byteCount, byteDigest: digest.hash))
    )
  }

  @Test func `a movie goes there in parts and is the same, with its type, and with its checksums beside it`() throws {
    let (path, winner) = try muxed()
    var sent: Int64 = 0
    try movie("a b/é+.mp4").publish(path, of: winner, as: .mp4, overwrites: false, .init(checksum: .sha256)) { sent = $0 }
    #expect(sent == winner.proof.byteCount)
    #expect(try server.list("a b/") == ["object a b/é+.mp4 11534336 video/mp4", "object a b/é+.mp4.sha256 74 text/plain"])
    try server.get("a b/é+.mp4", to: directory.file("got"))
    #expect(try [UInt8](contentsOf: directory.file("got")) == Self.bytes)
    try server.get("a b/é+.mp4.sha256", to: directory.file("é+.mp4.sha256"))
    let line = String(decoding: try [UInt8](contentsOf: directory.file("é+.mp4.sha256")), as: UTF8.self)
    #expect(line.hasSuffix("  é+.mp4\n") && line.utf8.count == 74)
    // An attempt whose report was lost finds what it did, even when the movie's file is gone.
    let sums = S3Movie.Companions(checksum: .sha256)
    try movie("a b/é+.mp4").publish(directory.file("gone"), of: winner, as: .mp4, overwrites: false, sums) { _ in }
  }

  @Test func `what is there is kept or replaced, as it is asked for`() throws {
    let (path, winner) = try muxed([1, 2, 3])
    try movie("kept/m.mp4").publish(path, of: winner, as: .mp4, overwrites: false, .init()) { _ in }
    #expect(try movie("kept/m.mp4").objection(overwrites: false, nil)?.place == "s3://farm/kept/m.mp4")
    #expect(try movie("kept/m.mp4").objection(overwrites: true, nil) == nil)
    let (other, next) = try muxed([4, 5, 6, 7])
    let failure = try #require(throws: Failure.self) {
      try movie("kept/m.mp4").publish(other, of: next, as: .mp4, overwrites: false, .init()) { _ in }
    }
    #expect(failure == Failure(.content, at: "s3://farm/kept/m.mp4", "exists already"))
    #expect(try server.list("kept/") == ["object kept/m.mp4 3 video/mp4"])
    try movie("kept/m.mp4").publish(other, of: next, as: .mp4, overwrites: true, .init()) { _ in }
    #expect(try server.list("kept/") == ["object kept/m.mp4 4 video/mp4"])
  }

  @Test func `where the checksums have no place there is no movie`() throws {
    try ([9] as [UInt8]).write(toFile: directory.file("x"))
    try server.put(directory.file("x"), as: "sums/m.mp4.md5")
    let (path, winner) = try muxed([1, 2, 3])
    #expect(try movie("sums/m.mp4").objection(overwrites: false, .md5)?.place == "s3://farm/sums/m.mp4.md5")
    let failure = try #require(throws: Failure.self) {
      try movie("sums/m.mp4").publish(path, of: winner, as: .mp4, overwrites: false, .init(checksum: .md5)) { _ in }
    }
    #expect(failure.place == "s3://farm/sums/m.mp4.md5")
    #expect(try server.list("sums/").map { $0.prefix { $0 != "5" } } == ["object sums/m.mp4.md"])
  }

  @Test func `captions appear beside it after it, are replaced when they change, and kept when they must`() throws {
    let (path, winner) = try muxed([1, 2, 3])
    func publish(_ text: String, overwrites: Bool, _ path: String) throws {
      let companions = S3Movie.Companions([CompanionFile("m é.de.vtt", Array(text.utf8))], checksum: .md5)
      try movie("vtt/m.mp4").publish(path, of: winner, as: .mp4, overwrites: overwrites, companions) { _ in }
    }
    try publish("WEBVTT\n", overwrites: false, path)
    let there = ["object vtt/m.mp4 3 video/mp4", "object vtt/m.mp4.md5 86 text/plain", "object vtt/m é.de.vtt 7 text/vtt"]
    #expect(try Set(server.list("vtt/")) == Set(there))
    // An attempt whose report was lost finds what it did, even when the movie's file is gone.
    try publish("WEBVTT\n", overwrites: false, directory.file("gone"))
    let failure = #expect(throws: Failure.self) { try publish("WEBVTT\n\n", overwrites: false, path) }
    #expect(failure?.place == "s3://farm/vtt/m é.de.vtt")
    try publish("WEBVTT\n\n", overwrites: true, path)
    #expect(try server.list("vtt/").contains("object vtt/m é.de.vtt 8 text/vtt"))
    try server.get("vtt/m.mp4.md5", to: directory.file("sums"))
    #expect(String(decoding: try [UInt8](contentsOf: directory.file("sums")), as: UTF8.self).hasSuffix("  m é.de.vtt\n"))
    #expect(try movie("vtt/m.mp4").takenKeys(of: ["m é.de.vtt", "other.vtt"]) == ["vtt/m é.de.vtt"])
  }

  @Test func `still pictures beside it have the type of pictures`() throws {
    let (path, winner) = try muxed([1, 2, 3])
    let companions = S3Movie.Companions([CompanionFile("m.thumbnails.vtt", [1]), CompanionFile("m.poster.jpg", [2, 3])])
    try movie("stills/m.mp4").publish(path, of: winner, as: .mp4, overwrites: false, companions) { _ in }
    #expect(
      try Set(server.list("stills/")) == [
        "object stills/m.mp4 3 video/mp4", "object stills/m.thumbnails.vtt 1 text/vtt", "object stills/m.poster.jpg 2 image/jpeg",
      ])
  }

  @Test(arguments: ["partNumber=2", "uploadId"])
  func `of a server that dies in the middle nothing is seen and nothing is left`(words: String) throws {
    let (path, winner) = try muxed()
    let folder = "died-\(words.utf8.count)"
    try server.breaks("\(words) fail")
    let error = try #require(throws: TransferError.self) {
      try movie("\(folder)/m.mp4").publish(path, of: winner, as: .mp4, overwrites: true, .init(checksum: .md5)) { _ in }
    }
    #expect(error.kind == .transient)
    try server.breaks(nil)
    // What could not be dropped while the server was away, the next attempt drops.
    #expect(try server.list("\(folder)/") == (words == "uploadId" ? ["upload \(folder)/m.mp4"] : []))
    try movie("\(folder)/m.mp4").dropUploads()
    #expect(try server.list("\(folder)/") == [])
    try movie("\(folder)/m.mp4").publish(path, of: winner, as: .mp4, overwrites: true, .init()) { _ in }
    #expect(try server.list("\(folder)/") == ["object \(folder)/m.mp4 11534336 video/mp4"])
  }

  @Test func `uploads of lost attempts are dropped, and those of other movies are not`() throws {
    let bucket = try S3Bucket(try #require(S3Location("s3://farm")), S3Account(environment: server.environment))
    for key in ["left/m.mp4", "left/m.mp4", "left/m.mp4.sha256", "left/m.mp4x"] { _ = try bucket.begin(key, []) }
    let (path, winner) = try muxed([1, 2, 3])
    try movie("left/m.mp4").publish(path, of: winner, as: .mp4, overwrites: false, .init()) { _ in }
    #expect(try server.list("left/") == ["object left/m.mp4 3 video/mp4", "upload left/m.mp4x"])
    let outputs = S3Outputs(["s3://farm/left"], environment: server.environment)
    // The files of a job whose movie goes elsewhere in S3 are for another worker to sweep.
    let jobs = ["s3://farm/left/m.mp4x", "/m.mp4", "s3://farm/other/m"].map { OverJob(id: "a", output: $0) }
    #expect(outputs.clear(jobs) { Issue.record($0) } == Array(jobs.prefix(2)))
    #expect(try server.list("left/") == ["object left/m.mp4 3 video/mp4"])
  }

  @Test func `a file that is not what was muxed is muxed again`() throws {
    let (path, winner) = try muxed([1, 2, 3])
    try ([1, 2, 4] as [UInt8]).write(toFile: path)
    let failure = try #require(throws: Failure.self) {
      try movie("other/m.mp4").publish(path, of: winner, as: .mp4, overwrites: false, .init()) { _ in }
    }
    #expect(failure.damaged == [winner.key])
    #expect(try server.list("other/") == [])
  }

  @Test func `a bucket that is not there, and credentials that are wrong, are told before`() throws {
    let missing = try #require(throws: TransferError.self) {
      _ = try movie("m.mp4", bucket: "nobodys").objection(overwrites: true, nil)
    }
    #expect(missing.kind == .missing && missing.reason.contains("NoSuchBucket"))
    let refused = try #require(throws: TransferError.self) {
      _ = try movie("m.mp4", secret: "wrong").objection(overwrites: true, nil)
    }
    #expect(refused.kind == .refused)
    let outside = try #require(throws: TransferError.self) {
      _ = try S3Outputs(["s3://farm/movies"], environment: server.environment).movie(at: MediaURL("s3://farm/movies2/m.mp4"))
    }
    #expect(outside.kind == .refused)
  }
}

@Suite struct UploadSizeTests {
  @Test func `parts are as small as their number allows`() {
    #expect(S3Bucket.partSize(of: 1, atLeast: 16) == 16)
    #expect(S3Bucket.partSize(of: 160_000, atLeast: 16) == 16)
    #expect(S3Bucket.partSize(of: 160_001, atLeast: 16) == 17)
  }
}
