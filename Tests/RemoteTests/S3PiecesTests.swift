import FarmTesting
import Formats
import Media
import Messages
import Remote
import Testing
import Transfer

/// Movies in pieces that are published in a bucket of moto.
@Suite(.serialized, .enabled("scripts/test installs moto", { S3Server.isInstalled })) struct `A movie in pieces, in S3,` {
  private static let server = Result { try S3Server() }
  private let directory = TemporaryDirectory()
  private let server: S3Server

  init() throws {
    server = try Self.server.get()
    try server.breaks(nil)
  }

  private func movie(_ key: String, tries: Int = 3) throws -> S3Movie {
    var retries = Retries()
    (retries.tries, retries.firstMilliseconds) = (tries, 1)
    return try S3Movie(
      MediaURL("s3://farm/\(key)"), S3Account(environment: server.environment), retries: retries, stallSeconds: 5)
  }

  /// Writes the roll of a movie whose picture has so many pieces, each of this text.
  private func roll(_ count: Int, _ text: String = "piece") throws -> (path: String, winner: Winner<FileProof>) {
    let names =
      ["picture-init.mp4"] + (1...count).map { "picture-0000\($0).m4s" } + ["master.m3u8", "manifest.mpd", "picture.m3u8"]
    let bytes = names.flatMap { name in
      [name, "\(name) \(text)"].flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word.utf8.count >> (8 * $0)) } + Array(word.utf8)
      }
    }
    let path = directory.file("1.movie")
    try bytes.write(toFile: path)
    let digest = try FileDigest(ofMovie: path)
    let proof = FileProof(path: "j/3/1.movie", byteCount: digest.byteCount, byteDigest: digest.hash)
    return (path, Winner(key: AttemptKey(task: 3, attempt: 1), proof: proof))
  }

  private func publish(
    _ key: String, _ roll: (path: String, winner: Winner<FileProof>), job: String = "job", overwrites: Bool = false,
    checksum: ChecksumMethod? = nil, tries: Int = 3, captions: [CompanionFile] = []
  ) throws {
    try movie(key, tries: tries).publish(
      roll.path, as: .pieces, last: "master.m3u8", of: roll.winner, job: job, overwrites: overwrites,
      .init(captions, checksum: checksum)
    ) { _ in }
  }

  @Test func `is a folder of objects, each with its type, and its checksums and captions stand beside it`() throws {
    let made = try roll(2)
    try publish("a b/show", made, checksum: .md5, captions: [CompanionFile("show.de.vtt", Array("WEBVTT\n".utf8))])
    let there = try server.list("a b/")
    #expect(
      there == [
        "object a b/show.de.vtt 7 text/vtt", "object a b/show.md5 \(Self.sums.utf8.count) text/plain",
        "object a b/show/manifest.mpd 18 application/dash+xml",
        "object a b/show/master.m3u8 17 application/vnd.apple.mpegurl",
        "object a b/show/picture-00001.m4s 23 video/iso.segment", "object a b/show/picture-00002.m4s 23 video/iso.segment",
        "object a b/show/picture-init.mp4 22 video/mp4", "object a b/show/picture.m3u8 18 application/vnd.apple.mpegurl",
      ], "\(there)")
    try server.get("a b/show.md5", to: directory.file("sums"))
    let sums = String(decoding: try [UInt8](contentsOf: directory.file("sums")), as: UTF8.self)
    #expect(sums.split(separator: "\n").map { $0.dropFirst(34) } == Self.sums.split(separator: "\n").map { $0.dropFirst(34) })
    // An attempt whose report was lost finds what it did, even when the roll is gone.
    try publish(
      "a b/show", (directory.file("gone"), made.winner), checksum: .md5,
      captions: [CompanionFile("show.de.vtt", Array("WEBVTT\n".utf8))])
    let byteCount = try movie("a b/show").fetchBeginning(of: .pieces, to: directory.path)
    #expect(byteCount == 18 + 17 + 23 + 23 + 22 + 18)
    #expect(try [UInt8](contentsOf: directory.file("picture-00001.m4s")) == Array("picture-00001.m4s piece".utf8))
  }

  /// The lines of the checksums, with another digest.
  private static let sums = [
    "show/picture-init.mp4", "show/picture-00001.m4s", "show/picture-00002.m4s", "show/master.m3u8", "show/manifest.mpd",
    "show/picture.m3u8", "show.de.vtt",
  ].map { "\(String(repeating: "0", count: 32))  \($0)\n" }.joined()

  @Test func `is kept or replaced as it is asked for, and nothing is left of the one that was replaced`() throws {
    try publish("kept/show", roll(3, "old"))
    #expect(try movie("kept/show").objection(to: .pieces, overwrites: false, nil)?.place == "s3://farm/kept/show/master.m3u8")
    #expect(try movie("kept/show").objection(to: .pieces, overwrites: true, nil) == nil)
    let failure = try #require(throws: Failure.self) { try publish("kept/show", roll(2, "newer")) }
    #expect(failure == Failure(.content, at: "s3://farm/kept/show/master.m3u8", "exists already"))
    #expect(try server.list("kept/").count == 7)
    try publish("kept/show", roll(2, "newer"), overwrites: true)
    let there = try server.list("kept/")
    #expect(there.count == 6 && there.contains("object kept/show/picture-00002.m4s 23 video/iso.segment"), "\(there)")
  }

  @Test func `is not written among other files`() throws {
    try ([9] as [UInt8]).write(toFile: directory.file("x"))
    try server.put(directory.file("x"), as: "strange/show/letter.txt")
    let objection = try movie("strange/show").objection(to: .pieces, overwrites: true, nil)
    #expect(objection?.place == "s3://farm/strange/show" && objection?.words.hasPrefix("has letter.txt, ") == true)
    let failure = try #require(throws: Failure.self) { try publish("strange/show", roll(1), overwrites: true) }
    #expect(failure.class == .content && failure.reason.hasPrefix("has letter.txt, "))
    #expect(try server.list("strange/") == ["object strange/show/letter.txt 1 binary/octet-stream"])
  }

  @Test(arguments: ["picture-00002", "master"])
  func `leaves nothing when the server fails in the middle`(words: String) throws {
    try server.breaks("\(words) fail")
    let error = try #require(throws: TransferError.self) { try publish("died/show", roll(3), overwrites: true, tries: 1) }
    #expect(error.kind == .transient)
    try server.breaks(nil)
    #expect(try server.list("died/") == [])
  }

  @Test func `of which an attempt that was killed has left some is removed with its job's files`() throws {
    try publish("died/show", roll(3))
    for name in ["master.m3u8", "picture-00002.m4s"] { try server.remove("died/show/\(name)") }
    let left = try server.list("died/")
    #expect(left.count == 5)
    let outputs = S3Outputs(["s3://farm/died"], environment: server.environment)
    func clear(_ job: String) {
      #expect(outputs.clear([OverJob(id: job, output: "s3://farm/died/show")]) { Issue.record($0) }.count == 1)
    }
    clear("other")
    #expect(try server.list("died/") == left)
    clear("job")
    #expect(try server.list("died/") == [])
    try publish("died/show", roll(1), overwrites: true)
    clear("job")
    #expect(try server.list("died/").count == 5)
  }

  @Test func `goes over what an attempt that was killed has left, even where nothing may be replaced`() throws {
    let made = try roll(3)
    try publish("half/show", made)
    for name in ["master.m3u8", "picture-00002.m4s"] { try server.remove("half/show/\(name)") }
    try publish("half/show", made)
    #expect(try server.list("half/").count == 7)
  }

  @Test func `is muxed again where its roll is not what was proved`() throws {
    let made = try roll(1)
    try Array("something else".utf8).write(toFile: made.path)
    let failure = try #require(throws: Failure.self) { try publish("other/show", made) }
    #expect(failure.damaged == [made.winner.key])
    #expect(try server.list("other/") == [])
  }
}
