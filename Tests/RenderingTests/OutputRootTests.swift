import Document
import FarmTesting
import Glibc
import Messages
import Scenes
import Subprocess
import Testing
import Timeline

/// Tests of the folders in which a worker with `--output-root` writes movies.
@Suite struct `Output roots` {
  private let workshop = Workshop()
  private let edit: ResolvedTimeline
  private let picture: Winner<Proof>

  init() throws {
    try workshop.clip("a.mp4", frameCount: 5)
    edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "0.2"}}]}]},
       "export": {"preset": "lossless"}}
      """)
    picture = try workshop.run(.picture(FrameRange(first: 0, count: 5)), task: 1, of: edit, output: "m.mkv")
    for folder in ["movies", "movies/deep", "elsewhere", "movies2"] { #expect(unsafe mkdir(workshop.file(folder), 0o755) == 0) }
    #expect(unsafe symlink("../elsewhere", workshop.file("movies/link")) == 0)
    #expect(unsafe symlink("movies", workshop.file("alias")) == 0)
  }

  /// The report of an attempt at the mux at its end.
  ///
  /// - Parameter call: a system call that the kernel seems to lack.
  private func end(_ output: String, roots: [String], without call: Int? = nil) throws -> AttemptReport {
    let facts = Dictionary(uniqueKeysWithValues: edit.facts.map { ($0.key.rawValue, $0.value) })
    let spec = JobSpec(
      document: String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self), facts: facts, output: workshop.file(output),
      overwrites: true, keepsSegments: true)
    let order = AttemptOrder(
      job: workshop.job, key: AttemptKey(task: 9, attempt: 1), work: .mux(of: [picture]), spec: spec)
    var command = SpoolProgram.command(
      ["attempt", "--store", workshop.file("store"), "--media-root", workshop.file("")]
        + roots.flatMap { ["--output-root", workshop.file($0)] })
    command.input = .bytes(try order.line())
    command = call.map { command.hiding(call: $0) } ?? command
    let run = try #require(try command.run(timeoutMilliseconds: 60_000))
    #expect(run.code == 0, "\(run.errorOutput)")
    return try AttemptReport(line: String(try #require(run.output.split(separator: "\n").last)))
  }

  @Test(arguments: [
    ("movies/m.mkv", ["movies"]), ("movies/deep/m.mkv", ["movies"]), ("alias/m.mkv", ["movies"]), ("movies/m.mkv", ["alias"]),
    ("movies/link/m.mkv", ["movies", "elsewhere"]), ("elsewhere/m.mkv", []),
  ])
  func `a movie below a root is written, after links are resolved`(output: String, roots: [String]) throws {
    guard case .finished = try end(output, roots: roots) else {
      Issue.record("it was refused")
      return
    }
  }

  @Test(arguments: [true, false])
  func `where the kernel has no openat2, the way down is walked without following links`(isInside: Bool) throws {
    let openat2 = 437
    let end = try end(isInside ? "movies/deep/m.mkv" : "movies/link/m.mkv", roots: ["movies"], without: openat2)
    if isInside {
      guard case .finished = end else {
        Issue.record("\(end)")
        return
      }
    } else {
      #expect(
        end
          == .failed(
            Failure(.worker, at: workshop.file("movies/link/m.mkv"), "lies outside the output roots \(workshop.file("movies"))")))
    }
  }

  @Test func `a folder that is a link out of its root every other moment takes no movie there`() throws {
    // The last argument, 2, is RENAME_EXCHANGE of rename(2).
    let swap = """
      import ctypes, sys
      libc, paths = ctypes.CDLL(None), [path.encode() for path in sys.argv[1:]]
      print(flush=True)
      while True: assert libc.renameat2(-100, paths[0], -100, paths[1], 2) == 0
      """
    let swapper = try ChildProcess(
      Command(
        "/usr/bin/python3", ["-c", swap, workshop.file("movies/deep"), workshop.file("movies/link")], output: .pipe))
    let output = try #require(swapper.output)
    var entry = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&entry, 1, 10_000)
    var ends: Set<String> = []
    for _ in 0..<20 {
      switch try end("movies/deep/m.mkv", roots: ["movies"]) {
      case .failed(let failure): ends.insert("\(failure.class)")
      case let end: ends.insert("\(end)".prefix { $0 != "(" }.description)
      }
      let written = try Command("/usr/bin/find", [workshop.file("elsewhere"), "-type", "f"]).run(timeoutMilliseconds: 10_000)
      #expect(written?.output == "")
    }
    #expect(ends.isSubset(of: ["finished", "worker"]), "\(ends)")
    #expect(try swapper.poll() == nil)
  }

  @Test(arguments: [
    ("elsewhere/m.mkv", Failure.Class.content), ("movies/../elsewhere/m.mkv", .worker), ("movies/link/m.mkv", .worker),
    ("alias/link/m.mkv", .content), ("movies2/m.mkv", .content), ("m.mkv", .content),
  ])
  func `a movie elsewhere is refused, by the worker alone where its root names it and links lead away, and nothing is written`(
    output: String, class: Failure.Class
  ) throws {
    #expect(
      try end(output, roots: ["movies"])
        == .failed(Failure(`class`, at: workshop.file(output), "lies outside the output roots \(workshop.file("movies"))")))
    let written = try Command("/usr/bin/find", [workshop.file(""), "-name", "*.part"]).run(timeoutMilliseconds: 10_000)
    #expect(written?.output == "")
  }
}
