/// A part of the time of a job, a task, or the farm's slots. Each moment belongs to one part (views `job_time`, `chunk_time` and `farm_time`).
package enum JobTimePart: String, Hashable, Sendable, Codable, CaseIterable {
  /// The first five are the parts of the time in which chunks were rendered, in the shares that their attempts measured.
  case opening, reading, compositing, encoding, committing
  /// Chunks were rendered of which no attempt has measured its parts yet.
  case rendering
  case sound, joining, publishing
  /// Only attempts ran whose work was lost.
  case lost
  /// The job had failed or was cancelled, and was retried later.
  case stopped
  case paused, drained
  /// An attempt had ended since the store could not take or give what it needed, and the next one had not begun.
  case store
  /// An attempt had ended without a result for another reason, and the next one had not begun.
  case retrying
  case noWorker = "no worker"
  /// Another job of higher priority was in progress.
  case priority
  case behindOthers = "behind others"
  /// Tasks were being given out, or no coordinator led.
  case handingOut = "handing out"
  /// A task waited for the tasks whose results it takes. Of a job: only attempts ran that a job which it replaced had begun.
  case blocked
  /// A task waited while other tasks of its job ran. It is a part of a task's time, and of the critical path's.
  case behindOwn = "behind own"
  /// The submitter ran as much as the quota allows. Of a slot: what its worker may take belonged to such submitters.
  case quota
  /// No worker that took work had what the job needs. Of a slot: its worker lacked what each waiting task needs.
  case unfit = "no fitting worker"
  // These are parts of the time of the farm's slots alone.
  /// The worker had failed what others did, so it was given nothing.
  case setAside = "set aside"
  case leaderless = "no leader"
  case unqueued = "nothing queued"

  /// The part in words that stand behind a share, such as "41 % compositing".
  package var words: String {
    switch self {
    case .opening: "preparing chunks"
    case .reading: "fetching and decoding"
    case .compositing: "compositing"
    case .encoding: "encoding"
    case .committing: "starting attempts and committing chunks"
    case .rendering: "rendering"
    case .sound: "the sound"
    case .joining: "joining"
    case .publishing: "publishing"
    case .lost: "attempts whose work was lost"
    case .stopped: "failed or cancelled, before a retry"
    case .paused: "paused"
    case .drained: "drained"
    case .store: "waiting for the store"
    case .retrying: "waiting to try again"
    case .noWorker: "no worker that takes work"
    case .priority: "behind jobs of higher priority"
    case .behindOthers: "behind other jobs"
    case .handingOut: "waiting to be given out"
    case .blocked: "waiting for results of other tasks"
    case .behindOwn: "behind the job's own chunks"
    case .quota: "held by quotas"
    case .unfit: "no worker with what is needed"
    case .setAside: "set aside"
    case .leaderless: "no coordinator led"
    case .unqueued: "nothing queued"
    }
  }
}

/// The moments of a job at which tasks that waited had these reasons, in microseconds since its submission. Several may be at once.
package struct JobMoments: Hashable, Sendable {
  package var stopped: [Range<Int>] = []
  package var paused: [Range<Int>] = []
  package var drained: [Range<Int>] = []
  /// A worker took work.
  package var served: [Range<Int>] = []
  /// The submitter's quota was reached.
  package var quota: [Range<Int>] = []
  /// No worker that took work had what the job needs.
  package var unfit: [Range<Int>] = []
  /// Another job was in progress whose priority is higher.
  package var prior: [Range<Int>] = []
  /// Another job was in progress.
  package var others: [Range<Int>] = []
  /// The moments in which tasks waited for what a replaced job had begun, by task.
  package var awaiting: [Int64: Range<Int>] = [:]

  package init() {}
}

/// The time that one part took.
package struct JobTimeShare: Hashable, Sendable, Codable {
  package var part: JobTimePart
  package var seconds: Double

  package init(_ part: JobTimePart, _ seconds: Double) { (self.part, self.seconds) = (part, seconds) }
}

/// The place where the time of the farm's slots went, in seconds of a slot.
package struct FarmTime: Hashable, Sendable, Codable {
  /// The beginning of the first ten minutes that were counted, in UTC; nil where nothing was.
  package var since: String?
  /// The parts. They add up to the slots that there were.
  package var time: [JobTimeShare]

  package init(since: String?, time: [JobTimeShare]) { (self.since, self.time) = (since, time) }
}

extension [JobTimeShare] {
  /// The parts in words, the longest first, such as "60 % compositing, 40 % encoding". The shares add up to 100. Parts below half
  /// a percent are left out.
  package var words: String {
    percentages.map { "\($0.percent) % \($0.part.words)" }.joined(separator: ", ")
  }

  /// The whole percentages of the parts, the longest first. What is lost by rounding goes to those that lost most by it (the
  /// method of the largest remainder).
  var percentages: [(part: JobTimePart, percent: Int)] {
    let total = reduce(0) { $0 + $1.seconds }
    guard total > 0 else { return [] }
    var shares = map { (part: $0.part, exact: $0.seconds / total * 100, percent: Int($0.seconds / total * 100)) }
    let missing = Swift.min(Swift.max(100 - shares.reduce(0) { $0 + $1.percent }, 0), shares.count)
    let order = shares.indices.sorted {
      (shares[$1].exact - Double(shares[$1].percent), $0) < (shares[$0].exact - Double(shares[$0].percent), $1)
    }
    for index in order.prefix(missing) { shares[index].percent += 1 }
    return shares.enumerated().filter { $0.element.percent > 0 }
      .sorted { ($1.element.exact, $0.offset) < ($0.element.exact, $1.offset) }.map { ($0.element.part, $0.element.percent) }
  }
}
