import FarmTesting
import Subprocess
import Testing

/// Tests that a call of a fork server is as good as the program's own start.
@Suite struct `A fork server` {
  private func run(_ program: String, _ arguments: [String], input: String = "", milliseconds: Int32 = 60_000) throws
    -> Completed?
  {
    try ForkServer.run(program, arguments, input: Array(input.utf8), timeoutMilliseconds: milliseconds, limit: 1 << 20)
  }

  @Test func `is built beside the tests`() { #expect(ForkServer.library != nil) }

  @Test func `gives each call its arguments, streams, environment and end, one after the other and at once`() async throws {
    let script = "read line; echo \"$1 $line $LC_ALL ${LD_PRELOAD-none} ${SPOOL_FORK_SERVER-none}\"; echo \"$0\" >&2; exit $2"
    try await withThrowingTaskGroup { group in
      for number in 0..<40 {
        group.addTask {
          let done = try #require(
            try run("/bin/sh", ["-c", script, "name", "a b\(number)", "\(number)"], input: "in\(number)\n"))
          #expect(done.output == "a b\(number) in\(number) C.UTF-8 none none\n")
          #expect(done.errorOutput == "name\n")
          #expect(done.status == .exited(Int32(number)))
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `tells of a signal, and serves the next call`() throws {
    #expect(try run("/bin/sh", ["-c", "kill -9 $$"])?.status == .signalled(9))
    #expect(try run("/bin/sh", ["-c", "echo on"])?.output == "on\n")
  }

  @Test func `is killed with a call that takes too long`() throws {
    #expect(try run("/bin/sh", ["-c", "echo $$; sleep 100"], milliseconds: 200) == nil)
    #expect(try run("/bin/sh", ["-c", "echo on"])?.output == "on\n")
  }

  @Test func `refuses more output than it was allowed`() throws {
    #expect(throws: ForkServer.Failure.self) { try run("/bin/sh", ["-c", "head -c 2000000 /dev/zero"]) }
  }
}
