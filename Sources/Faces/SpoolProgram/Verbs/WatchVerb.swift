import Arguments
import Ledger
import Linux
import Messages
import Operations
import Terminal

struct WatchVerb: Verb {
  static let page = Page(
    "watch", "watch the farm, or wait for jobs",
    description: [
      """
      Without JOB, shows what keeps the farm from working, if anything does, its jobs and its workers, and shows it anew each \
      second until you press Ctrl-C. On a terminal it takes the whole screen, and gives it back.
      """,
      """
      With one JOB, a terminal shows its speed, a map of its chunks in the order of the movie, why it waits, and where its time went.
      """,
      """
      With JOBs, shows them until all have ended. It ends as 'spool render' would: with code 0 if all are done, else with the code of \
      the first one that is not. When the output is no terminal, each job has a line when its state changes, and one every \
      ten seconds while it runs.
      """,
      "While the database is away, it says so and waits. Ctrl-C ends the watch and no job.", Database.description,
    ],
    examples: [
      .init("spool watch", "The farm."), .init("spool watch --submitter ana@edit-1", "Her jobs."),
      .init(
        "job=$(spool submit edit.json -o edit.mp4) && spool watch $job && cp edit.mp4 /mnt/out", "Wait for a job in a script."),
    ],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "all jobs are done"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "a job failed: its edit or media cannot be rendered"),
      .init(ExitCode.noInput, "no such job, or a job failed for a medium that is gone"),
      .init(ExitCode.unavailable, "the database cannot be reached"),
      .init(ExitCode.cannotCreate, "a job failed: a movie or segment cannot be written"), Database.forbidden,
      .init(ExitCode.interrupted, "Ctrl-C, or a job was cancelled"),
    ])

  @Positional("JOB", .name("JOB", .unfinishedJobs), minimum: 0, "Jobs' ids, as submit printed them.") var jobs: [String]
  @Option("database", .text("URL"), Database.help) var database: String?
  @Option("state", .choice("STATE"), "Only jobs in that state.") var states: [JobFilter.State]
  @Option("submitter", .name("NAME", .submitters), "Only jobs of that submitter.") var submitter: String?
  @Option("every", .integer(1...3600, "SECONDS"), default: 1, shown: "1", "The time between two looks.") var every: Int
  @Flag("json", "Print one JSON object at each look: the farm, or a line for each job that has changed.") var json: Bool

  func run() throws {
    guard jobs.isEmpty || states.isEmpty && submitter == nil else {
      throw Complaint(states.isEmpty ? "--submitter" : "--state", "chooses among all jobs, and JOB names some", .usage)
    }
    // The signals are blocked before any thread starts.
    let interruption = try Interruption()
    let request = WatchRequest(
      jobs: jobs, filter: JobFilter(states: states, submitter: submitter, limit: Self.mostJobs), pause: .seconds(every))
    try Self.watch(request, of: Database.face(database), interruption, asJSON: json)
  }

  /// Shows what is watched until all jobs have ended.
  ///
  /// - Throws: the complaint about the first job that is not done; when somebody interrupted, one that says that the jobs go on.
  static func watch(_ request: WatchRequest, of farm: any FarmFace, _ interruption: Interruption, asJSON: Bool) throws {
    var view = view(of: farm, asJSON)
    let ended: [JobStatus]?
    do {
      ended = try farm.watch(request, interruption) { try view.show($0) }
    } catch {
      try view.leave()
      throw error
    }
    try view.leave()
    guard let ended else { throw interrupted(request.jobs) }
    if view is ScreenView { for job in ended { try StandardStream.output.line(job.sentence) } }
    if let complaint = ended.compactMap(\.complaint).first { throw complaint }
  }

  /// The complaint with which an interrupted wait for jobs ends.
  static func interrupted(_ jobs: [String]) -> Complaint {
    guard let first = jobs.first else { return Complaint(faults: [], .interrupted) }
    let names = jobs.joined(separator: " ")
    let (what, all) = jobs.count == 1 ? ("goes on", "it") : ("and the others go on, unless they have ended", "them")
    let words = "\(what): 'spool watch \(names)' waits for \(all), 'spool cancel \(names)' ends \(all)"
    return Complaint(first, words, .interrupted)
  }

  private static func view(of farm: any FarmFace, _ asJSON: Bool) -> any SightView {
    if asJSON { return JSONView() }
    return StandardStream.output.isTerminal ? ScreenView(farm) : LineView()
  }

  /// The most jobs that are asked for. A screen shows fewer.
  private static let mostJobs = 200
}

/// A way to show what is watched.
private protocol SightView {
  mutating func show(_ sight: Sight) throws
  /// Ends the view, so that other text can be written.
  mutating func leave() throws
}

/// The whole screen of a terminal.
private struct ScreenView: SightView {
  private var screen = LiveScreen(.output)
  /// The last picture of the farm, which stays while the database is away.
  private var lines: [String] = []
  private let farm: any FarmFace
  private var speed = RenderingSpeed()
  /// The last look at the one job that is watched, and the moment from which on it is looked at again. A job of 100,000 chunks takes a while to be
  /// looked at, so that is done in a small part of the time.
  private var scene: JobScene?
  private var isSceneOldAt = 0.0

  /// The part of the time in which a job is looked at: one in so many.
  private static let rest = 5.0

  init(_ farm: any FarmFace) { self.farm = farm }

