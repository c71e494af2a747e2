import Ledger
import Messages
import PostgreSQL
import Scheduling
import Subprocess

/// The work of a submitted job as its plan has it: the seconds that each of its tasks takes.
struct PlannedWork {
  /// The chunks of the plan, with the seconds of each frame.
  let chunks: [(frames: Range<Int>, secondsPerFrame: Double)]
  /// The seconds of each sound, by its task.
  let sounds: [Int64: Double]
  let frameCount: Int

  struct NotPlanned: Error, CustomStringConvertible { let description: String }

  /// The work that a worker pretends to do at an order.
  ///
  /// - Parameter rendering: the seconds since the job's first order. The movie was joined meanwhile, since its first chunk was there.
  func pretence(_ order: AttemptOrder, after rendering: Double, hurry: Double) throws -> Fleet.Pretence {
    let digest = "0123456789abcdef0123456789abcdef"
    let file = FileProof(path: "\(order.job)/\(order.key.task).\(order.key.attempt).seg", byteCount: 123_456, byteDigest: digest)
    let segment = SegmentProof(file: file, parameterSetDigest: digest, contentDigest: digest)
    func work(_ seconds: Double, _ units: Int64, _ proof: Proof) -> Fleet.Pretence {
      Fleet.Pretence(length: .seconds(seconds / hurry), units: max(units, 1), proof: proof)
    }
    switch order.work {
    case .picture(let frames):
      return work(seconds(of: frames.indices), Int64(frames.count), .picture(PictureProof(frames: frames, segment: segment)))
    case .sound:
      throw NotPlanned(description: "the sound of job \(order.job) is in one piece: use an edit of more than two minutes")
    case .soundPart(let samples):
      guard let seconds = sounds[order.key.task] else {
        throw NotPlanned(description: "task \(order.key.task) is no sound of job \(order.job)")
      }
      let proof = SoundProof(firstSample: samples.first, sampleCount: samples.count, segment: segment)
      return work(seconds, samples.count, .sound(proof))
    case .mux:
      let joining = rendering - (chunks.first.map { Double($0.frames.count) * $0.secondsPerFrame } ?? 0)
      return work(Forecast.tailSeconds(frames: frameCount, rendering: joining), Int64(frameCount), .mux(file))
    case .publish: return work(0, 1, .publish(file))
    }
  }

  /// The seconds of any frames: attempts may be divided while they run.
  private func seconds(of frames: Range<Int>) -> Double {
    chunks.reduce(0) { $0 + Double($1.frames.clamped(to: frames).count) * $1.secondsPerFrame }
  }
}

extension LoadedFarm {
  /// Runs `spool` with the farm's database.
  ///
  /// - Returns: its standard output.
  func answer(_ arguments: String...) throws -> String {
    let command = Command("\(Self.folder)/spool", arguments, environment: ["PATH": "/usr/bin:/bin", "SPOOL_DATABASE": database])
    // The fleet says nothing meanwhile. Workers that are silent for half a minute would count as dead.
    guard let done = try command.run(timeoutMilliseconds: 25_000) else {
      throw Phase.NotDone(description: "spool \(arguments.joined(separator: " ")) was not ready in time")
    }
    guard done.status.isSuccess else {
      throw Phase.NotDone(description: "spool \(arguments.joined(separator: " ")): \(done.errorOutput)")
    }
    return done.output
  }

  func plannedWork(of job: String) throws -> PlannedWork {
    let connection = try Connection(url: database, applicationName: "spool load")
    let rows = try connection.query(
      Statement(
        "load_planned", "select id, kind, first_frame, frame_count, cost from spool.task where job = '\(job)' order by ordinal"))
    var (chunks, sounds): ([(Range<Int>, Double)], [Int64: Double]) = ([], [:])
    for row in rows {
      let (kind, cost): (String, Double) = (try row.value("kind"), try row.value("cost"))
      switch kind {
      case TaskKind.picture.rawValue:
        let (first, count): (Int, Int) = (try row.value("first_frame"), try row.value("frame_count"))
        chunks.append((first..<first + count, cost / Double(count)))
      case TaskKind.sound.rawValue: sounds[try row.value("id")] = cost
      default: break
      }
    }
    return PlannedWork(chunks: chunks, sounds: sounds, frameCount: chunks.last?.0.upperBound ?? 0)
  }

  func isDone(_ job: String) throws -> Bool { try ledger.status(job: job)?.state == .done }

  /// The seconds from the first order to the last result of each kind of task.
  func ends(of job: String, hurry: Double) throws -> [String: Double] {
    let connection = try Connection(url: database, applicationName: "spool load")
    let rows = try connection.query(
      Statement(
        "load_ends",
        """
        select t.kind, extract(epoch from max(a.ended_at) - min(min(a.started_at)) over ())::double precision as seconds
        from spool.task t join spool.attempt a on a.task = t.id where t.job = '\(job)' group by t.kind
        """))
    return Dictionary(uniqueKeysWithValues: try rows.map { (try $0.value("kind"), try $0.value("seconds") * hurry) })
  }
}
