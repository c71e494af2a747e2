import FarmTesting
import FoundationEssentials
import Glibc
import Subprocess
import SyntheticFonts
import Testing

/// Tests of renders by root, as in a container. The processes that read media run as the user nobody, and root's files are for
/// root alone.
@Suite(.serialized, .enabled("needs root, whose farm runs as another user") { geteuid() == 0 }) struct RootsFarmTests {
  private let studio: Studio
  /// A folder for root alone, as are the files in it.
  private let home: String

  init() throws {
    studio = try Studio()
    home = studio.file("home")
    try #require(unsafe mkdir(home, 0o700) == 0)
    for medium in ["a.mp4", "b.mp4", "v.mkv", "song.wav"] {
      try #require(unsafe rename(studio.file(medium), "\(home)/\(medium)") == 0 && chmod("\(home)/\(medium)", 0o600) == 0)
    }
    try EditDocument.everything(export: EditDocument.lossless).write(toFile: "\(home)/edit.json")
    try "secret".write(toFile: "\(home)/secret")
    try #require(unsafe chmod("\(home)/secret", 0o600) == 0)
  }

  @Test func `all of the farm but its database is nobody's, and has no power of root's`() throws {
    var seen: [String: Set<String>] = [:]
    let done = try render(["\(home)/edit.json", "-o", "\(home)/movie.mkv", "--chunk-frames", "4"]) { processes in
      for process in processes where process.arguments.first != "/usr/bin/setpriv" {
        guard let role = process.arguments.dropFirst().first, let identity = Self.identity(of: process.id) else { continue }
        seen[role, default: []].insert(identity)
      }
    }
    #expect(done.status == .exited(0), "\(done.errorOutput)")
    let nobody = "65534 65534 65534 65534 / 65534 65534 65534 65534 / / 0000000000000000 0000000000000000 1"
    for role in ["worker", "attempt", "examine"] { #expect(seen[role] == [nobody], "\(role)") }
    // The coordinator has the group that may use the database's socket.
    var facts = stat()
    #expect(unsafe stat("\(studio.dataDirectory)/postgresql", &facts) == 0)
    let groups = Array(repeating: "\(facts.st_gid)", count: 4).joined(separator: " ")
    #expect(seen["coordinator"] == [nobody.replacing("/ 65534 65534 65534 65534 /", with: "/ \(groups) /")])
  }

  @Test func `media that are root's alone are rendered, and the movie is root's own file`() throws {
    let before = umask(0o027)
    defer { umask(before) }
    let done = try render(["\(home)/edit.json", "-o", "\(home)/movie.mkv"])
    #expect(done.status == .exited(0), "\(done.errorOutput)")
    var facts = stat()
    #expect(unsafe stat("\(home)/movie.mkv", &facts) == 0 && facts.st_uid == 0 && facts.st_mode & 0o777 == 0o640)
    let verified = try SpoolProgram.run("verify", "\(home)/edit.json", "\(home)/movie.mkv")
    #expect(verified.code == 0, "\(verified.errorOutput)")
    #expect(try names(in: home) == ["a.mp4", "b.mp4", "edit.json", "movie.mkv", "secret", "song.wav", "v.mkv"])
    try expectNothingLeft()
    #expect(unsafe stat("\(studio.dataDirectory)/segments", &facts) == 0 && facts.st_uid == 65534)
    #expect(unsafe stat("\(studio.dataDirectory)/log", &facts) == 0 && facts.st_uid == 0)
  }

  @Test func `a movie of which nothing changed stays the file that it is, and another file in its place is never shown`() throws {
    let (movie, edit) = ("\(home)/movie.mkv", "\(home)/checked.json")
    // A movie with a file of checksums beside it is always looked at by a job.
    try EditDocument.everything(export: EditDocument.lossless).replacing(
      #""export": {"#, with: #""export": {"checksum": "md5", "#
    )
    .write(toFile: edit)
    func rendered() throws -> (inode: UInt64, bytes: [UInt8]) {
      let done = try render([edit, "-o", movie])
      #expect(done.status == .exited(0), "\(done.errorOutput)")
      try expectNothingLeft()
      var facts = stat()
      try #require(unsafe lstat(movie, &facts) == 0)
      #expect(facts.st_uid == 0 && facts.st_nlink == 1)
      return (UInt64(facts.st_ino), try [UInt8](contentsOf: movie))
    }
    let (first, again) = (try rendered(), try rendered())
    #expect(again == first)
    // What somebody else wrote there is replaced.
    try #require(unsafe unlink(movie) == 0)
    try [UInt8](repeating: 7, count: first.bytes.count).write(toFile: movie)
    #expect(try rendered().bytes == first.bytes)
    // So is a movie that was damaged.
    let kept = try rendered()
    var bytes = kept.bytes
    bytes[bytes.count / 2] ^= 1
    try bytes.write(toFile: movie)
    #expect(try rendered().bytes == first.bytes)
    // A movie that nobody may read but root is joined again, and so is one to which others may write: it is not shown to them.
    for mode: mode_t in [0o600, 0o666] {
      let before = try rendered()
      try #require(unsafe chmod(movie, mode) == 0)
      let after = try rendered()
      #expect(after.bytes == first.bytes && after.inode != before.inode)
    }
  }

  @Test func `root finds a movie of which nothing changed, and starts no farm for it`() throws {
    let (movie, arguments) = (
      "\(home)/movie.mkv", ["render", "\(home)/edit.json", "-o", "\(home)/movie.mkv", "--data", studio.dataDirectory]
    )
    #expect(try SpoolProgram.run(arguments).code == 0)
    let bytes = try [UInt8](contentsOf: movie)
    for mode: mode_t in [0o600, 0o666] {
      try #require(unsafe chmod(movie, mode) == 0)
      let again = try SpoolProgram.run(arguments)
      #expect(
        again.code == 0 && again.output.contains(", lies there already, as this edit makes it\n"),
        "\(again.output) \(again.errorOutput)")
      #expect(try [UInt8](contentsOf: movie) == bytes)
      try expectNothingLeft()
    }
  }

  @Test func `a font of the document that is root's alone is drawn`() throws {
    let (font, edit) = ("\(home)/brand.ttf", "\(home)/text.json")
    try SyntheticFont("Not Installed", letters: "A", height: 700).bytes.write(toFile: font)
    try #require(unsafe chmod(font, 0o600) == 0)
    try """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "brand": {"path": "brand.ttf", "kind": "font"}},
     "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"duration": "0.4"}}]}]},
     "layers": [{"text": "A", "font": "brand", "size": 60, "frame": [0, 0, 160, 96]}], "export": {"fileType": "mkv"}}
    """.write(toFile: edit)
    let done = try render([edit, "-o", "\(home)/movie.mkv", "--chunk-frames", "4"])
    #expect(done.status == .exited(0), "\(done.errorOutput)")
    let verified = try SpoolProgram.run("verify", edit, "\(home)/movie.mkv")
    #expect(verified.code == 0, "\(verified.errorOutput)")
    try expectNothingLeft()
  }

  @Test(.enabled("needs a program that others may run") { try SpoolProgram.runsAsOrdinaryUser })
  func `frames of media that are handed over are those of media that are opened`() throws {
    let handed = try SpoolProgram.run("frames", "\(home)/edit.json")
    #expect(handed.code == 0, "\(handed.errorOutput)")
    for name in try names(in: home) { try #require(unsafe chmod("\(home)/\(name)", 0o644) == 0) }
    try #require(unsafe chmod(home, 0o755) == 0)
    let opened = try SpoolProgram.runAsOrdinaryUser(["frames", "\(home)/edit.json"], folder: home)
    #expect(opened.code == 0 && opened.output == handed.output, "\(opened.errorOutput)")
  }

  @Test func `the user is the one that is named, and never root or the database's`() throws {
    for user in ["root", "0", "postgres", "no-such-user"] {
      let done = try SpoolProgram.run("probe", "\(home)/song.wav", environment: ["SPOOL_USER": user])
      #expect(done.code == 64 && done.errorOutput.hasPrefix("error: SPOOL_USER: "), "\(user): \(done.errorOutput)")
    }
    var seen: Set<String> = []
    let done = try render(["\(home)/edit.json", "-o", "\(home)/movie.mkv", "--user", "daemon"]) { processes in
      for process in processes where ["worker", "attempt", "examine"].contains(process.arguments.dropFirst().first) {
        if let identity = Self.identity(of: process.id) { seen.insert(String(identity.prefix { $0 != " " })) }
      }
    }
    #expect(done.status == .exited(0) && seen == ["1"], "\(seen) \(done.errorOutput)")
    // The farm's folders belong to that user now.
    let other = try render(["\(home)/edit.json", "-o", "\(home)/movie.mkv"])
    #expect(other.status == .exited(77) && other.errorOutput.contains("belongs to another user (1)"), "\(other.errorOutput)")
  }

  @Test func `a program that the user may not run is named, with what helps`() throws {
    let program = "\(home)/spool"
    _ = try Command("/bin/cp", [SpoolProgram.executable, program]).run(timeoutMilliseconds: 20_000)
    try #require(unsafe chmod(program, 0o700) == 0)
    let words = ["render", "\(home)/edit.json", "-o", "\(home)/movie.mkv", "--data", studio.dataDirectory]
    let refused = try SpoolProgram.run(words, executable: program)
    #expect(
      refused.code == 66 && refused.errorOutput.hasPrefix("error: \(program): the user nobody, as whom root's farm runs, may not")
    )
    // The program's folder does not matter.
    try #require(unsafe chmod(program, 0o755) == 0)
    let done = try SpoolProgram.run(words, executable: program)
    #expect(done.code == 0, "\(done.errorOutput)")
  }

  @Test func `a decoder that is taken over reaches nothing of root's, even where nothing else contains it`() throws {
    let medium = "\(home)/planted-reach.mp4"
    try SyntheticSource(width: 64, height: 48, frameCount: 10).write(to: medium, ["-c:v", "libx264"])
    try #require(unsafe chmod(medium, 0o600) == 0)
    try #"""
    {"spool": 1, "assets": {"a": {"path": "planted-reach.mp4"}}, "composition": {"tracks": [
      {"id": "p", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "1/5"}}]}]}}
    """#.write(toFile: "\(home)/planted.json")
    let done = try SpoolProgram.run(
      ["render", "\(home)/planted.json", "-o", "\(home)/movie.mp4", "--data", studio.dataDirectory, "--containment", "none"],
      executable: SpoolProgram.executable.replacing(/spool$/, with: "PlantedAttempt"))
    let tried = [
      "passwords", "medium by its path", "file beside it", "writing beside it", "writing the medium", "data directory",
      "other movies", "farm's lock", "logs", "database", "worker's memory", "worker's environment",
    ]
    let told =
      #"root's user: Operation not permitted\nroot's group: Operation not permitted\n"#
      + tried.map { #"\#($0): Permission denied\n"# }.joined()
    #expect(done.code != 0 && done.errorOutput.contains(told), "\(done.errorOutput)")
    #expect(try !names(in: home).contains { $0 == "planted" || $0.hasPrefix("movie") || $0.hasPrefix(".movie") })
    try expectNothingLeft()
  }

  @Test func `what a killed render left is cleared away by the next`() throws {
    var isKilled = false
    let killed = try render(["\(home)/edit.json", "-o", "\(home)/movie.mkv", "--chunk-frames", "4"]) { processes in
      guard !isKilled, processes.contains(where: { $0.arguments.dropFirst().first == "attempt" }) else { return }
      guard let render = processes.first(where: { $0.arguments.dropFirst().first == "render" }) else { return }
      isKilled = kill(render.id, SIGKILL) == 0
    }
    #expect(isKilled && killed.status == .signalled(SIGKILL))
    #expect(try names(in: "\(studio.dataDirectory)/movies").count == 2)
    let done = try render(["\(home)/edit.json", "-o", "\(home)/movie.mkv"])
    #expect(done.status == .exited(0), "\(done.errorOutput)")
    try expectNothingLeft()
  }

  @Test func `an interrupted render leaves nothing`() throws {
    var isInterrupted = false
    let done = try render(["\(home)/edit.json", "-o", "\(home)/movie.mkv", "--chunk-frames", "4"]) { processes in
      guard !isInterrupted, processes.contains(where: { $0.arguments.dropFirst().first == "attempt" }) else { return }
      guard let render = processes.first(where: { $0.arguments.dropFirst().first == "render" }) else { return }
      isInterrupted = kill(render.id, SIGINT) == 0
    }
    #expect(isInterrupted && done.status == .exited(130), "\(done.errorOutput)")
    #expect(try !names(in: home).contains { $0.contains("movie") })
    try expectNothingLeft()
  }

  @Test func `a movie's name that somebody took meanwhile is kept`() throws {
    var isTaken = false
    let movie = "\(home)/movie.mkv"
    let done = try render(["\(home)/edit.json", "-o", movie, "--no-overwrite", "--chunk-frames", "4"]) { processes in
      guard !isTaken, processes.contains(where: { $0.arguments.dropFirst().first == "attempt" }) else { return }
      isTaken = (try? "mine".write(toFile: movie)) != nil
    }
    #expect(
      isTaken && done.status == .exited(73)
        && done.errorOutput.hasSuffix("error: \(movie): cannot take this name: File exists\n"),
      "\(done.errorOutput)")
    #expect(try [UInt8](contentsOf: movie) == Array("mine".utf8))
    try expectNothingLeft()
  }

  /// Renders, and calls `look` with the command's processes, itself among them, as long as it runs.
  private func render(
    _ arguments: [String], look: ([ProcessTree.Process]) -> Void = { _ in }
  ) throws -> (status: Subprocess.ExitStatus, errorOutput: String) {
    var command = SpoolProgram.command(["render"] + arguments + ["--data", studio.dataDirectory, "--workers", "2"])
    (command.output, command.errorOutput) = (.null, .pipe)
    let child = try ChildProcess(command)
    var errors = try TailReader(#require(child.errorOutput), limit: 1 << 16)
    let deadline = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < deadline {
      let status = try child.poll()
      try errors.read()
      if let status { return (status, errors.text) }
      let tree = try ProcessTree()
      look(tree.processes.filter { $0.id == child.processID } + tree.descendants(of: child.processID))
      usleep(3000)
    }
    throw MediaTools.Failure(description: "spool render \(arguments) does not end")
  }

  /// The user ids, group ids, supplementary groups, effective and bounding capabilities, and the flag "no new privileges" of a
  /// process; nil while it is still root's, or after it has ended.
  private static func identity(of process: Int32) -> String? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }  // It has ended.
    func value(_ name: String) -> String {
      let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
      return line.dropFirst(name.count + 1).split { $0 == "\t" || $0 == " " }.joined(separator: " ")
    }
    guard !value("State").isEmpty, !value("State").hasPrefix("Z"), !value("State").hasPrefix("X") else { return nil }
    // A process is root's for a moment after its start, and reads nothing then.
    guard !value("Uid").hasPrefix("0 ") else { return value("Seccomp") == "2" ? "confined as root" : nil }
    return [value("Uid"), value("Gid"), value("Groups"), "\(value("CapEff")) \(value("CapBnd")) \(value("NoNewPrivs"))"]
      .joined(separator: " / ").replacing("/  /", with: "/ /")
  }

  /// Nothing of a render is left beside the farm but the segments that a next render finds again.
  private func expectNothingLeft() throws {
    for folder in ["segments", "movies", "media"] {
      let left = try names(in: "\(studio.dataDirectory)/\(folder)").filter { folder != "segments" || $0 != "_cache" }
      #expect(left == [], "\(folder)")
    }
  }

  private func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }
}
