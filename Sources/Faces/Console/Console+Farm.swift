internal import Glibc
internal import Ledger
internal import Linux
internal import Messages
internal import Operations
internal import Synchronization
internal import WebServer

/// The farm in short, as every page shows it.
struct FarmGlance: Encodable {
  let farm: FarmStatus
  let coordinators: [CoordinatorStatus]
  let jobs: [JobStatus]
  let secondsLeft: Double?
  let workers: [WorkerStatus]
}

/// A page of jobs.
struct JobPage: Encodable {
  let jobs: [JobStatus]
  /// The text that gives the next page; nil on the last one.
  let next: String?
}

private struct Identity: Encodable {
  let name: String?
  let role: Role
  let needsToken: Bool
}

extension Console {
  func identity(of caller: Caller) -> some Encodable {
    Identity(name: caller.name, role: caller.role, needsToken: gate.anyone < .view)
  }

  /// The answer 200 while the database is reached.
  func readiness() throws(Complaint) -> WebResponse {
    _ = try farm()
    return WebResponse(200, "text/plain; charset=utf-8", Array("ready\n".utf8))
  }

  /// The most jobs in the farm's short form.
  private static let jobsAtAGlance = 50

  func farm() throws(Complaint) -> WebResponse {
    try snapshots.response("farm") { () throws(Complaint) in
      let report = try reading.run { farm throws(Complaint) in try farm.report(JobFilter(limit: Self.jobsAtAGlance)) }
      var status = report.farm
      // The fraction of a second since a leader's last word is no news.
      if status.isLed { status.secondsSinceLed = nil }
      return JSONBody.response(
        FarmGlance(
          farm: status, coordinators: report.coordinators, jobs: report.jobs, secondsLeft: report.secondsLeft,
          workers: report.workers.map(\.settled)))
    }
  }

  func workers() throws(Complaint) -> WebResponse {
    try snapshots.response("workers") { () throws(Complaint) in
      JSONBody.response(try reading.run { farm throws(Complaint) in try farm.report(JobFilter(limit: 1)).workers })
    }
  }

  /// The place where the time of the farm's slots went.
  func time(_ call: Call) throws(Complaint) -> WebResponse {
    let hours = try call.integer("hours", in: Farm.timeHours) ?? 1
    return try snapshots.response("time\u{0}\(hours)") { () throws(Complaint) in
      JSONBody.response(try detailing.run { farm throws(Complaint) in try farm.time(hours: hours) })
    }
  }

  /// The shares of all submitters, or of one.
  func shares(_ call: Call) throws(Complaint) -> WebResponse {
    let submitter = call.text("submitter")
    return try snapshots.response("shares\u{0}\(submitter ?? "")") { () throws(Complaint) in
      JSONBody.response(try reading.run { farm throws(Complaint) in try farm.shares(SharesRequest(submitter: submitter)) })
    }
  }

  /// The most streams of events at once. Each has a thread, and each open page has a stream.
  static let mostReaders = 1000

  /// The farm's short form as server-sent events, whenever it changes. Each event tells all, so one that went on without some of
  /// them has lost nothing: `Last-Event-ID` only saves the first event if nothing has changed.
  func events(_ call: Call) throws(Complaint) -> WebResponse {
    let stream = EventStream(self, after: call.request.headers["last-event-id"])
    guard let stream else { throw Complaint("events", "too many read them: at most \(Self.mostReaders) at once", .unavailable) }
    return WebResponse(events: { stream.next() })
  }
}

/// One client's stream of events. It belongs to the client's thread.
// @unchecked: libmicrohttpd calls a stream's function from its connection's thread alone.
private final class EventStream: @unchecked Sendable {
  private let console: Console
  private var last: String?
  private var toldAt = MonotonicClock.milliseconds

  /// The milliseconds after which a client that was told nothing is sent a comment, so that one that has gone is noticed.
  private static let silence: Int64 = 10_000

  init?(_ console: Console, after last: String?) {
    (self.console, self.last) = (console, last)
    guard console.readers.add(1, ordering: .relaxed).newValue <= Console.mostReaders else {
      console.readers.subtract(1, ordering: .relaxed)
      return nil
    }
    isCounted = true
  }

  private var isCounted = false

  deinit { if isCounted { console.readers.subtract(1, ordering: .relaxed) } }

  /// The next event, after at most a second and a half. An empty answer lets the server look whether it is to stop.
  func next() -> [UInt8] {
    let text = news()
    guard text.isEmpty else {
      toldAt = MonotonicClock.milliseconds
      return text
    }
    usleep(500_000)
    guard MonotonicClock.milliseconds - toldAt > Self.silence else { return [] }
    toldAt = MonotonicClock.milliseconds
    return Array(": nothing new\n\n".utf8)
  }

  private func news() -> [UInt8] {
    do throws(Complaint) {
      let response = try console.farm()
      let tag = response.headers.first { $0.name == "ETag" }?.value.filter { $0 != "\"" }
      guard tag != last else { return [] }
      last = tag
      return Array("id: \(tag ?? "")\nevent: farm\ndata: ".utf8) + response.bytes + Array("\n\n".utf8)
    } catch {
      guard last != "trouble" else { return [] }
      last = "trouble"
      return Array("event: trouble\ndata: ".utf8) + Problem(error, isAboutBody: false).response.bytes + Array("\n\n".utf8)
    }
  }
}

extension WorkerStatus {
  /// The worker without the fraction of its last heartbeat, which is no news.
  fileprivate var settled: WorkerStatus {
    var worker = self
    worker.secondsSinceHeartbeat = isAlive ? 0 : secondsSinceHeartbeat.rounded()
    return worker
  }
}
