import FarmTesting
import Ledger
import Messages
import Scheduling
import Subprocess
import Testing

/// Text by strangers in output to a terminal and in a log: it stays text, whatever it contains.
@Suite(.serialized) struct ShownTextTests {
  /// An OSC that sets a title, a CSI of one character, a mark that turns text round, and characters that end a line.
  private static let evil = "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}gpj\u{2028}\rerror: forged\n"

  /// The control characters in a program's output, except its own line feeds.
  private static func unseen(_ text: String) -> [String] {
    text.unicodeScalars.filter { scalar in
      scalar != "\n" && (scalar.properties.generalCategory == .control || [0x202e, 0x2028].contains(scalar.value))
    }.map { String($0.value, radix: 16) }
  }

  /// A farm with a job that has failed and is retried, whose paths and failures are evil.
  private static func farm() throws -> (farm: RealFarm, job: String, task: String) {
    let farm = try RealFarm()
    let ledger = farm.ledger
    try ledger.register(WorkerHello(worker: "anna", epoch: "1", host: "h", processID: 1, slots: 1, running: []))
    let submission = RealFarm.submission("evil1", chunks: 2, output: "/out/\(evil).mp4", needs: Capabilities())
    let job = try ledger.submit(submission)
    let order = try #require(try ledger.claim(for: [.init(worker: "anna", epoch: "1", slots: 1)]).first?.order)
    let log = AttemptLog(text: "wrote \(evil)", byteCount: 99)
    try ledger.keep([LoggedAttempt(worker: "anna", epoch: "1", key: order.key, log: log)])
    _ = try ledger.fail(order.key, worker: "anna", epoch: "1", Failure(.transient, at: "asset \(evil)", "says \(evil)"))
    _ = try ledger.lead(.init(name: "coord-1", epoch: "1"))
    return (farm, job, "\(order.key.task)")
  }

  @Test func `status, why, logs, the audit and reports show escapes and line ends of jobs as text`() throws {
    let (farm, job, task) = try Self.farm()
    for arguments in [
      ["status"], ["status", "--json"], ["status", job], ["status", "--json", job], ["why", job], ["why", "--json", job],
      ["why", task],
      ["why", "anna"], ["quota"], ["audit"], ["audit", "--json"], ["logs", job], ["logs", "--json", job], ["trace", job],
    ] {
      let run = try farm.run(arguments)
      #expect(run.status == .exited(0), "\(arguments): \(run.errorOutput)")
      #expect(Self.unseen(run.output) == [], "\(arguments)")
      #expect(!run.output.split(separator: "\n").contains { $0.hasPrefix("error: forged") }, "\(arguments)")
    }
    #expect(try farm.verb("status", job).contains(#"/out/\u{1B}]0;owned\u{7}\u{9B}2J\u{202E}gpj\u{2028}\rerror: forged\n.mp4"#))
    _ = try farm.ledger.change(job: job, .pause)
    _ = try farm.ledger.cancel(job: job)
    #expect(Self.unseen(try farm.verb("status")) == [])
  }

  @Test func `words of the command line come back in complaints as text`() throws {
    let farm = try RealFarm()
    for arguments in [
      [Self.evil], ["help", Self.evil], ["status", "--\(Self.evil)"], ["status", Self.evil], ["status", "--limit", Self.evil],
      ["why", Self.evil], ["cancel", Self.evil], ["drain", Self.evil], ["quota", Self.evil], ["quota", Self.evil, "--new"],
      ["probe", "/nowhere/\(Self.evil)"], ["validate", "/nowhere/\(Self.evil)"],
      ["submit", "x", "-o", "y", "--submitter", Self.evil],
      ["keys", "--public", "/nowhere/\(Self.evil)"], ["status", "a", Self.evil],
      ["coordinator", "--endpoint", "tcp://\(Self.evil):1", "--name", Self.evil],
    ] {
      let run = try farm.run(arguments)
      #expect(!run.status.isSuccess && !run.errorOutput.isEmpty, "\(arguments)")
      #expect(Self.unseen(run.output + run.errorOutput) == [], "\(arguments)")
      #expect(!run.errorOutput.split(separator: "\n").contains { $0.hasPrefix("error: forged") }, "\(arguments)")
    }
    #expect(try farm.psql("select count(*) from spool.submitter") == "0")
  }

  @Test func `a worker logs what its attempts say as text`() throws {
    let farm = try RealFarm()
    try farm.write(
      "attempt",
      #"""
      #!/bin/sh
      cat > /dev/null
      printf 'died of \033]0;owned\007\302\2332J\342\200\256x\r\nevent=forged\n' >&2
      printf 'not a \033[2J report\n'
      exit 3
      """#, mode: 0o755)
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let job = try farm.submit(chunks: 1)
    try farm.wait("the job failed") { try farm.ledger.status(job: job)?.state == .failed }
    try farm.wait("its end is logged") { farm.read("coordinator.log").contains("event=job_ended job=\(job) state=failed") }
    for log in [farm.read("anna.log"), farm.read("coordinator.log")] {
      #expect(Self.unseen(log) == [])
      #expect(!log.split(separator: "\n").contains { !$0.hasPrefix("time=") })
    }
    #expect(farm.read("anna.log").contains("died of"))
  }
}
