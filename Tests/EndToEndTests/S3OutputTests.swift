import FarmTesting
import Glibc
import Subprocess
import Testing

/// Movies that farms write to a bucket of moto.
@Suite(.serialized, .enabled("scripts/test installs moto", { S3Server.isInstalled })) struct S3OutputTests {
  private let directory = TemporaryDirectory()
  private let server: S3Server

  init() throws {
    server = try S3Server()
    #expect(unsafe chmod(directory.path, 0o755) == 0)
    for folder in ["store", "out"] { #expect(unsafe mkdir(directory.file(folder), 0o777) == 0) }
    // Two minutes of noise are 23 MB: two parts of an upload.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "anoisesrc=r=48000:d=120:a=0.1:seed=1", "-ac", "2", "-c:a", "pcm_s16le", directory.file("noise.wav"),
    ])
    try Self.document.write(toFile: directory.file("edit.json"))
  }

  @Test func `a render writes to S3 what it writes to a file, and leaves nothing else`() throws {
    let local = try render("local.wav")
    #expect(local.code == 0, "\(local.errorOutput)")
    let remote = try render("s3://farm/show/remote.wav", "--no-overwrite")
    #expect(remote.code == 0, "\(remote.errorOutput)")
    #expect(remote.output.hasPrefix("s3://farm/show/remote.wav: 120.0 s, pcm_s16le 48000 Hz 2 channels, "), "\(remote.output)")
    let movie = try [UInt8](contentsOf: directory.file("local.wav"))
    #expect(
      try server.list() == [
        "object show/remote.wav \(movie.count) audio/wav", "object show/remote.wav.sha256 77 text/plain",
      ])
    try server.get("show/remote.wav", to: directory.file("remote.wav"))
    #expect(try [UInt8](contentsOf: directory.file("remote.wav")) == movie)
    try server.get("show/remote.wav.sha256", to: directory.file("remote.wav.sha256"))
    let check = try Command("/usr/bin/sha256sum", ["--check", "remote.wav.sha256"], workingDirectory: directory.path)
      .run(timeoutMilliseconds: 60_000)
    #expect(check?.status.isSuccess == true)

    let again = try render("s3://farm/show/remote.wav", "--no-overwrite")
    #expect(again.code == 73 && again.errorOutput == "error: s3://farm/show/remote.wav: exists already\n", "\(again.errorOutput)")
  }

  @Test func `a movie has several places, and one that fails takes nothing from the others`() throws {
    let all = try render("a.wav", "-o", "s3://farm/show/b.wav", "-o", "out/c.wav", "--json")
    #expect(all.code == 0, "\(all.errorOutput)")
    let places = #""copies":[{"output":"s3://farm/show/b.wav"},{"output":"\#(directory.file("out/c.wav"))"}]"#
    #expect(all.lines.last?.contains(places) == true, "\(all.output)")
    let movie = try [UInt8](contentsOf: directory.file("a.wav"))
    #expect(try [UInt8](contentsOf: directory.file("out/c.wav")) == movie)
    #expect(try server.list().count == 2)
    try server.get("show/b.wav", to: directory.file("b.wav"))
    #expect(try [UInt8](contentsOf: directory.file("b.wav")) == movie)
    for (folder, name) in [("", "a.wav.sha256"), ("/out", "c.wav.sha256")] {
      let check = try Command("/usr/bin/sha256sum", ["--check", name], workingDirectory: directory.path + folder)
        .run(timeoutMilliseconds: 60_000)
      #expect(check?.status.isSuccess == true, "\(name)")
    }

    try server.breaks("partNumber=2 fail")
    let some = try render("d.wav", "-o", "s3://farm/show/e.wav", "-o", "out/f.wav")
    #expect(some.code == 73)
    #expect(
      some.errorOutput.hasSuffix("error: s3://farm/show/e.wav: the server cannot answer now (HTTP status 503)\n"),
      "\(some.errorOutput)")
    #expect(some.output.contains("/out/f.wav: the same movie\n"), "\(some.output)")
    for name in ["d.wav", "out/f.wav"] { #expect(try [UInt8](contentsOf: directory.file(name)) == movie) }
    #expect(try server.list().count == 2)

    for (outputs, words) in [
      (["s3://farm/x.wav", "-o", "x.wav"], "s3://farm/x.wav: is in S3: of several places, name a file of this machine first"),
      (["x.wav", "-o", "x.wav"], "x.wav: is named twice"),
      (["x.wav", "-o", "-"], "-: standard output is no place beside others"),
      (["x.wav", "-o", "frames/%04d.png"], "frames/%04d.png: is a folder: "),
    ] {
      let run = try SpoolProgram.run(
        ["render", "edit.json", "--data", directory.file("data"), "-o"] + outputs, folder: directory.path,
        environment: server.environment)
      #expect(run.code == 64 && run.errorOutput.hasPrefix("error: " + words), "\(run.errorOutput)")
    }
  }

  @Test func `a farm's job has several places, and one that fails takes nothing from the others`() throws {
    let farm = try Farm(self, stores: directory.file("store"))
    let (first, third) = (directory.file("out/first.wav"), directory.file("out/third.wav"))
    let job = try farm.submit(first, server.environment, copies: ["s3://farm/show/b.wav", third])
    #expect(try farm.end(of: job) == "done")
    let movie = try [UInt8](contentsOf: first)
    #expect(try [UInt8](contentsOf: third) == movie)
    try server.get("show/b.wav", to: directory.file("b.wav"))
    #expect(try [UInt8](contentsOf: directory.file("b.wav")) == movie && server.list().count == 2)
    for name in ["first", "third"] {
      let check = try Command("/usr/bin/sha256sum", ["--check", "\(name).wav.sha256"], workingDirectory: directory.file("out"))
        .run(timeoutMilliseconds: 60_000)
      #expect(check?.status.isSuccess == true, "\(name)")
    }
    let environment = server.environment.merging(farm.environment) { $1 }
    var verified = try SpoolProgram.run("verify", job, environment: environment)
    #expect(verified.code == 0 && verified.output.contains("s3://farm/show/b.wav: the same movie\n"), "\(verified.errorOutput)")
    try Array(movie.dropLast() + [movie.last.map { $0 ^ 1 } ?? 0]).write(toFile: third)
    verified = try SpoolProgram.run("verify", job, environment: environment)
    #expect(
      verified.code == 1 && verified.errorOutput == "error: \(first): its copy \(third) is not the same movie\n",
      "\(verified.errorOutput)")

    // The first place is in S3 now; of the further ones, a folder that is gone when the movie comes.
    let lost = directory.file("lost")
    #expect(unsafe mkdir(lost, 0o777) == 0)
    #expect(try SpoolProgram.run("drain", environment: farm.environment).code == 0)
    let other = try farm.submit(
      "s3://farm/show/c.wav", server.environment, copies: [lost + "/c.wav", directory.file("out/d.wav")])
    #expect(unsafe rmdir(lost) == 0)
    #expect(try SpoolProgram.run("undrain", environment: farm.environment).code == 0)
    let watched = try SpoolProgram.run("watch", other, environment: farm.environment)
    #expect(watched.code == 73 && watched.errorOutput.contains("error: \(lost)/c.wav: "), "\(watched.errorOutput)")
    #expect(try [UInt8](contentsOf: directory.file("out/d.wav")) == movie && server.list().count == 4)
    let status = try SpoolProgram.run("status", other, environment: farm.environment).output
    #expect(status.contains("copy       \(lost)/c.wav: is not there: "), "\(status)")

    // Tried again, the movie comes from its first place, which is in S3, and no chunk or sound is made.
    #expect(unsafe mkdir(lost, 0o777) == 0)
    let before = try [UInt8](contentsOf: directory.file("out/d.wav")).count
    let again = try SpoolProgram.run("retry", other, environment: farm.environment)
    #expect(again.code == 0, "\(again.errorOutput)")
    let rewatched = try SpoolProgram.run("watch", other, environment: farm.environment)
    #expect(rewatched.code == 0, "\(rewatched.errorOutput)")
    #expect(try [UInt8](contentsOf: lost + "/c.wav") == movie && before == movie.count && server.list().count == 4)
    let json = try SpoolProgram.run("status", other, "--json", environment: farm.environment).output
    #expect(json.contains("\"state\":\"done\"") && !json.contains("\"state\":\"failed\""), "\(json)")
    let refused = try SpoolProgram.run("retry", other, environment: farm.environment)
    #expect(refused.code != 0 && refused.errorOutput.contains("is done"), "\(refused.errorOutput)")
  }

  @Test func `what S3 would refuse is refused before anything is rendered`() throws {
    try [
      ("s3://nobodys/m.wav", [:], 73, "s3://nobodys/m.wav: there is no such thing there (HTTP status 404, NoSuchBucket)\n"),
      ("s3://farm/m.wav", ["AWS_SECRET_ACCESS_KEY": "wrong"], 77, "s3://farm/m.wav: the server refuses it (HTTP status 403, "),
      ("s3://farm/m.wav", ["AWS_ACCESS_KEY_ID": ""], 77, "s3://farm/m.wav: there are no credentials for S3"),
      ("s3://farm/m.wav", ["AWS_ENDPOINT_URL": "http://127.0.0.1:1"], 69, "s3://farm/m.wav: nobody listens there"),
      ("s3://farm/m.mp3", [:], 64, "m.mp3: the name promises sound alone, in mp3, but "),
      ("s3://farm/show/master.m3u8", [:], 64, "s3://farm/show: the name is that of a playlist, but "),
      ("s3://farm/master.m3u8", [:], 64, "s3://farm/master.m3u8: the movie needs a folder of its own: "),
      ("s3://farm/frames/%04d.png", [:], 64, "%04d.png: the name has a place for the numbers of pictures, but "),
      ("s3://farm/%04d.png", [:], 64, "s3://farm/%04d.png: the movie needs a folder of its own: "),
      ("s3://F/a/%04d.png", [:], 64, "s3://F/a/%04d.png: 'F' is not a bucket's name"),
      ("s3://farm/", [:], 64, "s3://farm/: names a bucket without a key"),
      ("s3://farm/a/", [:], 64, "s3://farm/a/: names a folder"),
      ("s3://F/a", [:], 64, "s3://F/a: 'F' is not a bucket's name"),
    ].forEach { (output: String, environment: [String: String], code: Int32, words: String) in
      let run = try render(output, environment: environment)
      #expect(run.code == code && run.errorOutput.hasPrefix("error: " + words), "\(output): \(run.errorOutput)")
    }
    #expect(try server.list() == [])
    #expect(unsafe access(directory.file("data"), F_OK) != 0)
  }

  @Test func `a farm publishes by the worker that may, and by another one when that was killed in the middle`() throws {
    let farm = try Farm(self, stores: directory.file("store"))
    try server.breaks("partNumber=2 hang")
    let job = try farm.submit("s3://farm/show/m.wav", server.environment)
    let courier = try #require(try farm.courier(of: job))
    #expect(try server.list() == ["upload show/m.wav"])
    #expect(kill(courier, SIGKILL) == 0)
    try server.breaks(nil)
    #expect(try farm.end(of: job) == "done")
    let movie = try server.list()
    #expect(movie.count == 2 && movie.allSatisfy { $0.hasPrefix("object show/m.wav") }, "\(movie)")
    let status = try SpoolProgram.run("status", job, environment: farm.environment).output
    #expect(status.contains("s3://farm/show/m.wav") && status.contains("retries    1"), "\(status)")
  }

  @Test func `of a job that is cancelled while it uploads nothing is left`() throws {
    let farm = try Farm(self, stores: directory.file("store"))
    try server.breaks("partNumber=2 hang")
    let job = try farm.submit("s3://farm/show/m.wav", server.environment)
    _ = try #require(try farm.courier(of: job))
    #expect(try server.list() == ["upload show/m.wav"])
    #expect(try SpoolProgram.run("cancel", job, environment: farm.environment).code == 0)
    try server.breaks(nil)
    #expect(try farm.waits { try server.list() == [] })
  }

  @Test func `a farm none of whose workers writes to S3 refuses the job, and one with its store there publishes it`() throws {
    let farm = try Farm(self, stores: "s3://farm/store", mayPublish: false)
    var refused = try farm.submission("s3://farm/show/m.wav", server.environment)
    #expect(refused.code == 73 && refused.errorOutput.contains("no worker of the farm writes to S3"), "\(refused.errorOutput)")
    try farm.addWorker(self, "s3://farm/store", ["--output-url", "s3://farm/show"])
    #expect(try farm.waits { try SpoolProgram.run("status", environment: farm.environment).output.contains("writer") })
    refused = try farm.submission("s3://farm/elsewhere/m.wav", server.environment)
    #expect(refused.code == 73 && refused.errorOutput.contains("s3://farm/show"), "\(refused.errorOutput)")
    // Whoever submits needs no credentials. The place is then not checked.
    let job = try farm.submit("s3://farm/show/m.wav", [:])
    #expect(try farm.end(of: job) == "done")
    #expect(try server.list("show/").count == 2)
    #expect(try farm.waits { try server.list("store/") == [] })
  }

  /// The files of a folder on this machine, by their names.
  private func files(_ folder: String) throws -> [String: [UInt8]] {
    let listed = try #require(try Command("/usr/bin/ls", [directory.file(folder)]).run(timeoutMilliseconds: 10_000))
    var files: [String: [UInt8]] = [:]
    for name in listed.lines where !name.isEmpty {
      files[String(name)] = try [UInt8](contentsOf: directory.file("\(folder)/\(name)"))
    }
    return files
  }

  /// Whether a folder in the bucket has these files, and no others.
  private func hasFiles(_ files: [String: [UInt8]], _ folder: String) throws -> Bool {
    let got = directory.file("got")
    let there = try server.list("\(folder)/").map { line in
      String(line.dropFirst("object \(folder)/".count).prefix { $0 != " " })
    }
    guard Set(there) == Set(files.keys) else { return false }
    for (name, bytes) in files {
      try server.get("\(folder)/\(name)", to: got)
      guard try [UInt8](contentsOf: got) == bytes else { return false }
    }
    return true
  }

  @Test func `a movie in pieces goes there as it goes to a folder, and is replaced or kept as it is asked for`() throws {
    try Self.pieces.write(toFile: directory.file("edit.json"))
    let local = try render("ep/master.m3u8")
    #expect(local.code == 0, "\(local.errorOutput)")
    let files = try files("ep")
    #expect(files.count > 20)
    let remote = try render("s3://farm/show/ep/master.m3u8", "--no-overwrite")
    #expect(remote.code == 0 && remote.output.hasPrefix("s3://farm/show/ep: 120.0 s, "), "\(remote.output) \(remote.errorOutput)")
    // The facts of the line have the bytes of all files.
    func facts(_ line: String) -> [Substring] { Array(line.split(separator: ",").dropFirst().prefix(2)) }
    #expect(facts(remote.output) == facts(local.output), "\(remote.output) \(local.output)")
    #expect(try hasFiles(files, "show/ep"))
    try server.get("show/ep.sha256", to: directory.file("ep.sha256"))
    let check = try Command("/usr/bin/sha256sum", ["--check", "ep.sha256"], workingDirectory: directory.path)
      .run(timeoutMilliseconds: 60_000)
    #expect(check?.status.isSuccess == true)
    let again = try render("s3://farm/show/ep/master.m3u8", "--no-overwrite")
    #expect(
      again.code == 73 && again.errorOutput == "error: s3://farm/show/ep/master.m3u8: exists already\n", "\(again.errorOutput)")
    try Self.pieces.replacing(#"{"asset": "n"}"#, with: #"{"asset": "n", "source": {"start": "0", "duration": "50"}}"#)
      .write(toFile: directory.file("edit.json"))
    let shorter = try render("s3://farm/show/ep/master.m3u8")
    #expect(shorter.code == 0, "\(shorter.errorOutput)")
    let left = try server.list("show/ep/").count
    #expect(5..<files.count ~= left)
  }

  @Test func `a sequence of pictures goes there as it goes to a folder`() throws {
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "testsrc2=s=64x36:r=25:d=1", "-c:v", "ffv1", directory.file("clip.mkv")])
    try #"""
    {"spool": 1, "assets": {"n": {"path": "clip.mkv"}},
     "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "n"}]}]},
     "export": {"fileType": "pngSequence", "sequence": {"first": 1001}, "checksum": "sha256"}}
    """#.write(toFile: directory.file("edit.json"))
    let local = try render("shot/f.%04d.png")
    #expect(local.code == 0, "\(local.errorOutput)")
    let files = try files("shot")
    #expect(files.count == 25 && files.keys.contains("f.1001.png"))
    let remote = try render("s3://farm/show/shot/f.%04d.png", "--no-overwrite")
    #expect(remote.code == 0 && remote.output.hasPrefix("s3://farm/show/shot: 1.0 s, "), "\(remote.output) \(remote.errorOutput)")
    #expect(try hasFiles(files, "show/shot"))
    try server.get("show/shot.sha256", to: directory.file("shot.sha256"))
    let check = try Command("/usr/bin/sha256sum", ["--check", "shot.sha256"], workingDirectory: directory.path)
      .run(timeoutMilliseconds: 60_000)
    #expect(check?.status.isSuccess == true)
    let again = try render("s3://farm/show/shot/f.%04d.png", "--no-overwrite")
    #expect(
      again.code == 73 && again.errorOutput == "error: s3://farm/show/shot/f.1025.png: exists already\n", "\(again.errorOutput)")
    #expect(try render("s3://farm/show/shot/f.%04d.png").code == 0)
    #expect(try hasFiles(files, "show/shot"))
  }

  @Test func `of pieces, too, nothing is seen before all are there, and nothing is left of a job that is cancelled`() throws {
    try Self.pieces.write(toFile: directory.file("edit.json"))
    #expect(try render("ep/master.m3u8").code == 0)
    let farm = try Farm(self, stores: directory.file("store"))
    try server.breaks("sound-00003 hang")
    var job = try farm.submit("s3://farm/show/ep/master.m3u8", server.environment)
    let courier = try #require(try farm.courier(of: job))
    #expect(try farm.waits { try server.list("show/ep/sound-00002").count == 1 })
    #expect(try !server.list().contains { $0.contains("master") || $0.contains("manifest") })
    #expect(kill(courier, SIGKILL) == 0)
    try server.breaks(nil)
    #expect(try farm.end(of: job) == "done")
    #expect(try hasFiles(files("ep"), "show/ep"))

    try server.breaks("other/sound-00003 hang")
    job = try farm.submit("s3://farm/show/other/master.m3u8", server.environment)
    #expect(try farm.waits { try server.list("show/other/sound-00002").count == 1 })
    #expect(try SpoolProgram.run("cancel", job, environment: farm.environment).code == 0)
    try server.breaks(nil)
    #expect(try farm.waits { try server.list("show/other/") == [] })
    #expect(try hasFiles(files("ep"), "show/ep"))
  }

  private func render(_ output: String, _ options: String..., environment: [String: String] = [:]) throws -> Completed {
    try SpoolProgram.run(
      ["render", "edit.json", "-o", output, "--data", directory.file("data"), "--workers", "1"] + options,
      folder: directory.path, environment: server.environment.merging(environment) { $1 })
  }

  /// A farm of two workers, of which one may write to S3.
  private final class Farm {
    let environment: [String: String]
    private let endpoint: String
    private let directory: TemporaryDirectory
    private let server: S3Server
    private var processes: [ChildProcess] = []

    init(_ tests: S3OutputTests, stores store: String, mayPublish: Bool = true) throws {
      (directory, server) = (tests.directory, tests.server)
      let database = try TestCluster.shared.get().makeDatabase()
      environment = ["SPOOL_DATABASE": database]
      endpoint = "ipc://" + directory.file("farm")
      var coordinator = SpoolProgram.command(["coordinator", "--database", database, "--endpoint", endpoint])
      (coordinator.output, coordinator.errorOutput) = (.null, .file(directory.file("coordinator.log")))
      processes.append(try ChildProcess(coordinator))
      try addWorker(tests, store, [], name: "reader")
      if mayPublish { try addWorker(tests, store, ["--output-url", "s3://farm/show"]) }
    }

    func addWorker(_ tests: S3OutputTests, _ store: String, _ options: [String], name: String = "writer") throws {
      let scratch = store.hasPrefix("s3:") ? ["--scratch", directory.file("out")] : []
      var worker = SpoolProgram.command(
        [
          "worker", "--connect", endpoint, "--name", name, "--slots", "1", "--store", store, "--media-root", directory.path,
        ] + scratch + options, environment: server.environment)
      (worker.output, worker.errorOutput) = (.null, .file(directory.file("\(name).log")))
      processes.append(try ChildProcess(worker))
    }

    func submission(
      _ output: String, _ credentials: [String: String], copies: [String] = []
    ) throws -> Completed {
      // A farm without a known worker takes every job, with a warning.
      try #require(try waits { try SpoolProgram.run("status", environment: self.environment).output.contains("reader") })
      return try SpoolProgram.run(
        ["submit", directory.file("edit.json"), "-o", output] + copies.flatMap { ["-o", $0] },
        environment: credentials.merging(environment) { $1 })
    }

    func submit(
      _ output: String, _ credentials: [String: String], copies: [String] = []
    ) throws -> String {
      try #require(try waits { try SpoolProgram.run("status", environment: self.environment).output.contains("writer") })
      let run = try submission(output, credentials, copies: copies)
      try #require(run.code == 0, "\(run.errorOutput)")
      return String(run.output.dropLast())
    }

    /// The process that publishes a job's movie, once it has begun to upload it.
    func courier(of job: String) throws -> Int32? {
      var found: Int32?
      _ = try waits {
        guard try server.list() != [] else { return false }
        let processes = try Command("/usr/bin/pgrep", ["-f", "courier --store \(directory.path)"])
          .run(timeoutMilliseconds: 10_000)
        found = processes.flatMap { Int32($0.lines.first ?? "") }
        return found != nil
      }
      return found
    }

    func end(of job: String) throws -> String {
      let run = try SpoolProgram.run(["watch", job], environment: environment)
      return run.code == 0 ? "done" : run.output + run.errorOutput
    }

    func waits(_ condition: () throws -> Bool) throws -> Bool {
      let deadline = ContinuousClock.now + .seconds(180)
      while ContinuousClock.now < deadline {
        if try condition() { return true }
        usleep(200_000)
      }
      return false
    }
  }

  private static let pieces = document.replacing(
    #""fileType": "wav", "audio": {"codec": "pcm", "sampleFormat": "int16"}"#,
    with: #""fileType": "cmaf", "audio": {"codec": "aac"}"#)

  private static let document = """
    {"spool": 1, "assets": {"n": {"path": "noise.wav"}},
     "composition": {"tracks": [{"id": "A", "media": "audio", "segments": [{"asset": "n"}]}]},
     "export": {"fileType": "wav", "audio": {"codec": "pcm", "sampleFormat": "int16"}, "checksum": "sha256"}}
    """
}
