import FarmTesting
import Glibc
import Ledger
import Media
import Messages
import Subprocess
import Testing

/// Attempts whose decoders have faults, under the shipped worker and coordinator. They cost attempts and nothing else.
@Suite(.serialized, .enabled("needs Landlock and seccomp") { Confinement.available == Confinement.Part.allCases })
struct PlantedDecoderTests {
  /// The capabilities of root that an attempt keeps: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH.
  private static let capabilities = geteuid() == 0 ? "0000000000000006" : "0000000000000000"

  /// The outcomes for a key of the worker that lies below its media root.
  private static let keyIsSafe = """
    key: Permission denied
    writing the key: Permission denied
    removing the key: Permission denied
    key's mode: Operation not permitted
    """

  private static let outcomes: KeyValuePairs = [
    "crash": "bug|the attempt crashed with signal 11%",
    "memory": "bug|the attempt crashed with signal 11:%it held at most % MiB of memory of the 512 MiB it may have",
    "disk": "worker|the attempt wrote a file larger than it may%",
    "state": """
    bug|the attempt crashed with signal 6: CapPrm: \(capabilities); CapEff: \(capabilities); NoNewPrivs: 1; Seccomp: 2; \
    Max file size 16777216 16777216 bytes; Max core file size 0 0 bytes; Max open files 1024 1024 files; \
    Max address space % bytes; leads a session: true; knows: SWIFT_BACKTRACE; \
    holds: order pipe pipe pipe planted-state.mp4
    %
    """,
    "neighbours": """
    bug|the attempt crashed with signal 6: \
    own folder: done
    job's folder: Permission denied
    store: Permission denied
    another job: Permission denied
    writing it: Permission denied
    removing it: Permission denied
    another movie: Permission denied
    a movie of its own: Permission denied
    \(keyIsSafe)%
    """,
    "mux-reach": """
    bug|the attempt crashed with signal 6: \
    job's segments: done
    writing beside them: Permission denied
    another job: Permission denied
    medium: Permission denied
    movie's folder: done
    folder above: Permission denied
    \(keyIsSafe)
    passwords: Permission denied
    internet: Operation not permitted
    fork: Operation not permitted
    user: Operation not permitted%
    """,
    "ways": """
    bug|the attempt crashed with signal 6: \
    attribute: Function not implemented
    no attribute: Function not implemented
    file's flags: Function not implemented
    tree: Operation not permitted
    tree's attributes: Function not implemented
    others' memory: Operation not permitted
    watching: Operation not permitted
    watching all: Operation not permitted
    outliving the worker: Operation not permitted
    dumpable: Operation not permitted
    a thread's name: done
    limit: Operation not permitted
    descriptors for others: Operation not permitted
    more in a pipe: Operation not permitted
    lease: Operation not permitted
    its order: Bad file descriptor
    its order again: Operation not permitted%
    """,
    "trespass": """
    bug|the attempt crashed with signal 6: \
    fork: Operation not permitted
    execute: Operation not permitted
    internet: Operation not permitted
    local socket: Operation not permitted
    passwords: Permission denied
    worker's environment: Permission denied
    other media: Permission denied
    writing the source: Permission denied
    emptying the source: Operation not permitted
    source's mode: Operation not permitted
    file elsewhere: Permission denied
    signal to the worker: Operation not permitted
    signal by a file: Operation not permitted
    worker's cores: Operation not permitted
    file in memory: Operation not permitted
    own group: Operation not permitted
    user: Operation not permitted%
    """,
  ]

