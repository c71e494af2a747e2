import FarmTesting
import Glibc
import Ledger
import Messages
import Subprocess
import Testing

/// An operator's commands to a farm of real processes.
@Suite(.serialized) struct OperatorTests {
  @Test func `a drained worker is given nothing until it is undrained, and both ways why says so`() throws {
    let farm = try RealFarm()
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.wait("anna is there") { try farm.ledger.workers().count == 1 }
    #expect(try farm.verb("drain", "anna") == "anna drained")
    let job = try farm.submit(chunks: 2)
    let reasons = try farm.verb("why", job).split(separator: "\n")
    #expect(reasons.first == "\(job) is queued, 0 of 2 chunks done")
    #expect(reasons.contains("  2 chunks wait: the workers that could take it are given nothing: anna (drained)"))
    #expect(reasons.contains("  the sound waits: the workers that could take it are given nothing: anna (drained)"))
    #expect(try farm.verb("why", "anna").hasPrefix("anna is given nothing new: it is drained since "))
    #expect(try farm.verb("undrain", "anna") == "anna is given work")
    try farm.waitDone(job)
    #expect(try farm.verb("why", "anna") == "anna is given nothing new: no task is ready")
  }

  @Test func `a drained farm begins nothing`() throws {
    let farm = try RealFarm()
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.wait("anna is there") { try farm.ledger.workers().count == 1 }
    #expect(try farm.verb("drain") == "the farm drained")
    let job = try farm.submit(chunks: 1)
    let reasons = try farm.verb("why", job).split(separator: "\n")
    #expect(reasons.count == 3 && reasons[1].hasPrefix("  the farm is drained since "), "\(reasons)")
    #expect(reasons.last?.wholeMatch(of: #/  of (?:[\d:]+|[\d.]+ s) since its submission: \d+ % .+/#) != nil, "\(reasons)")
    #expect(try farm.verb("status").hasPrefix("DRAINED since "))
    try farm.wait("it is logged") { farm.read("coordinator.log").contains("event=farm_drained") }
    #expect(try farm.psql("select count(*) from spool.attempt") == "0")
    #expect(try farm.verb("undrain") == "the farm is given work")
    try farm.waitDone(job)
    try farm.wait("its end is logged") {
      let log = farm.read("coordinator.log")
      return log.contains("event=farm_undrained") && log.contains("event=job_ended job=\(job) state=done seconds=")
    }
    #expect(farm.read("coordinator.log").matches(of: #/verdict=won/#).count == 4)
  }

