import FarmTesting
import Glibc
import Ledger
import Subprocess
import Testing

/// Attempts whose decoders have faults, under the shipped worker and coordinator. They cost attempts and nothing else.
@Suite(.serialized, .enabled("needs Landlock and seccomp") { Confinement.available == Confinement.Part.allCases })
struct PlantedDecoderTests {
  /// The capabilities of root that an attempt keeps: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH.
  private static let capabilities = geteuid() == 0 ? "0000000000000006" : "0000000000000000"

  private static let outcomes: KeyValuePairs = [
    "crash": "bug|the attempt crashed with signal 11%",
    "memory": "bug|the attempt crashed with signal 11:%it held at most % MiB of memory of the 512 MiB it may have",
    "disk": "worker|the attempt wrote a file larger than it may%",
    "state": """
    bug|the attempt crashed with signal 6: CapPrm: \(capabilities); CapEff: \(capabilities); NoNewPrivs: 1; Seccomp: 2; \
    Max file size 16777216 16777216 bytes; Max core file size 0 0 bytes; Max open files 1024 1024 files; knows: SWIFT_BACKTRACE%
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
    try farm.waitDone(try Self.submit("fine.mp4", to: farm))
    for process in [farm.coordinator, farm.workers["anna"], farm.workers["ben"]] { #expect(try process?.poll() == nil) }
    #expect(unsafe access("/tmp/spool-planted", F_OK) != 0)
  }

  @Test func `a decoder that makes every call there is gets an answer from those that decoding takes, and from no other`() throws
  {
    let farm = try Self.farm([])
    let outcome = "bug|the attempt crashed with signal 6: answered: \(AnsweredCalls.ofRendering)%"
    try Self.expectFailure(of: try Self.submit("planted-calls.mp4", to: farm), outcome, farm)
  }

  @Test func `a decoder that hangs fails its job with that reason`() throws {
    let farm = try Self.farm(["--stall", "1"])
    try Self.expectFailure(of: try Self.submit("planted-hang.mp4", to: farm), "worker|no progress for 1 s; killed", farm)
  }

  private static func farm(_ limits: [String]) throws -> RealFarm {
    let farm = try RealFarm(worker: limits)
    farm.attemptProgram = SpoolProgram.executable.replacing(/spool$/, with: "PlantedAttempt")
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.startWorker("ben")
    return farm
  }

  private static func submit(_ medium: String, to farm: RealFarm) throws -> String {
    try SyntheticSource(width: 64, height: 48, frameCount: 10).write(to: "\(farm.directory)/\(medium)", ["-c:v", "libx264"])
    return try farm.submit(medium: medium)
  }

  /// Expects that the job fails after several attempts.
  ///
  /// - Parameter outcome: the class and the reason, as a pattern of SQL's "like".
  private static func expectFailure(of job: String, _ outcome: String, _ farm: RealFarm) throws {
    try farm.wait("job \(job) fails", seconds: 150) { try farm.ledger.status(job: job)?.state == .failed }
    let told = try farm.psql("select failure_class || '|' || failure_reason from spool.job where id = '\(job)'")
    #expect(try farm.psql("select $a$\(told)$a$ like $a$\(outcome)$a$") == "t", Comment(rawValue: told))
    #expect(try Int(farm.psql("select max(attempts) from spool.task where job = '\(job)'")) ?? 0 > 1, "it is tried again")
  }
}
