import Document
import FarmTesting
import Glibc
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import Subprocess
import Testing
import Timeline

@Suite struct `Attempts` {
  private static let document = """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}},
     "composition": {"tracks": [
       {"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0.4", "duration": "1.2"}, "at": "0"}]},
       {"id": "B", "media": "video", "segments": [{"asset": "b", "source": {"start": "0", "duration": "1"}, "at": "1"}]}]},
     "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "instructions": [
       {"timeRange": {"start": "0", "duration": "1"}, "layerInstructions": [{"track": "A"}]},
       {"timeRange": {"start": "1", "duration": "0.2"}, "transition": {"kind": "dissolve", "from": {"track": "A"}, "to": {"track": "B"}}},
       {"timeRange": {"start": "1.2", "duration": "0.8"}, "layerInstructions": [{"track": "B", "gravity": "resizeAspectFill"}]}]},
     "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
    """

  @Test func `the movie of many chunks has the frames that one renderer composites`() throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40, width: 64, height: 64)
    let edit = try workshop.edit(Self.document)
    let movie = try workshop.movie(of: edit, borders: [0, 1, 7, 26, 27, 49], output: "movie.mkv")

    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    let composited = try (0..<edit.frameCount).map { try renderer.frame($0).md5() }
    let decoded = try MediaTools.ffmpeg(["-i", movie, "-f", "framemd5", "-"]).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last.map(String.init) }
    #expect(composited.count == 50)
    #expect(decoded == composited)
  }

  @Test
  func
    `an attempt ends where it was asked to, if that is still to come, and another one renders the rest: the frames are the same`()
    throws
  {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40, width: 64, height: 64)
    let edit = try workshop.edit(Self.document)
    // The wishes before frames 0, 1, 2 and so on are: too late; beyond the end; in time; no nearer than before; nearer.
    var wishes = [[0], [1, 60, 50], [40], [45, 40], [30], []]
    let first = try workshop.run(
      .picture(FrameRange(first: 0, count: 50)), task: 1, of: edit, output: "movie.mkv",
      amendments: { wishes.isEmpty ? [] : wishes.removeFirst().map { .shorten(before: $0) } })
    #expect(first.proof.frames == FrameRange(first: 0, count: 30))
    let rest = try workshop.run(.picture(FrameRange(first: 30, count: 20)), task: 2, of: edit, output: "movie.mkv")
    let muxed = try workshop.run(.mux(of: [first, rest]), task: 3, of: edit, output: "movie.mkv")
    try workshop.run(.publish(of: muxed), task: 4, of: edit, output: "movie.mkv")
    let whole = try workshop.movie(of: edit, borders: [0], output: "whole.mkv")
    func frames(_ movie: String) throws -> String { try MediaTools.ffmpeg(["-i", movie, "-f", "framemd5", "-"]) }
    #expect(try frames(workshop.file("movie.mkv")) == frames(whole))
  }

  @Test(arguments: ["attempt", "courier"])
  func `what is sent along an attempt's leash before it looks there counts, a courier's too, and what means nothing is left out`(
    verb: String
  ) throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40)
    let edit = try workshop.edit(Self.document)
    let facts = Dictionary(uniqueKeysWithValues: edit.facts.map { ($0.key.rawValue, $0.value) })
    let spec = JobSpec(
      document: String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self), facts: facts, output: workshop.file("m.mkv"),
      overwrites: true, keepsSegments: true)
    let order = AttemptOrder(
      job: "appended", key: AttemptKey(task: 1, attempt: 1), work: .picture(FrameRange(first: 0, count: 50)), spec: spec)
    let arguments = ["--media-root", workshop.file(""), "--containment", "none"]
    var command = SpoolProgram.command(
      [verb, "--store", workshop.file("store")] + (verb == "attempt" ? arguments : arguments.map { "--argument=\($0)" }))
    (command.input, command.output) = (.bytes(try order.line()), .file(workshop.file("reports")))
    command.arguments += ["--leash", "3"]
    let leash = try Leash()
    #expect(
      try leash.send(Array("[1]\n{\"sing\":{}}\n".utf8) + OrderAmendment.shorten(before: 20).line() + Array("{\"shor".utf8)))
    let attempt = try ChildProcess(command, passing: [leash.end])
    #expect(try attempt.wait() == .exited(0))
    let reports = try String(decoding: [UInt8](contentsOf: workshop.file("reports")), as: UTF8.self).split(separator: "\n")
      .map { try AttemptReport(line: String($0)) }
    #expect(reports.contains(.shortened(before: 20)))
    guard case .finished(let proof) = reports.last else { throw Failure(.bug, at: "attempt", "ended without a result") }
    #expect(proof.frames == FrameRange(first: 0, count: 20))
  }

  @Test func `every frame shows the source frame of its time`() throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40, width: 64, height: 64)
    let renderer = PictureRenderer(edit: try workshop.edit(Self.document), policy: workshop.policy)
    // The frames are read backwards, so that every request seeks.
    for index in (0..<25).reversed() {
      #expect(SyntheticSource.number(in: try renderer.frame(index)) == index + 10)
    }
  }

  @Test func `a damaged segment file is named, so that its chunk is rendered again`() throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40)
    let edit = try workshop.edit(Self.document)
    let first = try workshop.run(.picture(FrameRange(first: 0, count: 20)), task: 1, of: edit, output: "movie.mkv")
    let second = try workshop.run(.picture(FrameRange(first: 20, count: 30)), task: 2, of: edit, output: "movie.mkv")
    try workshop.damage(second)

    let failure = #expect(throws: Failure.self) {
      try workshop.run(.mux(of: [first, second]), task: 3, of: edit, output: "movie.mkv")
    }
    #expect(failure?.damaged == [second.key])
    #expect(failure?.class == .worker)
  }

  /// A muxed movie, and an order to publish it.
  private struct Muxed {
    let workshop = Workshop()
    let edit: ResolvedTimeline
    let winner: Winner<Proof>
    let movie: [UInt8]

    init() throws {
      try workshop.clip("a.mp4", frameCount: 50)
      try workshop.clip("b.mp4", frameRate: "30", frameCount: 40)
      edit = try workshop.edit(`Attempts`.document)
      let picture = try workshop.run(.picture(FrameRange(first: 0, count: 50)), task: 1, of: edit, output: "movie.mkv")
      winner = try workshop.run(.mux(of: [picture]), task: 2, of: edit, output: "movie.mkv")
      movie = try [UInt8](contentsOf: winner.proof.file.path)
    }

    var part: String { winner.proof.file.path }
    var output: String { workshop.file("movie.mkv") }

    func publish(attempt: Int = 1, overwrites: Bool = true) throws {
      try workshop.run(
        .publish(of: winner), task: 3, attempt: attempt, of: edit, output: "movie.mkv", overwrites: overwrites)
    }
  }

  @Test(arguments: [true, false])
  func `publishing again after a crash changes nothing`(overwrites: Bool) throws {
    let muxed = try Muxed()
    try muxed.publish(attempt: 1, overwrites: overwrites)
    #expect(try [UInt8](contentsOf: muxed.output) == muxed.movie)
    try muxed.publish(attempt: 2, overwrites: overwrites)
    #expect(try [UInt8](contentsOf: muxed.output) == muxed.movie)
  }

  @Test func `a publication that died between its two names is finished by the next one`() throws {
    let muxed = try Muxed()
    try #require(unsafe link(muxed.part, muxed.output) == 0)
    try muxed.publish(overwrites: false)
    #expect(try [UInt8](contentsOf: muxed.output) == muxed.movie)
    #expect(unsafe access(muxed.part, F_OK) != 0)
  }

  @Test func `a name that is taken stays with the file that has it`() throws {
    let muxed = try Muxed()
    try muxed.movie.reversed().write(toFile: muxed.output)
    let failure = #expect(throws: Failure.self) { try muxed.publish(overwrites: false) }
    #expect(failure?.class == .content)
    #expect(try [UInt8](contentsOf: muxed.output) == muxed.movie.reversed())
  }

  @Test func `a muxed movie that is gone, or no longer what was proved, is muxed again, whatever has the movie's name`() throws {
    let muxed = try Muxed()
    try muxed.movie.dropLast(7).write(toFile: muxed.part)
    let short = #expect(throws: Failure.self) { try muxed.publish() }
    #expect(short?.damaged == [muxed.winner.key])
    #expect(
      short?.reason == "the muxed movie has \(muxed.movie.count - 7) bytes instead of \(muxed.movie.count): it is muxed again"
    )
    #expect(unsafe access(muxed.output, F_OK) != 0)

    try #require(unsafe unlink(muxed.part) == 0)
    let gone = #expect(throws: Failure.self) { try muxed.publish() }
    #expect(gone?.damaged == [muxed.winner.key])
    // The output path has an older movie of the same size.
    try muxed.movie.reversed().write(toFile: muxed.output)
    let older = #expect(throws: Failure.self) { try muxed.publish() }
    #expect(older?.damaged == [muxed.winner.key])
    #expect(older?.class == .worker)
  }

  @Test func `a muxed movie of the right size that is another is not published, nor a link in its place`() throws {
    let muxed = try Muxed()
    try muxed.movie.reversed().write(toFile: muxed.part)
    let other = #expect(throws: Failure.self) { try muxed.publish() }
    #expect(other?.damaged == [muxed.winner.key])
    #expect(other?.reason == "the muxed movie is another than was muxed: it is muxed again")
    try muxed.movie.write(toFile: muxed.workshop.file("secret"))
    try #require(unsafe unlink(muxed.part) == 0 && symlink("secret", muxed.part) == 0)
    #expect(throws: Failure.self) { try muxed.publish() }
    #expect(unsafe access(muxed.output, F_OK) != 0)
  }

  @Test func `a muxed movie that nobody has written to since is not read again, and any other one is`() throws {
    let muxed = try Muxed()
    guard case .mux(var proof) = muxed.winner.proof else { preconditionFailure("the winner is a mux") }
    try #require(proof.stamp != nil)
    // If the movie were read, it would not be published with another digest.
    proof.byteDigest = String(proof.byteDigest.reversed())
    let other = Winner(key: muxed.winner.key, proof: Proof.mux(proof))
    func publish(_ winner: Winner<Proof>) throws {
      try muxed.workshop.run(.publish(of: winner), task: 3, of: muxed.edit, output: "movie.mkv")
    }
    try muxed.movie.write(toFile: muxed.part)
    #expect(try #require(throws: Failure.self) { try publish(other) }.damaged == [muxed.winner.key])
    try publish(muxed.winner)
    #expect(try [UInt8](contentsOf: muxed.output) == muxed.movie)

    let again = try Muxed()
    guard case .mux(var proof) = again.winner.proof else { preconditionFailure("the winner is a mux") }
    proof.byteDigest = String(proof.byteDigest.reversed())
    try again.workshop.run(
      .publish(of: Winner(key: again.winner.key, proof: Proof.mux(proof))), task: 3, of: again.edit, output: "movie.mkv")
    #expect(try [UInt8](contentsOf: again.output) == again.movie)
  }

  @Test func `what stands in the place of the hidden file goes, and a link there is not followed`() throws {
    let muxed = try Muxed()
    try "precious".write(toFile: muxed.workshop.file("precious"))
    try #require(unsafe unlink(muxed.part) == 0 && symlink("precious", muxed.part) == 0)
    let picture = try muxed.workshop.run(
      .picture(FrameRange(first: 0, count: 50)), task: 1, attempt: 2, of: muxed.edit, output: "movie.mkv")
    try muxed.workshop.run(.mux(of: [picture]), task: 2, of: muxed.edit, output: "movie.mkv")
    #expect(try [UInt8](contentsOf: muxed.part) == muxed.movie)
    #expect(try [UInt8](contentsOf: muxed.workshop.file("precious")) == Array("precious".utf8))
  }

  @Test func `a job's name that leads out of the store is refused`() throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 50)
    try workshop.clip("b.mp4", frameRate: "30", frameCount: 40)
    let edit = try workshop.edit(Self.document)
    let order = AttemptOrder(
      job: "../../etc", key: AttemptKey(task: 1, attempt: 1), work: .picture(FrameRange(first: 0, count: 1)),
      spec: JobSpec(
        document: String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self), facts: [:], output: "/dev/null",
        overwrites: true, keepsSegments: false))
    var last: AttemptReport?
    AttemptRunner(order: order, store: workshop.store, policy: workshop.policy) { last = $0 }.run()
    guard case .failed(let failure) = last else {
      Issue.record("the attempt was not refused")
      return
    }
    #expect(failure.place == "order")
  }
}