  @Test func `where no coordinator leads, status and why say that first, and call no worker silent`() throws {
    let farm = try RealFarm()
    #expect(try farm.verb("status").hasPrefix("NOBODY LEADS: no coordinator gives out work; none ever has\n"))
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.wait("anna is there") { try farm.ledger.workers().first?.isAlive == true }
    let status = try farm.verb("status")
    #expect(status.hasPrefix("jobs: 0 running, 0 queued; workers: 1, 0 of 2 slots busy\n"))
    #expect(status.contains("coordinator  leads") && !status.contains("NOBODY"))
    try farm.kill(farm.coordinator)
    let job = try farm.submit(chunks: 2)
    try farm.wait("nobody is thought to lead") { try farm.ledger.workers().first?.state == "unheard" }
    let alone = "NOBODY LEADS: no coordinator gives out work; coordinator did, and was heard last "
    #expect(try farm.verb("status").hasPrefix(alone))
    let reasons = try farm.verb("why", job).split(separator: "\n")
    #expect(reasons.first == "\(job) is queued, 0 of 2 chunks done")
    #expect(
      reasons.count == 3 && reasons[1].hasPrefix("  no coordinator leads: coordinator did, and has not been heard since "),
      "\(reasons)")
    #expect(
      try farm.verb("why", "anna") == "anna is given nothing new: no coordinator leads, so nobody hears it or gives out work")
    try farm.startCoordinator()
    try farm.waitDone(job)
  }

  @Test func `status shows what runs before what waits, by state and submitter, in 80 columns, and how long it takes`() throws {
    let farm = try RealFarm(attemptSeconds: "$(test -e hold && echo 1000 || echo 0.01)")
    try farm.write("hold", "", mode: 0o644)
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let first = try farm.submit(chunks: 2)
    try farm.wait("it runs") { try farm.ledger.status(job: first)?.running == 2 }
    for _ in 0..<25 { _ = try farm.submit(chunks: 2) }
    let lines = try farm.verb("status").split(separator: "\n")
    let heading = try #require(lines.firstIndex { $0.hasPrefix("JOB ") })
    #expect(lines[heading].split(separator: " ") == ["JOB", "STATE", "PRI", "SUBMITTER", "DONE", "AGE", "RAN", "LEFT", "WHAT"])
    #expect(lines[heading + 1].hasPrefix("\(first)  running  0    test ") && lines[heading + 1].hasSuffix("  2 tasks run"))
    #expect(lines[heading + 2].hasSuffix("  slots are busy"))
    #expect(lines.filter { $0.count > 80 } == [])
    #expect(try farm.verb("status", "--state", "running").matches(of: #/\n\w+ +running /#).count == 1)
    #expect(try farm.verb("status", "--submitter", "nobody").contains("no jobs\n"))
    #expect(try farm.verb("status", "--state", "done", "--since", "1").contains("no jobs\n"))
    let json = try farm.verb("status", "--json", "--limit", "2")
    #expect(json.hasPrefix(#"{"coordinators":[{"name":"coordinator","seconds":"#) && json.contains(#""secondsLeft":"#))
    #expect(try farm.verb("status", first).contains("\nleft       about "))
  }

  @Test(arguments: ["watch", "follow"]) func `who stops waiting for a job is told that it goes on`(verb: String) throws {
    let farm = try RealFarm()
    let job = try farm.submit(chunks: 1)
    var command = SpoolProgram.command([verb, job, "--database", farm.url])
    (command.output, command.errorOutput) = (.pipe, .pipe)
    let child = try ChildProcess(command)
    var lines = LineReader(try #require(child.output), limit: 4096)
    var errors = TailReader(try #require(child.errorOutput), limit: 4096)
    try farm.wait("it has told of the job") { try !lines.read().isEmpty }
    child.signal(SIGINT)
    #expect(try child.wait() == .exited(130))
    try errors.read()
    let words = "\(job): goes on: 'spool watch \(job)' waits for it, 'spool cancel \(job)' ends it"
    #expect(errors.text.contains(words), "\(errors.text)")
    #expect(try farm.ledger.status(job: job)?.state == .queued)
  }

  @Test func `a paused job waits while others go on, and is done once it is resumed`() throws {
    let farm = try RealFarm()
    try farm.startCoordinator()
    let paused = try farm.submit(chunks: 2)
    #expect(try farm.verb("pause", paused) == "\(paused) paused")
    let other = try farm.submit(chunks: 2)
    try farm.startWorker("anna")
    try farm.waitDone(other)
    #expect(try farm.ledger.status(job: paused)?.state == .queued)
    #expect(try farm.verb("status", paused).contains("state      paused"))
    #expect(!(try farm.verb("status", paused).contains("\nleft ")))
    let reasons = try farm.verb("why", paused).split(separator: "\n")
    #expect(
      reasons[0].wholeMatch(of: #/\w+ is paused since [\d:TZ-]+, 0 of 2 chunks done \(spool resume \w+\)/#) != nil, "\(reasons)")
    #expect(reasons.count == 2 && reasons[1].contains("% paused"), "\(reasons)")
    #expect(try farm.verb("resume", paused) == "\(paused) resumed")
    try farm.waitDone(paused)
  }

  @Test func `a cancelled job that is retried is done, and its attempts were killed`() throws {
    let farm = try RealFarm(attemptSeconds: "0.5")
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let job = try farm.submit(chunks: 3)
    try farm.wait("one chunk is done") { try farm.ledger.status(job: job)?.chunksDone ?? 0 > 0 }
    #expect(try farm.verb("cancel", job) == "\(job) cancelled")
    #expect(try farm.verb("retry", job) == "\(job) queued again")
    try farm.waitDone(job)
    try CrashTests.expectOneWinnerEach(farm, job, tasks: 6)
    #expect(try farm.psql("select min(number) from spool.attempt where outcome = 'won'") == "1")
  }

  @Test func `a cancelled job's slots are free for the next job at once, its attempts ended before the next ones begin`() throws {
    let farm = try RealFarm(attemptSeconds: "$(test -e hold && { echo $$ >> held; echo 1000; } || echo 0.01)")
    try farm.write("hold", "", mode: 0o644)
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let first = try farm.submit(chunks: 2)
    try farm.wait("both slots are taken") { farm.read("held").split(separator: "\n").count == 2 }
    let held = farm.read("held").split(separator: "\n").compactMap { pid_t($0) }
    try #require(unsafe unlink("\(farm.directory)/hold") == 0)
    let second = try farm.submit(chunks: 2)
    #expect(try farm.verb("cancel", first) == "\(first) cancelled")
    // Without the cancellation, the attempts would run for a quarter of an hour.
    try farm.waitDone(second)
    #expect(held.allSatisfy { kill($0, 0) == -1 })
    let order = try farm.psql(
      """
      select max(attempt.ended_at) filter (where job = '\(first)') <= min(attempt.started_at) filter (where job = '\(second)')
      from spool.attempt join spool.task on task = task.id
      """)
    #expect(order == "t")
  }

  @Test func `of many submitters at once that want one output one has it, and the others are told of its job`() async throws {
    let farm = try RealFarm()
    let url = farm.url
    let answers: [Result<String, any Error>] = await withTaskGroup(of: Result<String, any Error>.self) { group in
      for number in 0..<8 {
        group.addTask {
          let ledger = PostgreSQLLedger(url: url)
          return Result {
            try ledger.submit(RealFarm.submission("many\(number)", chunks: 1, output: "/out/one.mp4", needs: Capabilities()))
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let winners = answers.compactMap { try? $0.get() }  // the others are looked at next
    try #require(winners.count == 1)
    for answer in answers {
      guard case .failure(let error) = answer else { continue }
      #expect(error as? LedgerError == .outputTaken("/out/one.mp4", job: winners[0]))
    }
  }

  @Test func `a quota that is asked for is shown, and what is not named of it stays`() throws {
    let farm = try RealFarm()
    _ = try farm.submit(chunks: 1)
    func row(_ arguments: String...) throws -> [Substring] {
      let run = try farm.run(["quota", "test"] + arguments)
      #expect(run.status == .exited(0), Comment(rawValue: run.errorOutput))
      return run.output.split(separator: "\n").last?.split(separator: " ") ?? []
    }
    #expect(try row("--weight", "3", "--slots", "5") == ["test", "3", "0", "5", "1"])
    #expect(try row() == ["test", "3", "0", "5", "1"])
    #expect(try row("--slots", "2") == ["test", "3", "0", "2", "1"])
    #expect(try row("--slots", "none") == ["test", "3", "0", "-", "1"])
    #expect(try row("--reset") == ["test", "1", "0", "-", "1"])
    for arguments in [["nobody@nowhere"], ["nobody@nowhere", "--slots", "1"]] {
      let run = try farm.run(["quota"] + arguments)
      #expect(run.status == .exited(66))
      #expect(run.errorOutput.hasPrefix("error: nobody@nowhere: no such submitter"))
    }
    #expect(try farm.psql("select string_agg(name, ',') from spool.submitter") == "test")
    for arguments in [["--slots", "1"], ["test", "--reset", "--slots", "1"]] {
      #expect(try farm.run(["quota"] + arguments).status == .exited(64))
    }
    #expect(try farm.verb("quota", "ben", "--new", "--weight", "2").contains("ben"))
  }

  @Test func `a job waits for a worker that has what it requires`() throws {
    let farm = try RealFarm(worker: ["--tag", "gpu", "--slot-memory", "500"])
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.wait("anna is there") { try farm.ledger.workers().count == 1 }
    let job = try farm.submit(chunks: 1, needs: Capabilities(tags: ["tokyo"], memory: 100))
    let possible = try farm.submit(chunks: 1, needs: Capabilities(tags: ["gpu"], memory: 500))
    try farm.waitDone(possible)
    #expect(try farm.verb("why", job).contains("no connected worker has what its job needs: tokyo, 100 MiB of memory"))
    #expect(try farm.verb("why", "anna") == "anna is given nothing new: the unfinished jobs need what it lacks")
  }

  @Test func `a job that is submitted requires what --require says, and nothing else that some worker has`() throws {
    let farm = try RealFarm()
    try SyntheticSource(frameCount: 10).write(to: "\(farm.directory)/clip.mkv", ["-c:v", "libx264", "-qp", "10"])
    try farm.startCoordinator()
    try farm.startWorker("anna", tags: ["gpu"])
    try farm.startWorker("ben", tags: ["site=osaka"])
    try farm.wait("both are there") { try farm.ledger.workers().count == 2 }
    let anywhere = try farm.submit(medium: "\(farm.directory)/clip.mkv")
    try farm.waitDone(anywhere)
    let osaka = try farm.submit(medium: "\(farm.directory)/clip.mkv", ["--require", "site=osaka"])
    try farm.waitDone(osaka)
    #expect(try farm.psql("select tags from spool.job where id = '\(anywhere)'") == "{}")
    #expect(try farm.psql("select tags from spool.job where id = '\(osaka)'") == "{site=osaka}")
    let workers = """
      select string_agg(distinct attempt.worker, ' ') from spool.attempt join spool.task on task = task.id where job = '\(osaka)'
      """
    #expect(try farm.psql(workers) == "ben")
  }
}