  mutating func show(_ sight: Sight) throws {
    switch sight {
    case .farm(let report): lines = Self.lines(report, screen.size)
    case .jobs(let jobs):
      if jobs.count == 1, let job = jobs.first { try look(at: job) } else { lines = Self.rows(of: jobs, screen.size.columns) }
    case .away(let complaint):
      return try screen.paint(
        ["THE DATABASE IS AWAY: \(complaint.told.first?.text ?? ""). Below is what was known.", ""] + lines)
    }
    try screen.paint(lines)
  }

  mutating func leave() throws { try screen.leave() }

  private mutating func look(at job: JobStatus) throws {
    let begin = MonotonicClock.seconds
    speed.note(frames: job.framesDone, at: begin)
    let size = screen.size
    if begin >= isSceneOldAt || job.state.isFinal {
      do throws(Complaint) {
        scene = try farm.scene(job: job.id, cells: JobScreen.cells(rows: size.rows, columns: size.columns))
      } catch {
        // While the database is away, the next look at the farm says so.
        guard error.exit == .unavailable else { throw error }
      }
      isSceneOldAt = begin + (MonotonicClock.seconds - begin) * Self.rest
    }
    guard var shown = scene else { return lines = Self.rows(of: [job], size.columns) }
    shown.glance.job = job
    lines = JobScreen.lines(shown, speed, columns: size.columns)
  }

  /// The farm on a screen: jobs get the rows that workers leave, and workers at most a third.
  private static func lines(_ report: FarmReport, _ size: (rows: Int, columns: Int)) -> [String] {
    let head = report.farm.banner + [report.summary, ""]
    let workers =
      report.workers.isEmpty
      ? ["no workers"]
      : rows(WorkerStatus.table(of: report.workers, columns: size.columns, isTroubleFirst: true), size.columns)
    let jobs = report.jobs.isEmpty ? ["no jobs"] : rows(of: report.jobs, size.columns)
    let third = max(2, size.rows / 3)
    let room = max(2, size.rows - head.count - 1 - min(workers.count, third))
    return head + cut(jobs, to: room) + [""] + cut(workers, to: max(third, size.rows - head.count - 1 - jobs.count))
  }

  private static func cut(_ rows: [String], to room: Int) -> [String] {
    guard rows.count > room else { return rows }
    return rows.prefix(room - 1) + ["… and \(rows.count - room + 1) more"]
  }

  private static func rows(of jobs: [JobStatus], _ columns: Int) -> [String] {
    rows(JobTable.table(of: jobs, columns: columns, now: UTCTime.now), columns)
  }

  private static func rows(_ table: TextTable, _ columns: Int) -> [String] {
    table.text(columns: columns).split(separator: "\n").map(String.init)
  }
}

/// A line whenever something has happened, for logs.
private struct LineView: SightView {
  private var told: [String: (text: String, progress: Int, at: Double)] = [:]

  /// The words last told of the whole farm.
  private var farm = ""
  private var isAway = false

  private static let pauseSeconds = 10.0

  mutating func show(_ sight: Sight) throws {
    switch sight {
    case .farm(let report):
      try tell(report.farm.banner.isEmpty ? "the farm works" : report.farm.banner.joined(separator: "; "))
      for job in report.jobs { try tell(job) }
    case .jobs(let jobs):
      isAway = false
      for job in jobs { try tell(job) }
    case .away(let complaint):
      // The words change while a server goes and comes.
      if !isAway { try StandardStream.output.line("the database is away: \(complaint.told.first?.text ?? "")") }
      isAway = true
    }
  }

  mutating func leave() throws {}

  private mutating func tell(_ job: JobStatus) throws {
    let (now, before) = (MonotonicClock.seconds, told[job.id])
    let state = "\(job.state.rawValue) \(job.isPaused)"
    let isNews = before?.text != state
    let hasMoved = before.map { $0.progress != job.framesDone && now - $0.at >= Self.pauseSeconds } ?? true
    guard isNews || hasMoved && !job.state.isFinal else { return }
    told[job.id] = (state, job.framesDone, now)
    try StandardStream.output.line(job.sentence)
  }

  private mutating func tell(_ text: String) throws {
    if text != farm || isAway { try StandardStream.output.line(text) }
    (farm, isAway) = (text, false)
  }
}

private struct JSONView: SightView {
  private var told: [String: JobStatus] = [:]

  mutating func show(_ sight: Sight) throws {
    switch sight {
    case .farm(let report): try StandardStream.output.json(report)
    case .jobs(let jobs):
      for job in jobs where told[job.id]?.isNews(job) ?? true {
        told[job.id] = job
        try StandardStream.output.json(job)
      }
    case .away(let complaint): try StandardStream.error.line("\(complaint)")
    }
  }

  mutating func leave() throws {}
}

extension JobStatus {
  /// Whether the other status tells more than that time has passed.
  fileprivate func isNews(_ other: JobStatus) -> Bool {
    (state, framesDone, chunksDone, isPaused, retries) != (
      other.state, other.framesDone, other.chunksDone, other.isPaused, other.retries
    )
      || running != other.running || waitsFor != other.waitsFor
  }

  /// The job in a line.
  fileprivate var sentence: String {
    var facts = ["\(framesDone)/\(frameCount) frames", "\(chunksDone)/\(chunkCount) chunks"]
    switch state {
    case .done: return "\(id) done: \(output)"
    case .failed: return "\(id) failed: \(failure?.description ?? "")"
    case .cancelled: return "\(id) cancelled"
    case .queued, .running:
      if let secondsLeft { facts.append("\(ProgressText.clock(secondsLeft)) left") }
      if retries > 0 { facts.append("\(retries) retried") }
      if isPaused { facts.append("paused") } else if running == 0, let waitsFor { facts.append(waitsFor) }
      return "\(id) \(state.rawValue): " + facts.joined(separator: ", ")
    }
  }
}
