import FarmTesting
import FoundationEssentials
import Glibc
import Ledger
import Messages
import Subprocess
import Testing

/// A movie of one expensive chunk on a farm of two workers. The chunk is divided while it runs, whoever dies then.
@Suite(.serialized) struct SplitFarmTests {
  private static let frameCount = 400
  private static let lossless = #"{"fileType": "mkv", "video": {"codec": "ffv1"}}"#

  enum Victim: CaseIterable { case attempt, worker, coordinator, both }

  /// Several farms run at once, because they mostly wait.
  @Test func `the movie is the same as of the whole chunk, whoever is killed after the split`() throws {
    let farms = try Victim.allCases.map { (victim: $0, farm: try Self.farm()) }
    let wholes = try farms.map { try Self.submit("fine.mp4", "whole.mkv", Self.lossless, ["--no-split"], to: $0.farm) }
    for (number, whole) in wholes.enumerated() { try farms[number].farm.waitDone(whole) }
    let jobs = try farms.map { try Self.submit("planted-slow.mp4", "parts.mkv", Self.lossless, [], to: $0.farm) }
    for (number, job) in jobs.enumerated() { try Self.disturb(job, farms[number].victim, farms[number].farm) }
    for (number, job) in jobs.enumerated() {
      let (victim, farm) = farms[number]
      try farm.wait("job \(job) is done: \(victim)", seconds: 150) { try farm.ledger.status(job: job)?.state == .done }
      try Self.expectEachFrameOnce(job, farm)
      #expect(try Self.count("spool.task where job = '\(wholes[number])' and kind = 'picture'", farm) == 1)
      #expect(try Self.frames("parts.mkv", farm) == Self.frames("whole.mkv", farm), "\(victim)")
      let lost = try Self.count("spool.attempt where outcome in ('failed', 'expired')", farm)
      #expect(victim == .coordinator ? lost == 0 : lost > 0, "\(victim): \(lost)")
    }
  }

