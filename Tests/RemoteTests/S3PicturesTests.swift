import FarmTesting
import Formats
import Media
import Messages
import Remote
import Testing
import Transfer

/// Sequences of pictures that are published in a bucket of moto.
@Suite(.serialized, .enabled("scripts/test installs moto", { S3Server.isInstalled })) struct `A sequence of pictures, in S3,` {
  private static let server = Result { try S3Server() }
  private let directory = TemporaryDirectory()
  private let server: S3Server
  private let names: PictureNames

  init() throws {
    server = try Self.server.get()
    try server.breaks(nil)
    names = try #require(PictureNames("s-%03d.png", first: 9))
  }

  private func movie(_ key: String, tries: Int = 3) throws -> S3Movie {
    var retries = Retries()
    (retries.tries, retries.firstMilliseconds) = (tries, 1)
    return try S3Movie(
      MediaURL("s3://farm/\(key)"), S3Account(environment: server.environment), retries: retries, stallSeconds: 5)
  }

  private struct Roll {
    let path: String
    let count: Int
    let winner: Winner<FileProof>
  }

  /// Writes the roll of a sequence of so many pictures, each of this text.
  private func roll(_ count: Int, _ text: String = "picture") throws -> Roll {
    let bytes = (0..<count).flatMap { index in
      let word = "\(text) \(index)"
      return (0..<8).map { UInt8(truncatingIfNeeded: word.utf8.count >> (8 * $0)) } + Array(word.utf8)
    }
    let path = directory.file("1.movie")
    try bytes.write(toFile: path)
    let digest = try FileDigest(ofMovie: path)
    let proof = FileProof(path: "j/3/1.movie", byteCount: digest.byteCount, byteDigest: digest.hash)
    return Roll(path: path, count: count, winner: Winner(key: AttemptKey(task: 3, attempt: 1), proof: proof))
  }

  private func publish(
    _ key: String, _ roll: Roll, at path: String? = nil, job: String = "job", overwrites: Bool = false, tries: Int = 3
  ) throws {
    try movie(key, tries: tries).publish(
      path ?? roll.path, as: .pictures(names), last: names.name(roll.count - 1), of: roll.winner, job: job,
      overwrites: overwrites, .init(checksum: .md5)
    ) { _ in }
  }

  private func list(_ key: String) throws -> [String] { try server.list(key) }

  @Test func `is a folder of objects, and its last picture, with their number, comes last`() throws {
    let made = try roll(3)
    try publish("a/shot", made)
    let there = try list("a/")
    // Each line has a digest of 32 digits, two spaces and a name of 14 bytes.
    #expect(
      there == [
        "object a/shot.md5 147 text/plain", "object a/shot/s-009.png 9 image/png", "object a/shot/s-010.png 9 image/png",
        "object a/shot/s-011.png 9 image/png",
      ], "\(there)")
    // An attempt whose report was lost finds what it did, even when the roll is gone.
    try publish("a/shot", made, at: directory.file("gone"))
    #expect(try movie("a/shot").fetchBeginning(of: .pictures(names), to: directory.path) == 27)
    #expect(try [UInt8](contentsOf: directory.file("s-009.png")) == Array("picture 0".utf8))
  }

  @Test func `is put and removed over several connections at once, and its last picture alone`() throws {
    // The server refuses pictures that come one after the other. The last one has another name.
    try server.breaks("s-0 gather")
    try publish("many/shot", roll(120), tries: 1)
    try server.breaks(nil)
    let there = try list("many/shot/")
    #expect(there.count == 120 && there.last?.hasPrefix("object many/shot/s-128.png ") == true, "\(there.suffix(2))")
    try publish("many/shot", roll(3, "newer"), job: "other", overwrites: true)
    #expect(try list("many/shot/").count == 3)
  }

  @Test func `is kept or replaced as it is asked for, and nothing is left of the one that was replaced`() throws {
    try publish("kept/shot", roll(4, "old"))
    let pictures = FolderFiles.pictures(names)
    let objection = try movie("kept/shot").objection(to: pictures, overwrites: false, nil)
    #expect(objection?.place == "s3://farm/kept/shot/s-012.png" && objection?.words == "exists already")
    #expect(try movie("kept/shot").objection(to: pictures, overwrites: true, nil) == nil)
    // A shorter one and a longer one end elsewhere.
    for count in [2, 6] {
      let failure = try #require(throws: Failure.self) { try publish("kept/shot", roll(count, "newer"), job: "other") }
      #expect(failure.class == .content && failure.reason == "exists already")
    }
    #expect(try list("kept/shot/").count == 4)
    try publish("kept/shot", roll(2, "newer"), job: "other", overwrites: true)
    #expect(
      try list("kept/shot/") == ["object kept/shot/s-009.png 7 image/png", "object kept/shot/s-010.png 7 image/png"])
  }

  @Test func `is not written among other files`() throws {
    try ([9] as [UInt8]).write(toFile: directory.file("x"))
    try server.put(directory.file("x"), as: "strange/shot/s-001.tif")
    let objection = try movie("strange/shot").objection(to: .pictures(names), overwrites: true, nil)
    #expect(objection?.words.hasPrefix("has s-001.tif, which is none of the pictures s-%03d.png") == true)
    let failure = try #require(throws: Failure.self) { try publish("strange/shot", roll(1), overwrites: true) }
    #expect(failure.class == .content && failure.reason.hasPrefix("has s-001.tif, "))
    #expect(try list("strange/").count == 1)
  }

  @Test(arguments: ["s-010", "s-012"])
  func `leaves nothing when the server fails in the middle`(words: String) throws {
    try server.breaks("\(words) fail")
    let error = try #require(throws: TransferError.self) { try publish("died/shot", roll(4), overwrites: true, tries: 1) }
    #expect(error.kind == .transient)
    try server.breaks(nil)
    #expect(try list("died/") == [])
  }

  @Test func `of which an attempt that was killed has left some is gone over, or removed with its job's files`() throws {
    let made = try roll(4)
    try publish("half/shot", made)
    for name in ["s-012.png", "s-010.png"] { try server.remove("half/shot/\(name)") }
    try publish("half/shot", made)
    #expect(try list("half/shot/").count == 4)
    let outputs = S3Outputs(["s3://farm/half"], environment: server.environment)
    func clear(_ job: String) {
      #expect(outputs.clear([OverJob(id: job, output: "s3://farm/half/shot")]) { Issue.record($0) }.count == 1)
    }
    // A whole one stays, whoever's job is over.
    clear("job")
    #expect(try list("half/shot/").count == 4)
    try server.remove("half/shot/s-012.png")
    clear("other")
    #expect(try list("half/shot/").count == 3)
    clear("job")
    #expect(try list("half/shot/") == [])
  }
}