  @Test func `a decoder that crashes, eats, floods or trespasses fails its job with that reason, and no other job`() throws {
    let farm = try Self.farm(["--attempt-memory", "512", "--attempt-file-size", "16"])
    let jobs = try Self.outcomes.map { (try Self.submit("planted-\($0.key).mp4", to: farm), $0.value) }
    for (job, outcome) in jobs { try Self.expectFailure(of: job, outcome, farm) }
    let contained = Confinement.Part.allCases.flatMap { ["--require", "contained=\($0.rawValue)"] }
    try farm.waitDone(try Self.submit("fine.mp4", to: farm, contained))
    for process in [farm.coordinator, farm.workers["anna"], farm.workers["ben"]] { #expect(try process?.poll() == nil) }
    #expect(unsafe access("/tmp/spool-planted", F_OK) != 0)
  }

  @Test func `a decoder that makes every call there is gets an answer from those that decoding takes, and from no other`() throws
  {
    let farm = try Self.farm([])
    let outcome = "bug|the attempt crashed with signal 6: answered: \(AnsweredCalls.ofRendering)%"
    try Self.expectFailure(of: try Self.submit("planted-calls.mp4", to: farm), outcome, farm)
  }

  @Test func `what makes every call while it muxes gets an answer from those that muxing takes, and from no other`() throws {
    let farm = try Self.farm([])
    let outcome = "bug|the attempt crashed with signal 6: answered: \(AnsweredCalls.ofMuxing)%"
    try Self.expectFailure(of: try Self.submit("planted-mux-calls.mp4", to: farm), outcome, farm)
  }

  @Test func `the limits are in force without any containment`() throws {
    let farm = try Self.farm(["--containment", "none", "--attempt-memory", "512", "--attempt-file-size", "16"])
    let outcome = """
      bug|the attempt crashed with signal 6: %; Max file size 16777216 16777216 bytes; Max core file size 0 0 bytes; \
      Max open files 1024 1024 files; Max address space % bytes; leads a session: true; knows: SWIFT_BACKTRACE; holds: %
      """
    try Self.expectFailure(of: try Self.submit("planted-state.mp4", to: farm), outcome, farm)
    try Self.expectFailure(of: try Self.submit("planted-memory.mp4", to: farm), "bug|%of the 512 MiB it may have", farm)
  }

  @Test func `an attempt ends when its worker's pipe does, though nothing signals it`() throws {
    let directory = TemporaryDirectory()
    let medium = directory.file("planted-hang.mp4")
    try SyntheticSource(width: 64, height: 48, frameCount: 10).write(to: medium, ["-c:v", "libx264"])
    let facts = try AssetProbe.facts(of: medium, policy: SourcePolicy(roots: [directory.path]))
    let document = """
      {"spool": 1, "assets": {"a": {"path": "\(medium)"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
        {"asset": "a", "source": {"start": "0", "duration": "0.4"}}]}]}}
      """
    let order = AttemptOrder(
      job: "job", key: AttemptKey(task: 1, attempt: 1), work: .picture(FrameRange(first: 0, count: 10)),
      spec: JobSpec(
        document: document, facts: ["a": facts], output: directory.file("m.mp4"), overwrites: true, keepsSegments: false))
    var leash: Leash? = try Leash()
    let end = try #require(leash?.end)
    let command = Command(
      Self.program, ["attempt", "--store", directory.path, "--media-root", directory.path, "--leash", "3"],
      environment: Command.harmlessEnvironment(), input: .bytes(try order.line()), output: .null)
    let child = try ChildProcess(command, passing: [end])
    // The segment's folder is made before anything is given up or read.
    while unsafe access(directory.file("job/1"), F_OK) != 0 {
      try #require(try child.poll() == nil)
      usleep(5000)
    }
    leash = nil
    #expect(try child.wait() == .exited(75))
  }

  @Test func `a decoder that hangs fails its job with that reason`() throws {
    let farm = try Self.farm(["--stall", "1"])
    try Self.expectFailure(of: try Self.submit("planted-hang.mp4", to: farm), "worker|no progress for 1 s; killed", farm)
  }

  private static let program = SpoolProgram.executable.replacing(/spool$/, with: "PlantedAttempt")

  /// Makes a farm whose workers know secrets, and whose store and media root hold files that are not for attempts.
  private static func farm(_ limits: [String]) throws -> RealFarm {
    // A worker on a loaded machine may be silent for some seconds, which is no decoder's fault.
    let farm = try RealFarm(lease: "15", worker: limits)
    farm.attemptProgram = program
    for folder in ["movies", "other", "other/1"] { try #require(unsafe mkdir("\(farm.directory)/\(folder)", 0o755) == 0) }
    for file in ["worker.key", "other/1/1.nut", "movies/other.mp4"] { try farm.write(file, "secret", mode: 0o600) }
    try farm.startCoordinator()
    let secrets = ["PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "SPOOL_TOKEN", "CREDENTIALS_DIRECTORY"]
    for name in ["anna", "ben"] {
      try farm.startWorker(name, environment: Dictionary(uniqueKeysWithValues: secrets.map { ($0, "secret") }))
    }
    return farm
  }

  private static func submit(_ medium: String, to farm: RealFarm, _ options: [String] = []) throws -> String {
    try SyntheticSource(width: 64, height: 48, frameCount: 10).write(to: "\(farm.directory)/\(medium)", ["-c:v", "libx264"])
    return try farm.submit(medium: medium, to: "movies/\(medium)", options)
  }

  /// Expects that the job fails after several attempts.
  ///
  /// - Parameter outcome: the class and the reason, as a pattern of SQL's "like".
  private static func expectFailure(of job: String, _ outcome: String, _ farm: RealFarm) throws {
    try farm.wait("job \(job) fails", seconds: 150) { try farm.ledger.status(job: job)?.state == .failed }
    // The attempt has begun to write its own segment when the decoder, which runs beside that, is late.
    let told = try farm.psql("select failure_class || '|' || failure_reason from spool.job where id = '\(job)'")
      .replacing(#/holds: \d+\.nut\.part /#, with: "holds: ")
    #expect(try farm.psql("select $a$\(told)$a$ like $a$\(outcome)$a$") == "t", Comment(rawValue: told))
    #expect(try Int(farm.psql("select max(attempts) from spool.task where job = '\(job)'")) ?? 0 > 1, "it is tried again")
  }
}
