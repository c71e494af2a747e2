package import Messages

/// What is left to be done on the farm, and who may do it: what a forecast is made from.
package struct FarmQueue: Hashable, Sendable {
  /// A job that has not ended.
  package struct Job: Hashable, Sendable {
    package var id: String
    package var submitter: String
    /// As claims weigh it: with what waiting added.
    package var priority: Int
    /// Order of submission.
    package var number: Int64
    package var isPaused: Bool
    package var needs: Capabilities
    /// Of the movie.
    package var frameCount: Int
    /// Chunks that wait for a slot, and what each is expected to take.
    package var chunks: Int
    package var chunkSeconds: Double
    /// What the sound is expected to take where it waits for a slot.
    package var soundSeconds: Double?
    package var running: [Running]

    package init(
      id: String, submitter: String, priority: Int, number: Int64, isPaused: Bool = false, needs: Capabilities = Capabilities(),
      frameCount: Int, chunks: Int, chunkSeconds: Double, soundSeconds: Double? = nil, running: [Running] = []
    ) {
      (self.id, self.submitter, self.priority, self.number) = (id, submitter, priority, number)
      (self.isPaused, self.needs, self.frameCount) = (isPaused, needs, frameCount)
      (self.chunks, self.chunkSeconds, self.soundSeconds, self.running) = (chunks, chunkSeconds, soundSeconds, running)
    }

    /// Takes an attempt at one of its tasks from those that wait; what it is expected to take is the task's.
    package mutating func note(_ attempt: Running) {
      var attempt = attempt
      switch attempt.kind {
      case .picture:
        attempt.expected = chunkSeconds
        chunks -= 1
      case .sound:
        attempt.expected = soundSeconds ?? 0
        soundSeconds = nil
      case .mux, .publish: attempt.expected = Forecast.tailSeconds(frames: frameCount)
      }
      running.append(attempt)
    }
  }

  /// An open attempt; one beside another is not among them.
  package struct Running: Hashable, Sendable {
    package var kind: TaskKind
    /// Since it began.
    package var elapsed: Double
    /// What such a task is expected to take as a whole.
    package var expected: Double
    package var done: Int64
    package var total: Int64

    package init(kind: TaskKind, elapsed: Double, expected: Double, done: Int64, total: Int64) {
      (self.kind, self.elapsed, self.expected, self.done, self.total) = (kind, elapsed, expected, done, total)
    }

    /// By its own pace once that says something, else by what is expected; who should have ended is believed to take a quarter as long again.
    package var secondsLeft: Double {
      let left =
        if total > 0, Double(done) >= Double(total) * Self.telling {
          elapsed * Double(total - done) / Double(done)
        } else {
          expected - elapsed
        }
      return max(left, done >= total && total > 0 ? 0 : elapsed / 4, Self.least)
    }

    /// The part of an attempt from which on its own pace says more than that of others.
    private static let telling = 0.2
    /// Its result is still to be told.
    private static let least = 0.1
  }

  /// A worker that is given work.
  package struct Worker: Hashable, Sendable {
    package var slots: Int
    package var capabilities: Capabilities

    package init(slots: Int, capabilities: Capabilities) { (self.slots, self.capabilities) = (slots, capabilities) }
  }

  /// Whether a coordinator leads and the farm is not drained.
  package var isGivingOut: Bool
  package var jobs: [Job]
  package var workers: [Worker]
  /// Of those that have jobs; `slotsLeft` is the whole quota.
  package var submitters: [String: FairShare.Submitter]

  package init(isGivingOut: Bool, jobs: [Job], workers: [Worker], submitters: [String: FairShare.Submitter]) {
    (self.isGivingOut, self.jobs, self.workers, self.submitters) = (isGivingOut, jobs, workers, submitters)
  }

  /// Jobs that are looked at; what waits behind so many is not foretold.
  package static let mostJobs = 20_000
}
