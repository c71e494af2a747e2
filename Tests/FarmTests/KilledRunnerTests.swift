import FarmTesting
import FoundationEssentials
import Glibc
import Subprocess
import Testing

/// The end of a farm whose test runner is killed. The test starts another runner, which runs this same test, and kills it.
@Suite struct KilledRunnerTests {
  /// The environment variable for the runner that will be killed. It names the file into which that runner writes its farm's
  /// folder.
  private static let variable = "SPOOL_TEST_KILLED_RUNNER"

  /// The time for which that runner keeps its farm, in seconds: longer than the test needs to see it, and bounded in case this
  /// runner is killed first.
  private static let holdSeconds: UInt32 = 120

  @Test func `a runner that is killed leaves nothing running`() throws {
    if let file = ProcessInfo.processInfo.environment[Self.variable] { return try hold(file) }
    let directory = TemporaryDirectory()
    let file = directory.file("farm")
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    var command = Command(
      program, ["--testing-library", "swift-testing", "--filter", "KilledRunnerTests"],
      environment: ProcessInfo.processInfo.environment.merging([Self.variable: file]) { $1 }
    ).endingWithTests()
    (command.output, command.errorOutput) = (.file(directory.file("log")), .file(directory.file("log")))
    let runner = try ChildProcess(command)
    try #require(try eventually(60) { try unsafe access(file, F_OK) == 0 || runner.poll() != nil })
    let log = String(decoding: try [UInt8](contentsOf: directory.file("log")), as: UTF8.self)
    try #require(unsafe access(file, F_OK) == 0, "\(log)")
    let farm = String(decoding: try [UInt8](contentsOf: file), as: UTF8.self)
    var family: [ProcessTree.Process] = []
    let isAtWork = try eventually(30) {
      family = try ProcessTree().descendants(of: runner.processID)
      return family.count { $0.arguments == ["sleep", "1000"] } == 2
    }
    #expect(isAtWork, "\(family)")
    #expect(Set(family.flatMap(\.arguments)).isSuperset(of: ["coordinator", "worker"]), "\(family)")
    #expect(family.contains { $0.arguments.first?.hasSuffix("/postgres") == true }, "\(family)")

    runner.signal(SIGKILL)
    _ = try runner.wait()
    var left = family
    // The server ends in order, and writes its data to disk.
    let isOver = try eventually(30) {
      let processes = try ProcessTree().processes
      left.removeAll { left in !processes.contains { $0.id == left.id && $0.arguments == left.arguments } }
      return left.isEmpty
    }
    #expect(isOver, "\(left)")
    for process in left { kill(process.id, SIGKILL) }
    try FileManager.default.removeItem(atPath: farm)
  }

  /// Keeps a farm at work until the runner is killed.
  private func hold(_ file: String) throws {
    let farm = try RealFarm(attemptSeconds: "1000", hasOwnServer: true)
    try farm.startCoordinator()
    try farm.startWorker("anna")
    _ = try farm.submit(chunks: 2)
    try farm.wait("two attempts run") { try farm.attemptProcesses().count == 2 }
    // The file gets its name only when it is complete.
    try farm.directory.write(toFile: file + ".new")
    try #require(unsafe rename(file + ".new", file) == 0)
    sleep(Self.holdSeconds)
    withExtendedLifetime(farm) {}
  }

  private func eventually(_ seconds: Int, _ condition: () throws -> Bool) throws -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
      if try condition() { return true }
      usleep(20_000)
    }
    return false
  }
}
