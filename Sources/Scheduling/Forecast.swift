internal import Messages

/// When jobs will be done: what is left on the farm, played forward as it is given out (docs/scheduling.md).
///
/// Each slot takes the next task by priority and by turns of the submitters, for as long as such a task is expected to take, a job's sound before
/// its chunks; what follows a job's last part is begun at once, on a lane beside the slots. Nobody fails, comes or goes, and all workers are equally fast.
package struct Forecast {
  /// Seconds until each job's movie is there; always positive. Missing for what cannot be told: paused jobs, those that no worker may take,
  /// and all of them while nothing is given out.
  package private(set) var secondsLeft: [String: Double] = [:]

  private var jobs: [Left]
  /// The jobs of each submitter that have tasks to begin, the next one last.
  private var lines: [String: [Int]] = [:]
  private var submitters: [String: FairShare.Submitter]
  private var free: Int
  private var now = 0.0
  /// Tasks that run, the one that ends first last.
  private var running: [(end: Double, job: Int)] = []

  /// What is left of a job.
  private struct Left {
    let job: FarmQueue.Job
    /// Slots that could take its tasks.
    let slots: Int
    /// Tasks to begin, the sound among them.
    var ready: Int
    var soundSeconds: Double?
    /// Parts that run.
    var open = 0
    /// Seconds from its last part to its end.
    var tail: Double

    init(of job: FarmQueue.Job, slots: Int) {
      (self.job, self.slots, soundSeconds) = (job, slots, job.soundSeconds)
      ready = job.chunks + (job.soundSeconds == nil ? 0 : 1)
      tail = Forecast.tailSeconds(frames: job.frameCount)
    }

    /// Of what waits for slots.
    var seconds: Double { Double(ready - (soundSeconds == nil ? 0 : 1)) * job.chunkSeconds + (soundSeconds ?? 0) }
  }

  package init(_ queue: FarmQueue) {
    let slots = queue.isGivingOut ? queue.workers.reduce(0) { $0 + $1.slots } : 0
    jobs = queue.jobs.map { Left(of: $0, slots: Self.slots(of: queue.workers, for: $0.needs)) }
    submitters = queue.submitters
    free = slots - queue.jobs.reduce(0) { $0 + $1.running.count { !$0.kind.isLast } }
    guard slots > 0 else { return }
    for index in jobs.indices { enter(index) }
    let all = jobs.map(\.job)
    lines = lines.mapValues { $0.sorted { Self.isBefore(all[$1], all[$0]) } }
    play(mostTasks: Self.mostTasks)
    if !running.isEmpty { estimateRest(slots: slots) }
  }

  /// Begun one by one, before the rest is reckoned by the work alone: a tenth of a second or so.
  private static let mostTasks = 20_000

  /// From a job's last part to its movie: packets are copied, and files are named. A guess: stores are not equally fast.
  package static func tailSeconds(frames: Int) -> Double { 0.4 + Double(frames) * 0.0002 }

  private static func slots(of workers: [FarmQueue.Worker], for needs: Capabilities) -> Int {
    workers.reduce(0) { $0 + ($1.capabilities.cover(needs) ? $1.slots : 0) }
  }

  private static func isBefore(_ a: FarmQueue.Job, _ b: FarmQueue.Job) -> Bool {
    a.priority == b.priority ? a.number < b.number : a.priority > b.priority
  }

  /// Notes what runs of a job, and that it wants slots.
  private mutating func enter(_ index: Int) {
    let job = jobs[index].job
    for attempt in job.running {
      if !attempt.kind.isLast { submitters[job.submitter]?.slotsLeft? -= 1 }
      if attempt.kind.isLast { jobs[index].tail = attempt.kind.tail(attempt.secondsLeft, job.frameCount) }
      run(index, for: attempt.kind.isLast ? jobs[index].tail : attempt.secondsLeft, isTail: attempt.kind.isLast)
    }
    guard !job.isPaused, jobs[index].slots > 0 else { return }
    if jobs[index].ready > 0 { lines[job.submitter, default: []].append(index) }
    if jobs[index].ready == 0, job.running.isEmpty { beginTail(index) }
  }

  private mutating func run(_ index: Int, for seconds: Double, isTail: Bool) {
    if isTail { jobs[index].open = -1 } else { jobs[index].open += 1 }
    let end = now + seconds
    var (low, high) = (0, running.count)
    while low < high {
      let middle = (low + high) / 2
      if running[middle].end > end { low = middle + 1 } else { high = middle }
    }
    running.insert((end, index), at: low)
  }

  /// It takes a lane, and waits for none.
  private mutating func beginTail(_ index: Int) {
    run(index, for: jobs[index].tail, isTail: true)
  }

  private mutating func play(mostTasks: Int) {
    var begun = 0
    while true {
      while free > 0, begun < mostTasks, let next = next() {
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

  /// The job whose task is given out next.
  private mutating func next() -> Int? {
    var best: (index: Int, spent: Double)?
    for (submitter, line) in lines {
      guard let standing = submitters[submitter], standing.slotsLeft.map({ $0 > 0 }) ?? true,
        let index = line.last(where: { jobs[$0].open < jobs[$0].slots })
      else { continue }
      let head = (index: index, spent: max(standing.spent, standing.turn))
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
    let isSound = jobs[index].soundSeconds != nil
    let seconds = isSound ? jobs[index].soundSeconds ?? 0 : jobs[index].job.chunkSeconds
    if isSound { jobs[index].soundSeconds = nil }
    jobs[index].ready -= 1
    // Mostly it is the last one; the others are looked through where that one may take no more slots.
    if jobs[index].ready == 0, let place = lines[submitter]?.lastIndex(of: index) { lines[submitter]?.remove(at: place) }
    free -= 1
    if var standing = submitters[submitter] {
      standing.slotsLeft? -= 1
      standing.spent = max(standing.spent, standing.turn) + seconds / Double(standing.weight)
      submitters[submitter] = standing
    }
    run(index, for: seconds, isTail: false)
  }

  /// Of what is too much to be played: by the work that goes before it.
  private mutating func estimateRest(slots: Int) {
    var ends: [Int: Double] = [:]
    for (end, index) in running { ends[index] = max(ends[index] ?? 0, end) }
    var end = now
    for index in jobs.indices.sorted(by: { Self.isBefore(jobs[$0].job, jobs[$1].job) }) {
      let left = jobs[index]
      guard secondsLeft[left.job.id] == nil, !left.job.isPaused, left.slots > 0 else { continue }
      end += left.seconds / Double(min(slots, left.slots))
      secondsLeft[left.job.id] = max(end, ends[index] ?? 0) + (left.open < 0 ? 0 : left.tail)
    }
  }
}

extension TaskKind {
  fileprivate var isLast: Bool { self == .mux || self == .publish }

  /// Seconds to the job's end, where an attempt of this kind has so many left.
  fileprivate func tail(_ left: Double, _ frames: Int) -> Double { self == .mux ? left + 0.1 : left }
}