  @Test func `parts make the movie of the whole chunk, muxed where IDR frames begin, with no time stamp out of line`() throws {
    let farm = try Self.farm()
    let whole = try Self.submit("fine.mp4", "whole.mkv", Self.lossless, ["--no-split"], to: farm)
    try farm.waitDone(whole)
    let jobs = try [("parts.mkv", Self.lossless), ("movie.mp4", #"{"fileType": "mp4"}"#)].map {
      try Self.submit("planted-slow.mp4", $0.0, $0.1, [], to: farm)
    }
    for job in jobs {
      try farm.wait("job \(job) is done", seconds: 150) { try farm.ledger.status(job: job)?.state == .done }
      try Self.expectEachFrameOnce(job, farm)
      let rest = try farm.psql("select max(task) from spool.chunk_status where job = '\(job)' and split_from is not null")
      #expect(try farm.verb("why", rest).contains("it is done; it was split off task "))
    }
    #expect(try Self.count("spool.attempt where outcome in ('failed', 'expired')", farm) == 0)
    #expect(try Self.frames("parts.mkv", farm) == Self.frames("whole.mkv", farm))
    try Self.expectClosedBorders("movie.mp4", of: jobs[1], farm)
  }

  @Test func `a job that forbids it, a coordinator that forbids it and chunks of a given length are left whole`() throws {
    let cases: [(coordinator: [String], jobs: [[String]])] = [
      ([], [["--no-split"], ["--chunk-frames", "400"]]), (["--no-split"], [[]]),
    ]
    // The farms run at once, because they wait for the same time.
    let farms = try cases.map { (farm: try Self.farm(coordinator: $0.coordinator), options: $0.jobs) }
    let submitted = try farms.map { farm, options in
      try options.enumerated().map { try Self.submit("planted-slow.mp4", "\($0).mkv", Self.lossless, $1, to: farm) }
    }
    for (farm, jobs) in zip(farms.map(\.farm), submitted) {
      try farm.wait("splits would have been wished for") {
        try farm.psql("select min(units_done) > 200 from spool.chunk_status where kind = 'picture'") == "t"
      }
      #expect(try Self.count("spool.task where kind = 'picture'", farm) == jobs.count)
      #expect(!farm.read("coordinator.log").contains("event=splits"))
      for job in jobs { _ = try farm.ledger.cancel(job: job) }
    }
  }

  @Test func `a worker whose machine ends leaves the rest of its chunk, and what it has rendered counts`() throws {
    let farm = try Self.farm(coordinator: ["--no-split"], worker: ["--notice", "8"])
    try farm.waitDone(try Self.submit("fine.mp4", "whole.mkv", Self.lossless, ["--no-split"], to: farm))
    let job = try Self.submit("planted-slow.mp4", "parts.mkv", Self.lossless, [], to: farm)
    try farm.wait("frames are rendered") {
      try farm.psql("select max(units_done) > 50 from spool.chunk_status where job = '\(job)' and kind = 'picture'") == "t"
    }
    let worker = try farm.psql("select worker from spool.chunk_status where job = '\(job)' and first_frame = 0")
    farm.workers[worker]?.signal(SIGTERM)
    #expect(try farm.workers[worker]?.wait() == .exited(0))
    #expect(farm.read("\(worker).log").contains("event=leaves_rest"))
    // 8 s are at most 133 frames of 60 ms.
    let kept = try Self.count("spool.chunk_status where job = '\(job)' and first_frame = 0 and frame_count < 250", farm)
    #expect(kept == 1)
    try farm.wait("job \(job) is done", seconds: 150) { try farm.ledger.status(job: job)?.state == .done }
    try Self.expectEachFrameOnce(job, farm)
    #expect(try Self.frames("parts.mkv", farm) == Self.frames("whole.mkv", farm))
    #expect(try Self.count("spool.attempt where outcome <> 'won'", farm) == 0)
  }

  // MARK: Private parts

  /// Waits until the job's chunk is divided, and kills the victim.
  private static func disturb(_ job: String, _ victim: Victim, _ farm: RealFarm) throws {
    try farm.wait("the chunk is divided: \(victim)") { try count("spool.task where split_from is not null", farm) > 0 }
    let worker = try farm.psql("select worker from spool.chunk_status where job = '\(job)' and first_frame = 0")
    switch victim {
    case .attempt: try killAttempts(of: worker, farm)
    case .worker: try farm.kill(farm.workers[worker])
    case .coordinator:
      try farm.kill(farm.coordinator)
      try farm.startCoordinator()
    case .both:
      try farm.kill(farm.workers[worker])
      try farm.kill(farm.coordinator)
      try farm.startCoordinator()
      try farm.startWorker(worker, renders: false)
    }
  }

  private static func farm(coordinator: [String] = [], worker: [String] = []) throws -> RealFarm {
    let farm = try RealFarm(lease: "10", coordinator: coordinator, worker: worker)
    farm.attemptProgram = SpoolProgram.executable.replacing(/spool$/, with: "PlantedAttempt")
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.startWorker("ben")
    return farm
  }

  /// Submits a job of one chunk of 400 frames. Frames of planted-slow.mp4 take at least 60 ms each.
  private static func submit(
    _ medium: String, _ output: String, _ export: String, _ options: [String], to farm: RealFarm
  ) throws -> String {
    let source = "\(farm.directory)/source.mp4"
    if unsafe access(source, F_OK) != 0 {
      try SyntheticSource(width: 64, height: 48, frameRate: "25", frameCount: frameCount).write(
        to: source, ["-c:v", "libx264", "-g", "10", "-bf", "2", "-qp", "10"])
    }
    let place = "\(farm.directory)/\(medium)"
    if unsafe access(place, F_OK) != 0 { try #require(unsafe link(source, place) == 0) }
    try farm.write(
      "\(output).json",
      """
      {"spool": 1, "assets": {"a": {"path": "\(medium)"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
        {"asset": "a", "source": {"start": "0", "duration": "\(frameCount)/25"}}]}]}, "export": \(export)}
      """, mode: 0o644)
    let run = try farm.run(
      ["submit", "\(farm.directory)/\(output).json", "-o", "\(farm.directory)/\(output)"]
        + (options.contains("--chunk-frames") ? [] : ["--slots", "1"]) + options)
    try #require(run.status.isSuccess, Comment(rawValue: run.errorOutput))
    return try #require(run.output.split(separator: "\n").first.map(String.init))
  }

  private static func count(_ what: String, _ farm: RealFarm) throws -> Int {
    try #require(Int(try farm.psql("select count(*) from \(what)")))
  }

  /// Expects, by psql, that the chunks follow each other and that each was won once, with exactly its frames.
  private static func expectEachFrameOnce(_ job: String, _ farm: RealFarm) throws {
    #expect(try count("spool.task where job = '\(job)' and kind = 'picture'", farm) > 1)
    let gaps = """
      spool.task t where job = '\(job)' and kind = 'picture' and first_frame <> (
        select coalesce(max(o.first_frame + o.frame_count), 0) from spool.task o
        where o.job = t.job and o.kind = 'picture' and o.first_frame < t.first_frame)
      """
    #expect(try count(gaps, farm) == 0)
    #expect(try farm.psql("select sum(frame_count) from spool.task where job = '\(job)' and kind = 'picture'") == "\(frameCount)")
    let winners = """
      spool.task t join spool.attempt a on a.task = t.id and a.outcome = 'won'
      where t.job = '\(job)' and t.kind = 'picture' and (a.proof -> 'frames' ->> 'first')::bigint = t.first_frame
        and (a.proof -> 'frames' ->> 'count')::bigint = t.frame_count
      """
    #expect(try count(winners, farm) == count("spool.task where job = '\(job)' and kind = 'picture'", farm))
  }

  /// Expects that each part begins with an IDR frame, that the GOP before it is closed, and that time goes on by one frame's
  /// duration.
  private static func expectClosedBorders(_ movie: String, of job: String, _ farm: RealFarm) throws {
    let borders = try farm.psql("select first_frame from spool.chunk_status where job = '\(job)' and first_frame > 0 order by 1")
      .split(separator: "\n").compactMap { Int($0) }
    #expect(!borders.isEmpty)
    let packets = try MediaTools.ffprobe([
      "-select_streams", "v", "-show_entries", "packet=pts,dts,duration,flags", "-of", "csv=p=0", "\(farm.directory)/\(movie)",
    ]).split(separator: "\n").map { $0.split(separator: ",") }
    #expect(packets.count == frameCount)
    let (pts, dts) = (packets.compactMap { Int($0[0]) }, packets.compactMap { Int($0[1]) })
    let duration = try #require(packets.first.flatMap { Int($0[2]) })
    #expect(zip(dts, dts.dropFirst()).allSatisfy { $1 - $0 == duration })
    #expect(packets.allSatisfy { Int($0[2]) == duration })
    #expect(pts.sorted() == (0..<frameCount).map { $0 * duration })
    let keyframes = Set(packets.filter { $0[3].hasPrefix("K") }.compactMap { Int($0[0]) }.map { $0 / duration })
    for border in borders { #expect(keyframes.contains(border), "frame \(border)") }
    // Packets after a border are shown after it, so the GOP before is closed.
    for border in borders {
      let place = try #require(pts.firstIndex(of: border * duration))
      #expect(pts[..<place].allSatisfy { $0 < border * duration } && pts[place...].allSatisfy { $0 >= border * duration })
    }
  }

  /// The time stamps, duration and digest of each frame.
  private static func frames(_ movie: String, _ farm: RealFarm) throws -> [Substring] {
    let lines = try MediaTools.ffmpeg(["-i", "\(farm.directory)/\(movie)", "-map", "0:v", "-f", "framemd5", "-"])
      .split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count == frameCount)
    return lines
  }

  private static func killAttempts(of worker: String, _ farm: RealFarm) throws {
    let pid = try #require(farm.workers[worker]?.processID)
    let children = try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
    let attempts = children.split(separator: " ").compactMap { pid_t($0) }
    try #require(!attempts.isEmpty)
    for attempt in attempts { kill(attempt, SIGKILL) }
  }
}
