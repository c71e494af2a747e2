internal import MediaTime
internal import Messages

/// The time at which jobs will be done. The work left on the farm is played forward as it would be given out
/// (docs/scheduling.md).
///
/// Each free slot takes the next task by priority and by turns of the submitters. It works on the task for as long as such a task
/// is expected to take. A job's sound comes before its chunks. When a job's last part is done, its mux begins at once, on a lane
/// beside the slots. The forecast assumes that nothing fails, that no worker comes or goes, and that all workers are equally
/// fast.
package struct Forecast {
  /// The seconds until each job's movie is there, by job; always positive. Paused jobs and jobs that no worker may take are
  /// missing. All jobs are missing while nothing is given out.
  package private(set) var secondsLeft: [String: Double] = [:]

  private var jobs: [Left]
  /// The jobs of each submitter that have tasks to begin, the next job last.
  private var lines: [String: [Int]] = [:]
  private var submitters: [String: FairShare.Submitter]
  /// The virtual time of the last turn of any submitter, as in `FairShare`.
  private var turn: Double
  private var free: Int
  private var now = 0.0
  /// The running tasks with their ends, the earliest end last.
  private var running: [(end: Double, job: Int)] = []

  /// The work that is left of a job.
  private struct Left {
    let job: FarmQueue.Job
    /// The number of slots that could take the job's tasks.
    let slots: Int
    /// The number of tasks to begin, the sound included.
    var ready: Int
    /// The number of parts of sound among them, which come first.
    var sounds: Int
    /// The number of chunks and sounds that run; -1 once the mux or the publication runs.
    var open = 0
    init(of job: FarmQueue.Job, slots: Int) {
      (self.job, self.slots, sounds) = (job, slots, job.sounds)
      ready = job.chunks + job.sounds
    }

    /// The seconds of work that wait for slots.
    var seconds: Double { Double(ready - sounds) * job.chunkSeconds + Double(sounds) * job.soundSeconds }
  }

  package init(_ queue: FarmQueue) {
    let slots = queue.isGivingOut ? queue.workers.reduce(0) { $0 + $1.slots } : 0
    jobs = queue.jobs.map { Left(of: $0, slots: Self.slots(of: queue.workers, for: $0.needs)) }
    (submitters, turn) = (queue.submitters, queue.turn)
    free = slots - queue.jobs.reduce(0) { $0 + $1.running.count { !$0.kind.isLast } }
    guard slots > 0 else { return }
    for index in jobs.indices { enter(index) }
    let all = jobs.map(\.job)
    lines = lines.mapValues { $0.sorted { Self.isBefore(all[$1], all[$0]) } }
    play(mostTasks: Self.mostTasks)
    if !running.isEmpty { estimateRest(slots: slots) }
  }

  /// The most tasks that are begun one by one, which takes about a tenth of a second. The rest is estimated from its amount
  /// alone.
  private static let mostTasks = 20_000

  /// The seconds from a job's last part to its movie, in which packets are copied and files are renamed. Long movies are joined while they are rendered,
  /// and only the rest of that is left. Stores are not equally fast: 0.02 ms a frame is what an hour of 1080p takes, 5 GB on a disk of its machine
  /// (docs/performance.md).
  ///
  /// - Parameter rendering: the seconds from the end of the job's first chunk to that of its last; 0 where the movie is joined at the end.
  package static func tailSeconds(frames: Int, rendering: Double = 0) -> Double {
    0.4 + max(0, Double(frames) * 0.00002 - (frames > WorkerState.joinedFrom ? max(0, rendering) : 0))
  }

  /// The seconds of a publication.
  private static let publishingSeconds = 0.1

  private static func slots(of workers: [FarmQueue.Worker], for needs: Capabilities) -> Int {
    workers.reduce(0) { $0 + ($1.capabilities.cover(needs) ? $1.slots : 0) }
  }

  private static func isBefore(_ a: FarmQueue.Job, _ b: FarmQueue.Job) -> Bool {
    a.priority == b.priority ? a.number < b.number : a.priority > b.priority
  }

  /// Enters a job with its running attempts, and queues it if it has tasks to begin.
  private mutating func enter(_ index: Int) {
    let job = jobs[index].job
    for attempt in job.running {
      if !attempt.kind.isLast { submitters[job.submitter]?.slotsLeft? -= 1 }
      run(index, for: attempt.secondsLeft + (attempt.kind == .mux ? Self.publishingSeconds : 0), isTail: attempt.kind.isLast)
    }
    guard !job.isPaused, jobs[index].slots > 0 else { return }
    if jobs[index].ready > 0 { lines[job.submitter, default: []].append(index) }
    if jobs[index].ready == 0, job.running.isEmpty { beginTail(index) }
  }

  private mutating func run(_ index: Int, for seconds: Double, isTail: Bool) {
    if isTail { jobs[index].open = -1 } else { jobs[index].open += 1 }
    let end = now + seconds
    running.insert((end, index), at: running.partitioningIndex { $0.end <= end })
  }

  /// Begins a job's mux, which takes a lane and waits for no slot.
  private mutating func beginTail(_ index: Int) {
    let job = jobs[index].job
    run(index, for: Self.tailSeconds(frames: job.frameCount, rendering: now - job.chunkSeconds), isTail: true)
  }

  private mutating func play(mostTasks: Int) {
    var begun = 0
    while true {
      // Turns are compared with the present before any of them, as a claim does.
      let present = turn
      while free > 0, begun < mostTasks, let next = next(at: present) {
        begin(next)
        begun += 1
      }
      guard begun < mostTasks, let ended = running.popLast() else { return }
      now = ended.end
      if jobs[ended.job].open > 0 {
        free += 1
        submitters[jobs[ended.job].job.submitter]?.slotsLeft? += 1
      }
      conclude(ended.job)
    }
  }

  private mutating func conclude(_ index: Int) {
    let job = jobs[index].job
    guard jobs[index].open > 0 else {
      if !job.isPaused { secondsLeft[job.id] = now }
      return
    }
    jobs[index].open -= 1
    if jobs[index].open == 0, jobs[index].ready == 0, !job.isPaused, jobs[index].slots > 0 { beginTail(index) }
  }

  /// The job whose task is given out next; nil when no job may begin one.
  private func next(at present: Double) -> Int? {
    var best: (index: Int, spent: Double)?
    for (submitter, line) in lines {
      guard let standing = submitters[submitter], standing.slotsLeft.map({ $0 > 0 }) ?? true,
        let index = line.last(where: { jobs[$0].open < jobs[$0].slots })
      else { continue }
      let head = (index: index, spent: max(standing.spent, present))
      if let other = best, !isBefore(head, other) { continue }
      best = head
    }
    return best?.index
  }

  private func isBefore(_ a: (index: Int, spent: Double), _ b: (index: Int, spent: Double)) -> Bool {
    let (first, second) = (jobs[a.index].job, jobs[b.index].job)
    return first.priority == second.priority
      ? (a.spent, first.number) < (b.spent, second.number) : first.priority > second.priority
  }

  private mutating func begin(_ index: Int) {
    let submitter = jobs[index].job.submitter
    let isSound = jobs[index].sounds > 0
    let seconds = isSound ? jobs[index].job.soundSeconds : jobs[index].job.chunkSeconds
    if isSound { jobs[index].sounds -= 1 }
    jobs[index].ready -= 1
    // The job is mostly the last of its line. It is another one when the last may take no more slots.
    if jobs[index].ready == 0, let place = lines[submitter]?.lastIndex(of: index) { lines[submitter]?.remove(at: place) }
    free -= 1
    if var standing = submitters[submitter] {
      standing.slotsLeft? -= 1
      turn = max(standing.spent, turn)
      (standing.turn, standing.spent) = (turn, turn + seconds / Double(standing.weight))
      submitters[submitter] = standing
    }
    run(index, for: seconds, isTail: false)
  }

  /// Estimates the jobs that were too many to play, from the work that goes before them.
  private mutating func estimateRest(slots: Int) {
    var ends: [Int: Double] = [:]
    for (end, index) in running { ends[index] = max(ends[index] ?? 0, end) }
    var end = now
    for index in jobs.indices.sorted(by: { Self.isBefore(jobs[$0].job, jobs[$1].job) }) {
      let left = jobs[index]
      guard secondsLeft[left.job.id] == nil, !left.job.isPaused, left.slots > 0 else { continue }
      end += left.seconds / Double(min(slots, left.slots))
      let parts = max(end, ends[index] ?? 0)
      let tail = Self.tailSeconds(frames: left.job.frameCount, rendering: parts - left.job.chunkSeconds)
      secondsLeft[left.job.id] = parts + (left.open < 0 ? 0 : tail)
    }
  }
}

extension TaskKind {
  fileprivate var isLast: Bool { self == .mux || self == .publish }
}
