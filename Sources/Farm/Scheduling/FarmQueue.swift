package import Messages

/// The work that is left on the farm, and the workers that may do it. A forecast is made from it.
package struct FarmQueue: Hashable, Sendable {
  /// A job that has not ended.
  package struct Job: Hashable, Sendable {
    package var id: String
    package var submitter: String
    /// The priority that claims use, with the levels gained by waiting.
    package var priority: Int
    /// The job's place in the order of submission.
    package var number: Int64
    package var isPaused: Bool
    package var needs: Capabilities
    /// The number of frames of the movie.
    package var frameCount: Int
    /// The number of chunks that wait for a slot, and the seconds that each is expected to take.
    package var chunks: Int
    package var chunkSeconds: Double
    /// The number of parts of sound that wait for a slot, and the seconds that each is expected to take.
    package var sounds: Int
    package var soundSeconds: Double
    package var running: [Running]

    package init(
      id: String, submitter: String, priority: Int, number: Int64, isPaused: Bool = false, needs: Capabilities = Capabilities(),
      frameCount: Int, chunks: Int, chunkSeconds: Double, sounds: Int = 0, soundSeconds: Double = 0, running: [Running] = []
    ) {
      (self.sounds, self.soundSeconds, self.running) = (sounds, soundSeconds, running)
      (self.id, self.submitter, self.priority, self.number) = (id, submitter, priority, number)
      (self.isPaused, self.needs, self.frameCount) = (isPaused, needs, frameCount)
      (self.chunks, self.chunkSeconds) = (chunks, chunkSeconds)
    }

    /// Moves an attempt's task from the waiting ones to the running ones. The attempt's expected seconds are those of its task.
    package mutating func note(_ attempt: Running) {
      var attempt = attempt
      switch attempt.kind {
      case .picture:
        attempt.expected = chunkSeconds
        chunks -= 1
      case .sound:
        attempt.expected = soundSeconds
        sounds -= 1
      case .mux, .publish: attempt.expected = Forecast.tailSeconds(frames: frameCount)
      }
      running.append(attempt)
    }
  }

  /// An open attempt. Second attempts at the same task are left out.
  package struct Running: Hashable, Sendable {
    package var kind: TaskKind
    /// The seconds since the attempt began.
    package var elapsed: Double
    /// The seconds that the whole task is expected to take.
    package var expected: Double
    package var done: Int64
    package var total: Int64

    package init(kind: TaskKind, elapsed: Double, expected: Double, done: Int64, total: Int64) {
      (self.kind, self.elapsed, self.expected, self.done, self.total) = (kind, elapsed, expected, done, total)
    }

    /// The seconds until the attempt ends. Its own pace decides once enough is done to judge by it, and the expected time before
    /// that. An attempt that should have ended already is given a quarter of its elapsed time more.
    package var secondsLeft: Double {
      let left =
        if total > 0, Double(done) >= Double(total) * Self.telling {
          elapsed * Double(total - done) / Double(done)
        } else {
          expected - elapsed
        }
      return max(left, done >= total && total > 0 ? 0 : elapsed / 4, Self.least)
    }

    /// The part of an attempt that must be done before its own pace says more than the expectation.
    private static let telling = 0.2
    /// The least seconds left: the result still has to be reported.
    private static let least = 0.1
  }

  /// A worker that may be given work.
  package struct Worker: Hashable, Sendable {
    package var slots: Int
    package var capabilities: Capabilities

    package init(slots: Int, capabilities: Capabilities) { (self.slots, self.capabilities) = (slots, capabilities) }
  }

  /// Whether a coordinator leads and the farm is not drained.
  package var isGivingOut: Bool
  package var jobs: [Job]
  package var workers: [Worker]
  /// The submitters who have jobs. Their `slotsLeft` is the whole quota here.
  package var submitters: [String: FairShare.Submitter]
  /// The present: the virtual time of the last turn of any submitter, whether they have jobs or not.
  package var turn: Double

  package init(
    isGivingOut: Bool, jobs: [Job], workers: [Worker], submitters: [String: FairShare.Submitter], turn: Double = 0
  ) {
    (self.isGivingOut, self.jobs, self.workers, self.submitters) = (isGivingOut, jobs, workers, submitters)
    self.turn = turn
  }

  /// The most jobs that a forecast looks at. Those behind them get none.
  package static let mostJobs = 20_000
}
