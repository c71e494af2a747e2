internal import Messages
internal import Scheduling

extension FuzzTarget {
  /// Reads each line as one message, of the kind that its first byte says. A message that was read must be written as the same
  /// message. The decisions of coordinator and worker must not trap on it.
  func takeMessages(_ bytes: [UInt8]) {
    var farm = FuzzedFarm()
    for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(32) {
      let body = Array(line.dropFirst())
      switch line.first {
      case UInt8(ascii: "w"): if let message = Self.read(WorkerMessage.self, body) { farm.coordinator(hears: message) }
      case UInt8(ascii: "c"): if let message = Self.read(CoordinatorMessage.self, body) { farm.worker(hears: message) }
      case UInt8(ascii: "r"):
        if let report = try? AttemptReport(line: String(decoding: body, as: UTF8.self)) {  // most are refused
          farm.worker(reads: report)
        }
      default: _ = try? Wire.decode(WorkerMessage.self, from: [body, body])  // always refused, because the header is wrong
      }
      farm.pass()
    }
  }

  private static func read<Message: WireMessage & Equatable>(_ type: Message.Type, _ body: [UInt8]) -> Message? {
    guard let message = try? Wire.decode(type, from: [header, body]) else { return nil }  // most are refused
    do {
      let again = try Wire.decode(type, from: Wire.encode(message))
      precondition(again == message, "written as another message")
    } catch WireError.tooLong {  // The canonical form may be longer than what was read, because of escapes.
    } catch { preconditionFailure("a message that was read is not written: \(error)") }
    return message
  }

  private static let header = Array("spool/\(Wire.version)".utf8)

  var messageSeeds: [[UInt8]] {
    let key = AttemptKey(task: 7, attempt: 2)
    let digest = "0123456789abcdef0123456789abcdef"
    let file = FileProof(path: "j/7/2.nut", byteCount: 10, byteDigest: digest)
    var muxed = file
    muxed.target = TargetMeasure(.bitRate, asked: 400_000, reached: 391_204)
    let segment = SegmentProof(
      file: file, parameterSetDigest: digest, contentDigest: digest, concealed: [Concealment(asset: "a", inFrame: 3)])
    let picture = PictureProof(frames: FrameRange(first: 0, count: 5), segment: segment)
    let proofs = [Proof.picture(picture), .sound(SoundProof(sampleCount: 9, segment: segment)), .mux(muxed), .publish(file)]
    let progress = AttemptProgress(key: key, done: 1, total: 2, end: 3)
    let hello = WorkerHello(worker: "a", epoch: "1", host: "h", processID: 3, slots: 2, running: [progress])
    let spec = JobSpec(document: "{}", facts: [:], output: "/o.mp4", overwrites: false, keepsSegments: false)
    let mux = Work.mux(pictures: [Winner(key: key, proof: picture)], sound: [])
    let chunk = AttemptOrder(job: "j", key: key, work: .picture(FrameRange(first: 0, count: 5)), spec: spec)
    let finished = proofs.map { WorkerMessage.finished(worker: "a", epoch: "1", key, $0) }
    let fromWorker: [WorkerMessage] = [
      .hello(hello), .heartbeat(worker: "a", epoch: "1", running: [progress]),
      .failed(worker: "a", epoch: "1", key, Failure(.content, at: "clip", "歌")), .goodbye(worker: "a", epoch: "1"),
      .stored(worker: "a", epoch: "1", jobs: ["j"]), .returned(worker: "a", epoch: "1", key),
    ]
    let fromCoordinator: [CoordinatorMessage] = [
      .welcome(heartbeatMilliseconds: 1000), .assign(chunk), .assign(AttemptOrder(job: "j", key: key, work: mux, spec: spec)),
      .whoAreYou, .settled(key), .cancel(key), .shorten(key, before: 3), .refused(reason: "no"),
      .sweep, .seek(fonts: ["font=A:1:\(String(repeating: "0", count: 32))"]),
      .over([OverJob(id: "j", output: "/o.mp4"), OverJob(id: "k", output: nil)]),
    ]
    let reports: [AttemptReport] = [
      .progress(done: 1, total: 2), .shortened(before: 3), .failed(Failure(.bug, at: "x", "y")),
    ]
    do {
      var lines = try (fromWorker + finished).map { [UInt8(ascii: "w")] + (try Wire.encode($0)[1]) }
      lines += try fromCoordinator.map { [UInt8(ascii: "c")] + (try Wire.encode($0)[1]) }
      lines += try (reports + proofs.map { .finished($0) }).map { [UInt8(ascii: "r")] + (try $0.line().dropLast()) }
      return lines + [Array(lines.joined(separator: [UInt8(ascii: "\n")]))]
    } catch { preconditionFailure("a seed is not written: \(error)") }
  }
}

/// A coordinator and a worker without a network between them. Most of what they decide is dropped.
private struct FuzzedFarm {
  private var dispatcher = Dispatcher(Candidate(name: "c", epoch: "1"))
  private var state = WorkerState(name: "a", epoch: "1", host: "h", processID: 3, slots: 2)
  private var now = Duration.zero
  private var started: [AttemptKey] = []

  mutating func coordinator(hears message: WorkerMessage) {
    let (worker, epoch) = message.sender
    obey(dispatcher.handle(.received(message, route: "\(worker)/\(epoch)"), now: now))
  }

  private mutating func obey(_ actions: [Dispatcher.Action]) {
    for action in actions {
      // The answers are those of a ledger that knows nothing but the worker.
      switch action {
      case .ask(.register(let hello)): _ = dispatcher.handle(.answered(.registered(hello)), now: now)
      case .ask(.lead): _ = dispatcher.handle(.answered(.stood(.leads(term: 1))), now: now)
      case .ask(.heartbeat(let heartbeats)):
        let heard = heartbeats.map { HeardWorker(worker: $0.worker, epoch: $0.epoch, closed: $0.running.map(\.key)) }
        _ = dispatcher.handle(.answered(.heard(heard)), now: now)
      case .ask(.commit(let completions)):
        _ = dispatcher.handle(.answered(.committed(completions, Committed(verdicts: completions.map { _ in .stale }))), now: now)
      case .ask(.over(let worker, let epoch, let jobs, _)):
        let over = jobs.map { OverJob(id: $0, output: nil) }
        _ = dispatcher.handle(.answered(.over(worker: worker, epoch: epoch, over)), now: now)
      case .ask(.wantedFonts):
        _ = dispatcher.handle(.answered(.wantedFonts(["font=A:1:\(String(repeating: "0", count: 32))"])), now: now)
      case .ask(let request): _ = dispatcher.handle(.unanswered(request, reason: "away"), now: now)
      case .send, .note: break
      }
    }
  }

  mutating func worker(hears message: CoordinatorMessage) {
    note(state.handle(.received(message), now: now))
  }

  mutating func worker(reads report: AttemptReport) {
    guard let key = started.last else { return }
    note(state.handle(.reported(key, report), now: now))
    switch report {
    case .keyed, .progress, .composing, .shortened: return
    case .finished, .failed: break
    }
    note(state.handle(.ended(key, .exited(0, lastWords: "")), now: now))
  }

  mutating func pass() {
    now += .milliseconds(700)
    obey(dispatcher.handle(.turn, now: now))
    note(state.handle(.turn, now: now))
    precondition(state.turnDue >= .zero && dispatcher.turnDue >= .zero)
  }

  private mutating func note(_ actions: [WorkerState.Action]) {
    for case .start(let order) in actions { started.append(order.key) }
  }
}
