import FarmTesting
import Glibc
import Messages
import Rendering
import Subprocess
import Testing

@Suite struct `Names in the store` {
  @Test(arguments: [
    ("/movies/a.mp4", "/movies/.a.mp4.job.3.part"), ("/a.mp4", "/.a.mp4.job.3.part"),
    // The slash and the accent after it are one character.
    ("/a/b/\u{30c}.mp4", "/a/b/.\u{30c}.mp4.job.3.part"),
  ])
  func `a movie's hidden file stands beside it`(output: String, part: String) {
    #expect(SegmentStore.partPath(output: output, job: "job", key: AttemptKey(task: 9, attempt: 3)) == part)
  }

  @Test(arguments: [
    "", ".", "..", "../k3", "k3/..", "/k3", "k3/", "k3\n", "k3\0", "K3", "k 3", "k\u{e9}", String(repeating: "k", count: 33),
  ])
  func `a job's name that leads elsewhere is none`(name: String) {
    #expect(!SegmentStore.isJobName(name))
  }

  @Test(arguments: ["", "a.mp4", "/", "/movies/", "/a\0.mp4", "/" + String(repeating: "a/", count: 2048) + "b"])
  func `a movie's path is absolute and a file's`(path: String) {
    #expect(SegmentStore.isJobName("k3") && SegmentStore.isOutput("/movies/a.mp4") && !SegmentStore.isOutput(path))
  }

  @Test func `two attempts at one task never share a file`() {
    let store = SegmentStore(root: "/store")
    let names = (1...3).map { store.name(job: "job", key: AttemptKey(task: 9, attempt: $0), extension: "nut") }
    #expect(names == ["job/9/1.nut", "job/9/2.nut", "job/9/3.nut"])
  }

  @Test func `what jobs left is cleared away, beside their movies too, and nothing else`() throws {
    let directory = TemporaryDirectory()
    let store = SegmentStore(root: directory.file("store"))
    let (left, stays) = (
      ["store/job/9/1.nut", "store/job/10/2.nut", ".a.mp4.job.3.part"],
      [
        "store/job2/9/1.nut", "store/postgresql/base/1.nut", "store/job/notes.txt", "store/readme", ".a.mp4.job2.3.part",
        ".b.mp4.job.3.part",
      ]
    )
    try directory.makeFiles(left + stays)
    #expect(try store.jobs().sorted() == ["job", "job2", "postgresql", "readme"])
    store.clear([
      OverJob(id: "job", output: directory.file("a.mp4")), OverJob(id: "postgresql", output: directory.file("c.mp4")),
      OverJob(id: "../store/job2", output: nil), OverJob(id: "..", output: nil),
    ])
    #expect(try directory.files() == stays.sorted())
  }

  @Test func `of a job that may be retried only what its dead attempts left is cleared away`() throws {
    let directory = TemporaryDirectory()
    let stays = ["store/job/9/4.nut", "store/job/12/1.nut", ".a.mp4.job.4.part"]
    try directory.makeFiles(stays + ["store/job/9/3.nut", "store/job/11/1.nut", ".a.mp4.job.3.part"])
    let dead = DeadAttempts(lastTask: 11, lastNumber: 3)
    SegmentStore(root: directory.file("store")).clear([OverJob(id: "job", output: directory.file("a.mp4"), dead: dead)])
    #expect(try directory.files() == stays.sorted())
    for (name, isDead) in [("job/9/3.nut", true), ("job/9/4.nut", false), ("job/12/1.nut", false), ("job/9/x.nut", false)] {
      #expect(SegmentStore.isDead(name, dead) == isDead)
    }
  }

  @Test func `beside movies outside of the output roots nothing is cleared away`() throws {
    let directory = TemporaryDirectory()
    try directory.makeFiles([
      "store/job/9/1.nut", "movies/.a.mp4.job.3.part", "movies/deep/.a.mp4.job.3.part", "else/.a.mp4.job.3.part",
    ])
    #expect(unsafe symlink(directory.file("else"), directory.file("movies/link")) == 0)
    for folder in ["movies", "movies/deep", "else", "movies/link", "movies/../else", "gone"] {
      SegmentStore(root: directory.file("store")).clear(
        [OverJob(id: "job", output: directory.file("\(folder)/a.mp4"))], outputRoots: [directory.file("movies")])
    }
    #expect(try directory.files() == ["else/.a.mp4.job.3.part"])
  }

  @Test func `what no job of the farm left is cleared away after a day without a change`() throws {
    let directory = TemporaryDirectory()
    let store = SegmentStore(root: directory.path)
    try directory.makeFiles(["old/1/1.nut", "new/1/1.nut", "growing/1/1.nut", "growing/1/2.nut"])
    for path in ["old/1/1.nut", "old/1", "old", "growing/1/1.nut", "growing/1", "growing"] {
      var times = [timeval(tv_sec: time(nil) - 90_000, tv_usec: 0), timeval(tv_sec: time(nil) - 90_000, tv_usec: 0)]
      #expect(unsafe utimes(directory.file(path), &times) == 0)
    }
    store.clear(["old", "new", "growing"].map { OverJob(id: $0, output: nil) })
    #expect(try directory.files() == ["growing/1/1.nut", "growing/1/2.nut", "new/1/1.nut"])
  }

  @Test func `a store that is not there has no jobs, and one that cannot be read says so`() throws {
    let directory = TemporaryDirectory()
    #expect(try SegmentStore(root: directory.file("none")).jobs() == [])
    try "".write(toFile: directory.file("file"))
    #expect(throws: StoreError(path: directory.file("file"), action: "list it", code: ENOTDIR)) {
      try SegmentStore(root: directory.file("file")).jobs()
    }
  }
}

extension TemporaryDirectory {
  fileprivate func makeFiles(_ names: [String]) throws {
    for name in names {
      let folders = name.split(separator: "/").dropLast()
      for depth in folders.indices {
        _ = unsafe mkdir(file(folders[...depth].joined(separator: "/")), 0o755)
      }
      try "x".write(toFile: file(name))
    }
  }

  /// The relative paths of all files, in order.
  fileprivate func files() throws -> [String] {
    let found = try #require(
      try Command("/usr/bin/find", [path, "-type", "f", "-printf", "%P\n"]).run(timeoutMilliseconds: 10_000))
    return found.output.split(separator: "\n").map(String.init).sorted()
  }
}
