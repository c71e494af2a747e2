import EditFiles
import Examination
import FarmTesting
import FoundationEssentials
import Glibc
import Media
import Messages
import Rendering
import Subprocess
import Testing
import Timeline

/// The program as a person runs it, but with faulty decoders. The fault hits a process that has nothing to lose, and the medium
/// is named.
@Suite(.serialized, .enabled("needs Landlock and seccomp") { Confinement.available == Confinement.Part.allCases })
struct PlantedMediaTests {
  private let directory = TemporaryDirectory()

  /// The verbs that read media.
  static let verbs = [
    "probe MEDIUM", "validate DOCUMENT", "frames DOCUMENT", "frame DOCUMENT --index 0 -o FOLDER/frame.png",
    "verify DOCUMENT FOLDER/fine.mp4", "submit DOCUMENT -o FOLDER/movie.mp4 --database host=/nonexistent",
    "render DOCUMENT -o FOLDER/movie.mp4 --data FOLDER/data", "read DOCUMENT", "contact-sheet DOCUMENT -o FOLDER/sheet.png",
    "waveform MEDIUM -o FOLDER/wave.png", "init MEDIUM",
  ]

  private static let trespasses = """
    fork: Operation not permitted; execute: Operation not permitted; internet: Operation not permitted; \
    local socket: Operation not permitted; passwords: Permission denied; worker's environment: Permission denied; \
    other media: Permission denied; writing the source: Operation not permitted; emptying the source: Operation not permitted; \
    source's mode: Operation not permitted; file elsewhere: Operation not permitted; signal to the worker: Operation not permitted; \
    signal by a file: Operation not permitted; worker's cores: Operation not permitted; file in memory: Operation not permitted; \
    own group: Operation not permitted; user: Operation not permitted
    """

  @Test(arguments: verbs)
  func `a decoder that trespasses is refused all of it, and its medium is told`(verb: String) throws {
    let run = try run(verb, "trespass")
    let words = "ended with signal 6 (Aborted): \(Self.trespasses); it held at most "
    try expect(run, verb, "trespass", words)
    #expect(unsafe access("/tmp/spool-planted", F_OK) != 0)
  }

  @Test(arguments: verbs)
  func `a decoder that crashes costs nobody but itself, and its medium is told`(verb: String) throws {
    try expect(try run(verb, "crash"), verb, "crash", "ended with signal 11 (Segmentation fault)")
  }

  @Test func `a decoder that tries other ways is refused them, too`() throws {
    let words = """
      ended with signal 6 (Aborted): attribute: Function not implemented; \
      no attribute: Function not implemented; file's flags: Function not implemented; tree: Operation not permitted; \
      tree's attributes: Function not implemented; others' memory: Operation not permitted; watching: Operation not permitted; \
      watching all: Operation not permitted; outliving the worker: Operation not permitted; dumpable: Operation not permitted; \
      a thread's name: done; limit: Operation not permitted; descriptors for others: Operation not permitted; \
      more in a pipe: Operation not permitted; lease: Operation not permitted; its order: Bad file descriptor; \
      its order again: Operation not permitted; it held at most
      """
    try expect(try run("probe MEDIUM", "ways"), "probe MEDIUM", "ways", words)
  }

  @Test func `a decoder that makes every call there is gets an answer from those that reading takes, and from no other`() throws {
    let words = "ended with signal 6 (Aborted): answered: \(AnsweredCalls.ofExamining); "
    try expect(try run("probe MEDIUM", "calls"), "probe MEDIUM", "calls", words)
  }

  @Test func `what reads media has given up all that it does not need before it reads, and knows no secrets`() throws {
    // Root's media are handed over, which takes one more descriptor.
    let files = geteuid() == 0 ? 1025 : 1024
    let memory = max(4 << 30, sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) / 2)
    let words = """
      ended with signal 6 (Aborted): CapPrm: 0000000000000000; CapEff: 0000000000000000; NoNewPrivs: 1; Seccomp: 2; \
      Max file size 0 0 bytes; Max core file size 0 0 bytes; Max open files \(files) \(files) files; \
      Max address space \(memory) \(memory) bytes; leads a session: true; knows: SWIFT_BACKTRACE; \
      holds: order pipe pipe pipe planted-state.mp4; it held at most
      """
    let secrets = ["PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "SPOOL_TOKEN", "SPOOL_DATABASE"]
    let run = try run("probe MEDIUM", "state", environment: Dictionary(uniqueKeysWithValues: secrets.map { ($0, "secret") }))
    try expect(run, "probe MEDIUM", "state", words)
  }

