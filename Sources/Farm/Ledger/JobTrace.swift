internal import JSON
internal import Messages
internal import PlainText
internal import Scheduling

/// A job's attempts over time as trace events, which Perfetto and chrome://tracing show: a process for the job and one for each
/// worker, in it a thread for each attempt that ran beside others. Times are microseconds from the submission, by the database's clock.
/// The format is the "Trace Event Format" of Google's trace viewer, as a JSON object.
package struct JobTrace: Sendable {
  struct Event: Sendable {
    var name: String
    var cat: String?
    /// The phase: X complete, i instant, M metadata, s and f the ends of an arrow.
    var ph: String
    var ts = 0
    var dur: Int?
    var pid: Int
    var tid: Int
    var id: Int64?
    /// An arrow ends at the event that encloses its end ("e").
    var bp: String?
    /// The reach of an instant: its thread ("t").
    var s: String?
    var args: [String: String]?
  }

  let otherData: [String: String]
  let traceEvents: [Event]

  /// - Parameter attempts: the attempts in the order in which they began.
  package init(_ job: JobStatus, _ attempts: [AttemptSpan]) {
    otherData = ["job": job.id, "output": job.output.plain, "submitted": job.submittedAt, "submitter": job.submitter.plain]
    var events = [
      Self.name("process_name", "job \(job.id)", pid: Self.jobProcess), Self.name("thread_name", "job", pid: Self.jobProcess),
    ]
    func microseconds(_ seconds: Double) -> Int { Int((seconds * 1e6).rounded()) }
    let waited = microseconds(job.waitedSeconds)
    events.append(
      Event(name: "waits", cat: "job", ph: "X", dur: waited, pid: Self.jobProcess, tid: Self.thread(0, of: Self.jobProcess)))
    if let elapsed = job.elapsedSeconds {
      events.append(
        Event(
          name: job.state.rawValue, cat: "job", ph: "X", ts: waited, dur: microseconds(elapsed), pid: Self.jobProcess,
          tid: Self.thread(0, of: Self.jobProcess),
          args: ["frames": "\(job.framesDone) of \(job.frameCount)", "retries": "\(job.retries)"]))
    }
    var (workers, lanes): ([String: Int], [[Int]]) = ([:], [])
    let mux = attempts.first { $0.kind == .mux && $0.outcome == "won" }
    var muxPlace: (pid: Int, tid: Int)?
    var arrows: [(from: Event, at: Int)] = []
    for attempt in attempts {
      if workers[attempt.worker] == nil {
        workers[attempt.worker] = workers.count
        lanes.append([])
        events.append(Self.name("process_name", "worker \(attempt.worker.plain)", pid: workers.count + Self.jobProcess))
      }
      let worker = workers[attempt.worker] ?? 0
      let process = worker + 1 + Self.jobProcess
      // The first thread that is free again takes the attempt.
      let lane = lanes[worker].firstIndex { $0 <= attempt.began } ?? lanes[worker].count
      if lane == lanes[worker].count {
        lanes[worker].append(0)
        events.append(Self.name("thread_name", "slot \(lane + 1)", pid: process, lane))
      }
      lanes[worker][lane] = attempt.ended
      let event = Self.event(attempt, pid: process, tid: Self.thread(lane, of: process))
      events.append(event)
      if let failure = attempt.failure {
        events.append(
          Event(
            name: failure.description.plain, cat: "failure", ph: "i", ts: attempt.ended, pid: event.pid, tid: event.tid, s: "t"))
      }
      if attempt.key == mux?.key { muxPlace = (event.pid, event.tid) }
      if attempt.outcome == "won", attempt.kind == .picture || attempt.kind == .sound { arrows.append((event, attempt.ended)) }
    }
    if let mux, let muxPlace {
      for (place, arrow) in arrows.enumerated() where arrow.at <= mux.began {
        let id = Int64(place)
        events.append(
          Event(
            name: "part", cat: "parts", ph: "s", ts: max(arrow.at - 1, arrow.from.ts), pid: arrow.from.pid, tid: arrow.from.tid,
            id: id))
        events.append(
          Event(name: "part", cat: "parts", ph: "f", ts: mux.began, pid: muxPlace.pid, tid: muxPlace.tid, id: id, bp: "e"))
      }
    }
    traceEvents = events
  }

  private static func event(_ attempt: AttemptSpan, pid: Int, tid: Int) -> Event {
    let outcome = attempt.outcome ?? "running"
    var args = ["task": "\(attempt.key.task)", "attempt": "\(attempt.key.attempt)", "outcome": outcome]
    args["speculative"] = attempt.isSpeculative ? "true" : nil
    args["failure"] = attempt.failure?.description.plain
    var name = attempt.kind.rawValue
    if let frames = attempt.frames {
      name = "frames \(frames.first)..\(frames.first + frames.count)"
      let seconds = Double(attempt.ended - attempt.began) / 1e6
      if outcome == "won", seconds > 0 { args["fps"] = "\((Double(frames.count) / seconds * 10).rounded() / 10)" }
    }
    return Event(
      name: name, cat: "\(attempt.kind.rawValue),\(outcome)", ph: "X", ts: attempt.began, dur: attempt.ended - attempt.began,
      pid: pid,
      tid: tid, args: args)
  }

  private static func name(_ kind: String, _ name: String, pid: Int, _ lane: Int = 0) -> Event {
    Event(name: kind, ph: "M", pid: pid, tid: thread(lane, of: pid), args: ["name": name])
  }

  /// The job's own process. The number 0 is the idle process of Linux, which viewers treat apart.
  private static let jobProcess = 1

  /// A number that no thread of another process has.
  private static func thread(_ lane: Int, of process: Int) -> Int { process * 10_000 + lane }
}

// MARK: As JSON

// The trace of a job of 100,000 chunks has as many events and more, so they are written by hand.
extension JobTrace {
  /// The file.
  package var bytes: [UInt8] {
    var bytes = Array(#"{"displayTimeUnit":"ms","otherData":"#.utf8)
    Self.write(otherData, to: &bytes)
    bytes += #","traceEvents":["#.utf8
    for (place, event) in traceEvents.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      event.write(to: &bytes)
    }
    bytes += "]}".utf8
    return bytes
  }

  fileprivate static func write(_ texts: [String: String], to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    for (place, member) in texts.sorted(by: { $0.key < $1.key }).enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONValue.write(member.key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      JSONValue.write(member.value, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}

extension JobTrace.Event {
  fileprivate func write(to bytes: inout [UInt8]) {
    bytes += #"{"ph":""#.utf8
    bytes += ph.utf8
    bytes += #"","pid":\#(pid),"tid":\#(tid),"ts":\#(ts)"#.utf8
    if let dur { bytes += #","dur":\#(dur)"#.utf8 }
    if let id { bytes += #","id":\#(id)"#.utf8 }
    for case (let key, let text?) in [("name", name), ("cat", cat), ("bp", bp), ("s", s)] {
      bytes += #","\#(key)":"#.utf8
      JSONValue.write(text, to: &bytes)
    }
    if let args {
      bytes += #","args":"#.utf8
      JobTrace.write(args, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
