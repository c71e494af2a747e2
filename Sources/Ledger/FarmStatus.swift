internal import Scheduling

/// The farm in a few words: what comes before all that is said of jobs.
package struct FarmStatus: Hashable, Sendable, Encodable {
  /// Nil while none ever led.
  package var leader: String?
  package var isLed: Bool
  /// Since the coordinator that led last was heard; nil while none ever led.
  package var secondsSinceLed: Double?
  /// Since when nothing is begun, as jobs' times are said; nil while work is given out.
  package var drainedAt: String?
  package var workersAlive: Int
  package var slots: Int
  package var attemptsRunning: Int
  package var jobsRunning: Int
  package var jobsQueued: Int

  package init(
    leader: String?, isLed: Bool, secondsSinceLed: Double?, drainedAt: String?, workersAlive: Int, slots: Int,
    attemptsRunning: Int, jobsRunning: Int, jobsQueued: Int
  ) {
    (self.leader, self.isLed, self.secondsSinceLed, self.drainedAt) = (leader, isLed, secondsSinceLed, drainedAt)
    (self.workersAlive, self.slots, self.attemptsRunning) = (workersAlive, slots, attemptsRunning)
    (self.jobsRunning, self.jobsQueued) = (jobsRunning, jobsQueued)
  }
}

package struct CoordinatorStatus: Hashable, Sendable, Encodable {
  package var name: String
  /// "leads", "follows" or "silent", as the view coordinator_status has it.
  package var state: String
  /// Since it leads, or is connected.
  package var seconds: Double

  package init(name: String, state: String, seconds: Double) { (self.name, self.state, self.seconds) = (name, state, seconds) }
}

/// Which jobs are to be shown.
package struct JobFilter: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable { case running, paused, queued, done, failed, cancelled }

  /// None: all.
  package var states: [State]
  package var submitter: String?
  /// Of those that ended, only those of the last so many seconds.
  package var seconds: Int?
  package var limit: Int

  package init(states: [State] = [], submitter: String? = nil, seconds: Int? = nil, limit: Int) {
    (self.states, self.submitter, self.seconds, self.limit) = (states, submitter, seconds, limit)
  }
}

extension JobStatus {
  /// What is to be done once its chunks are, as a forecast reckons it.
  package var joiningSeconds: Double { Forecast.tailSeconds(frames: frameCount) }
}
