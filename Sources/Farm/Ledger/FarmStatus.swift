internal import Scheduling

/// The state of the farm as a whole, which is shown before anything about jobs.
package struct FarmStatus: Hashable, Sendable, Codable {
  /// The name of the coordinator that led last; nil when none ever led.
  package var leader: String?
  package var isLed: Bool
  /// The seconds since the last leader was heard; nil when none ever led.
  package var secondsSinceLed: Double?
  /// The time since which no work is given out, in the format of a job's times; nil while work is given out.
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

/// A number that the farm is watched by: a row of the view farm_measure.
package struct FarmMeasure: Hashable, Sendable {
  package var name: String
  /// The row's two labels; a label that the measure has not is empty.
  package var labels: [String]
  package var value: Double

  package init(name: String, labels: [String], value: Double) { (self.name, self.labels, self.value) = (name, labels, value) }
}

package struct CoordinatorStatus: Hashable, Sendable, Codable {
  package var name: String
  /// The state "leads", "follows" or "silent", as in the view coordinator_status.
  package var state: String
  /// The seconds since it began to lead, or since it connected.
  package var seconds: Double

  package init(name: String, state: String, seconds: Double) { (self.name, self.state, self.seconds) = (name, state, seconds) }
}

/// The choice of the jobs to show.
package struct JobFilter: Hashable, Sendable, Codable {
  package enum State: String, Hashable, Sendable, CaseIterable, Codable { case running, paused, queued, done, failed, cancelled }

  /// The states to show; an empty array shows all.
  package var states: [State]
  package var submitter: String?
  /// Ended jobs are shown only if they ended within so many seconds; nil shows all.
  package var seconds: Int?
  package var limit: Int

  /// The number of jobs that are shown unless another one is asked for.
  package static let usualLimit = 20

  package init(states: [State] = [], submitter: String? = nil, seconds: Int? = nil, limit: Int = usualLimit) {
    (self.states, self.submitter, self.seconds, self.limit) = (states, submitter, seconds, limit)
  }
}

extension JobStatus {
  /// The seconds that are left once all chunks are done, as a forecast estimates them.
  ///
  /// - Parameter rendering: the seconds that the chunks take together.
  package func muxingSeconds(rendering: Double) -> Double { Forecast.tailSeconds(frames: frameCount, rendering: rendering) }
}