  @Test func `of what a process says only what it was asked for is believed`() throws {
    try medium("fine.mp4")
    let assets = [ProbedAssets.Asset(id: AssetID("a"), path: directory.file("fine.mp4"))]
    let probed = try AssetExamination(assets, honest()).finish()
    func told(_ reports: [String]) throws -> ProbedAssets { try AssetExamination(assets, liar(saying: reports)).finish() }
    let facts = try #require(probed.facts.values.first)
    let found = String(decoding: try JSONEncoder().encode(ExaminationReport.found(asset: "a", facts)), as: UTF8.self)
    let other = found.replacing(/"byteCount":[0-9]+/, with: #""byteCount":7"#)
    try #require(found != other && found.contains(#""asset":"a""#))
    // What is told of another asset, of nothing that was asked, in too long a line, or a second time is left out.
    let begun = #"{"begun":{"asset":"a"}}"#
    let long = #"{"found":{"x":""# + String(repeating: "x", count: 5 << 20) + #"","# + other.dropFirst(#"{"found":{"#.count)
    let foreign = other.replacing(#""asset":"a""#, with: #""asset":"b""#)
    let all = try told([#"{"frame":{"index":0,"md5":"x"}}"#, foreign, long, begun, found, other])
    #expect(all.facts == probed.facts && all.faults.isEmpty)
    let untrue = try told([begun, found.replacing(/"byteCount":[0-9]+/, with: #""byteCount":-1"#)])
    #expect(untrue.facts.isEmpty && untrue.faults.map { "\($0.error)".contains("cannot be true") } == [true])
    let silent = try told([begun])
    #expect(silent.facts.isEmpty && silent.faults.map { "\($0.error)".contains("without saying anything of it") } == [true])
  }

  @Test func `of frames only digests in their order are believed, and only a picture of the edit's size`() throws {
    try medium("fine.mp4")
    try document("edit", #""a": {"path": "fine.mp4"}"#)
    let setting = honest()
    let assets = try AssetExamination([.init(id: AssetID("a"), path: directory.file("fine.mp4"))], setting).finish()
    let policy = SourcePolicy(roots: ["/"])
    let edit = try EditFile(DocumentFile(path: directory.file("planted-edit.json")), assets, policy).edit
    func frame(_ index: Int, _ md5: String) -> String { #"{"frame":{"index":\#(index),"md5":"\#(md5)"}}"# }
    let (first, second) = (String(repeating: "0", count: 32), String(repeating: "f", count: 32))
    func frames(_ said: [String]) throws -> [String] {
      var told: [String] = []
      try EditExamination(of: edit, fonts: nil, liar(saying: said)).frames(FrameRange(first: 0, count: 2)) {
        told.append("\($0) \($1)")
      }
      return told
    }
    let said = [
      frame(1, first), frame(0, "\u{1b}[2J"), frame(0, first + "0"), frame(0, first), frame(0, second), frame(1, second),
    ]
    #expect(try frames(said + [frame(2, first)]) == ["0 \(first)", "1 \(second)"])
    #expect(throws: EditExamination.Broken.self) { try frames([frame(0, first)]) }
    func picture(_ size: String) throws {
      let said = [8, 16].map { #"{"pictured":{\#(size),"bitDepth":\#($0)}}"# }
      _ = try EditExamination(of: edit, fonts: nil, liar(saying: said)).picture(0)
    }
    try picture(#""width":64,"height":48"#)
    for size in [#""width":63,"height":48"#, #""width":64,"height":4800"#] {
      #expect(throws: EditExamination.Broken.self) { try picture(size) }
    }
  }

  @Test func `a decoder that eats memory gets no more than the command may have`() throws {
    try expect(try run("probe MEDIUM", "memory", addressSpace: 1 << 30), "probe MEDIUM", "memory", "ended with signal ")
  }

  @Test func `a frame that a decoder does not survive is told, with what it shows`() throws {
    // Probing decodes nothing of a medium that is not marked as HDR.
    try SyntheticSource(width: 64, height: 48, frameCount: 10).write(
      to: directory.file("planted-crash.mp4"), ["-c:v", "libx264"])
    let run = try run("frames DOCUMENT", "crash", keepsMedium: true)
    #expect(run.code == 65 && run.output.isEmpty)
    #expect(
      run.errorOutput.hasPrefix("error: frame 0 (assets.a): the process that reads it ended with signal 11 (Segmentation fault)"))
    let verified = try self.run("verify DOCUMENT FOLDER/fine.mp4", "crash", keepsMedium: true)
    let place = "frame 0 (assets.a, \(directory.file("fine.mp4")))"
    #expect(
      verified.code == 65 && verified.errorOutput.hasPrefix("error: \(place): the process that reads it ended"),
      "\(verified.errorOutput)")
  }

  @Test func `what else is wrong with an edit's media is told beside the one that ends its process`() throws {
    try medium("planted-crash.mp4")
    let assets = (1...20).map { #""g\#($0)": {"path": "missing-\#($0).mp4"}"# } + [#""a": {"path": "planted-crash.mp4"}"#]
    try document("crash", assets.joined(separator: ", "))
    let run = try run("validate DOCUMENT", "crash", keepsMedium: true, keepsDocument: true)
    #expect(run.code == 66)
    let faults = run.errorOutput.split(separator: "\n")
    #expect(faults.count == 21 && faults.first?.hasPrefix("error: assets.a: ") == true, "\(run.errorOutput)")
    #expect(faults.count { $0.hasSuffix("No such file or directory") } == 20)
  }

  @Test func `a decoder that hangs is killed, and the others are told of`() throws {
    for name in ["planted-hang.mp4", "fine.mp4"] { try medium(name) }
    var setting = ExaminationSetting(roots: ["/"], library: nil)
    #expect(setting.patienceSeconds == 60)
    (setting.executable, setting.patienceSeconds) = (Self.program, 1)
    let assets = [("a", "planted-hang.mp4"), ("b", "missing.mp4")].map {
      ProbedAssets.Asset(id: AssetID($0), path: directory.file($1))
    }
    let probed = try AssetExamination(assets, setting).finish()
    #expect(
      probed.faults.map { "\($0.asset): \($0.error)" } == [
        "a: \(assets[0].path): no progress for 1 s; killed",
        "b: \(assets[1].path): No such file or directory",
      ])
  }

  @Test func `a decoder that says the same again and again makes no progress, and is killed`() throws {
    try medium("planted-chatter.mp4")
    var setting = ExaminationSetting(roots: ["/"], library: nil)
    (setting.executable, setting.patienceSeconds) = (Self.program, 1)
    let path = directory.file("planted-chatter.mp4")
    let examination = try AssetExamination([.init(id: AssetID("a"), path: path)], setting)
    var probed: ProbedAssets?
    let end = ContinuousClock.now + .seconds(60)
    while probed == nil, ContinuousClock.now < end { probed = try examination.advance(within: 100) }
    #expect(probed?.faults.map { "\($0.error)" } == ["\(path): no progress for 1 s; killed"])
  }

  @Test func `what reads media ends when who asked is gone, though nothing signals it`() throws {
    try medium("planted-hang.mp4")
    let order = #"{"assets":{"_0":[{"id":"a","path":"\#(directory.file("planted-hang.mp4"))"}]}}"#
    var leash: Leash? = try Leash()
    let end = try #require(leash?.end)
    let command = Command(
      Self.program, ["examine", "--media-root", "/", "--leash", "3"], environment: Command.harmlessEnvironment(),
      input: .bytes(Array(order.utf8)), output: .pipe)
    let child = try ChildProcess(command, passing: [end])
    let output = try #require(child.output)
    var lines = LineReader(output, limit: 4096)
    while try lines.read().isEmpty {
      var entry = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&entry, 1, 1000)
      try #require(try child.poll() == nil)
    }
    leash = nil
    #expect(try child.wait() == .exited(75))
  }

  @Test func `after sixteen that end their process the rest is not read`() throws {
    try medium("planted-crash.mp4")
    var setting = ExaminationSetting(roots: ["/"], library: nil)
    setting.executable = Self.program
    let assets = (10..<30).map { ProbedAssets.Asset(id: AssetID("a\($0)"), path: directory.file("planted-crash.mp4")) }
    let faults = try AssetExamination(assets, setting).finish().faults
    #expect(faults.map(\.asset) == assets.map(\.id))
    #expect(faults.count { $0.error.reason.hasPrefix("the process that reads it ended with signal 11") } == 16)
    #expect(faults.count { $0.error.reason == "was not read: 16 others have ended the processes that read them" } == 4)
  }

  // MARK: Private parts

  /// The setting of examinations by the program itself.
  private func honest() -> ExaminationSetting {
    var setting = ExaminationSetting(roots: ["/"], library: nil)
    setting.executable = SpoolProgram.executable
    return setting
  }

  /// The setting of examinations by a program that says only what it was told to say.
  private func liar(saying reports: [String]) throws -> ExaminationSetting {
    try (reports.joined(separator: "\n") + "\n").write(toFile: directory.file("said"))
    try "#!/bin/sh\nexec cat '\(directory.file("said"))'\n".write(toFile: directory.file("liar"))
    try #require(unsafe chmod(directory.file("liar"), 0o755) == 0)
    var setting = ExaminationSetting(roots: ["/"], library: nil)
    setting.executable = directory.file("liar")
    return setting
  }

  private func expect(_ run: Completed, _ verb: String, _ fault: String, _ words: String) throws {
    let asset = verb.contains("DOCUMENT") ? "assets.a: " : verb.hasPrefix("init") ? "assets.planted-\(fault): " : ""
    let place = asset + "MEDIUM"
    #expect(run.code == 65 && run.output.isEmpty, "\(String(describing: run.status)) \(run.output)")
    let complaint = "error: \(filled(place, fault)): the process that reads it \(words)"
    #expect(run.errorOutput.hasPrefix(complaint) && run.errorOutput.count(where: \.isNewline) == 1, "\(run.errorOutput)")
    #expect(unsafe access(directory.file("data"), F_OK) != 0 && access(directory.file("movie.mp4"), F_OK) != 0)
  }

  private func run(
    _ verb: String, _ fault: String, keepsMedium: Bool = false, keepsDocument: Bool = false, addressSpace: Int? = nil,
    environment: [String: String] = [:]
  ) throws -> Completed {
    if !keepsMedium { try medium("planted-\(fault).mp4") }
    for name in ["planted-crash.mp4", "fine.mp4"] where unsafe access(directory.file(name), F_OK) != 0 { try medium(name) }
    if !keepsDocument { try document(fault, #""a": {"path": "planted-\#(fault).mp4"}"#) }
    var words = [Self.program] + filled(verb, fault).split(separator: " ").map(String.init)
    if let addressSpace { words = ["/usr/bin/prlimit", "--as=\(addressSpace)"] + words }
    // A decoder in the command's own process would have the fault, too: it would find the medium in its standard input.
    return try SpoolProgram.run(
      Array(words.dropFirst()), input: "\"\(directory.file("planted-\(fault).mp4"))\"", folder: directory.path,
      environment: environment, executable: words[0])
  }

  private static let program = SpoolProgram.executable.replacing(/spool$/, with: "PlantedAttempt")

  private func document(_ fault: String, _ assets: String) throws {
    try """
    {"spool": 1, "assets": {\(assets)}, "composition": {"tracks": [
      {"id": "V", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "0.4"}}]}]}}
    """.write(toFile: directory.file("planted-\(fault).json"))
  }

  private func filled(_ text: String, _ fault: String) -> String {
    text.replacing("MEDIUM", with: directory.file("planted-\(fault).mp4"))
      .replacing("DOCUMENT", with: directory.file("planted-\(fault).json")).replacing("FOLDER", with: directory.path)
  }

  /// Writes a medium whose first frame is decoded when it is probed, because the container does not say how bright it is.
  private func medium(_ name: String) throws {
    let colors = ["-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc"]
    try SyntheticSource(width: 64, height: 48, frameCount: 10).write(to: directory.file(name), ["-c:v", "libx264"] + colors)
  }
}
