import FarmTesting
import Ledger
import Messages
import Operations
import Scheduling
import Subprocess
import Testing

/// The names that a shell completes.
@Suite struct `Names for completion` {
  private let bench: FarmBench

  init() throws {
    bench = try FarmBench()
    try bench.submit("runs7")
    try bench.submit("ended7", submitter: "$(touch /tmp/spool-offer)")
    try bench.finish("ended7")
    try bench.start()
  }

  /// The words that bash offers behind the program's name, from the farm of the bench.
  private func offers(_ words: String...) throws -> [Substring] {
    let script = """
      source <("$0" completions bash)
      COMP_WORDS=("$0" "$@") COMP_CWORD=$#
      _spool
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let command = Command(
      "/bin/bash", ["-c", script, SpoolProgram.executable] + words,
      environment: ["PATH": "/usr/bin:/bin", "SPOOL_DATABASE": bench.database])
    let done = try #require(try command.run(timeoutMilliseconds: 60_000))
    #expect(done.status == .exited(0) && done.errorOutput == "", "\(done.errorOutput)")
    return done.output.split(separator: "\n")
  }

  @Test func `are those of the farm that an argument may mean`() throws {
    #expect(try offers("cancel", "") == ["runs7"])
    #expect(try offers("cancel", "runs") == ["runs7"])
    #expect(try offers("cancel", "x") == [])
    #expect(try offers("status", "").sorted() == ["ended7", "runs7"])
    #expect(try offers("drain", "") == ["anna"])
    #expect(try offers("audit", "--job", "e") == ["ended7"])
  }

  @Test func `tell a little about each, in one line of plain text`() throws {
    let jobs = try bench.farm.offers(.jobs, beginningWith: "")
    #expect(jobs.map(\.name).sorted() == ["ended7", "runs7"])
    #expect(jobs.first { $0.name == "runs7" }?.words == "queued, runs7.mp4, tester")
    #expect(try bench.farm.offers(.workers, beginningWith: "an").map(\.words) == ["alive, 0 of 2 slots"])
  }

  @Test func `leave out what a shell could read as more than a word`() throws {
    #expect(try bench.farm.shares(SharesRequest()).submitters.count == 2)
    #expect(try bench.farm.offers(.submitters, beginningWith: "").map(\.name) == ["tester"])
    #expect(try offers("cancel", "--submitter", "") == ["tester"])
  }
}
