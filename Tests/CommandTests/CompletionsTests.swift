import FarmTesting
import Subprocess
import Testing

@Suite struct `Completions` {
  /// The words that bash offers after `words`. The last word is the one being typed.
  private func offers(_ words: String...) throws -> [Substring] {
    let script = """
      source <("$0" completions bash)
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      compopt() { :; }
      _spool
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let command = Command("/bin/bash", ["-c", script, SpoolProgram.executable] + words, environment: ["PATH": "/usr/bin:/bin"])
    let done = try #require(try command.run(timeoutMilliseconds: 60_000))
    #expect(done.status == .exited(0), "\(done.errorOutput)")
    return done.output.split(separator: "\n")
  }

  @Test func `bash completes verbs, options and choices`() throws {
    #expect(try offers("spool", "compl") == ["completions"])
    #expect(try offers("spool", "keys", "--p") == ["--public"])
    #expect(try offers("spool", "completions", "z") == ["zsh"])
    #expect(try offers("spool", "keys", "/usr/bi") == ["/usr/bin"])
  }

  @Test func `where no farm is reached, nothing is offered, soon and without a word`() throws {
    let begin = ContinuousClock.now
    let run = try SpoolProgram.run("offer", "unfinished-jobs")
    #expect(run.code == 0 && run.output == "" && run.errorOutput == "")
    #expect(try offers(SpoolProgram.executable, "cancel", "") == [])
    #expect(ContinuousClock.now - begin < .seconds(20))
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `every shell has a script`(shell: String) throws {
    let run = try SpoolProgram.run("completions", shell)
    #expect(run.code == 0 && run.output.contains("keys"))
  }
}
