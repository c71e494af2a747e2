package import Messages

/// The order in which jobs are given tasks.
///
/// Light tasks (muxes and publications) go before all else, in lanes of their own. They are short, somebody waits for a movie
/// that is almost done, and they take nothing from anybody's share. Then the highest priority goes first, and waiting raises a
/// priority.
///
/// Among jobs of one priority, submitters take turns by start-time fair queueing (Goyal, Vin, Cheng 1996). Each submitter has a
/// virtual time. Each task moves it on by the task's estimated cost over the submitter's weight. The submitter with the earliest
/// time goes next. A submitter who had nothing to do for a while begins at the present, so rest earns no credit. The jobs of one
/// submitter go in the order of their submission.
package struct FairShare: Sendable {
  /// A job that has ready tasks.
  package struct Job: Hashable, Sendable {
    package var id: String
    package var submitter: String
    /// The job's own priority plus the levels gained by waiting. A submitter's jobs of one priority gain the same levels.
    package var priority: Int
    /// The job's place in the order of submission.
    package var number: Int64
    /// The number of ready tasks. It is 0 when the list is cut off and nothing before the cut can be given out.
    package var ready: Int
    /// The estimated cost of each ready task.
    package var cost: Double
    /// The cost of the first ready task, if it differs: the sound comes before the chunks.
    package var firstCost: Double?
    /// The ready tasks that were charged already, as positions from 0: they were split off chunks that were charged as a whole.
    package var charged: Set<Int>
    package var needs: Capabilities
    /// Whether the job's ready task is light. Then it is the only one.
    package var isLight: Bool
    /// The workers that may write the job's movie; nil means all.
    package var writers: Set<String>?
    /// Whether the list is cut off here. There may be more ready tasks, or more jobs of this submitter with the same needs and
    /// priority.
    package var isCut: Bool
    /// The number of ready tasks that were given out.
    fileprivate var given = 0

    package init(
      id: String, submitter: String, priority: Int, number: Int64, ready: Int, cost: Double, firstCost: Double? = nil,
      charged: Set<Int> = [], needs: Capabilities = Capabilities(), isLight: Bool = false, writers: Set<String>? = nil,
      isCut: Bool = false
    ) {
      (self.id, self.submitter, self.priority, self.number) = (id, submitter, priority, number)
      (self.ready, self.cost, self.firstCost, self.charged) = (ready, cost, firstCost, charged)
      (self.needs, self.isLight, self.writers, self.isCut) = (needs, isLight, writers, isCut)
    }
  }

  package struct Submitter: Hashable, Sendable {
    /// The submitter's weight; positive.
    package var weight: Int
    /// The number of attempts that may still be opened under the quota; nil without a quota.
    package var slotsLeft: Int?
    /// Whether the quota is 0. Then no light task is begun either, although it would take no slot.
    package var isShut: Bool
    /// The virtual time at which the submitter's next turn comes, unless the present is later.
    package var spent: Double
    /// The virtual time of the submitter's last turn.
    package var turn: Double

    package init(weight: Int = 1, slotsLeft: Int? = nil, isShut: Bool = false, spent: Double = 0, turn: Double = 0) {
      (self.weight, self.slotsLeft, self.isShut, self.spent, self.turn) = (weight, slotsLeft, isShut, spent, turn)
    }
  }

  /// A number of tasks of one job.
  package struct Share: Hashable, Sendable {
    package var job: String
    package var needs: Capabilities
    package var count: Int

    package init(job: String, needs: Capabilities, count: Int) { (self.job, self.needs, self.count) = (job, needs, count) }
  }

  package private(set) var submitters: [String: Submitter]
  /// The present: the virtual time of the last turn of any submitter.
  private var turn: Double
  /// Whether the division reached a job whose list is cut off. Others may then have got its slots, so the caller asks again with
  /// more jobs.
  package private(set) var isShort = false

  package init(submitters: [String: Submitter], turn: Double) { (self.submitters, self.turn) = (submitters, turn) }

  /// Divides the slots among jobs, and charges the submitters.
  ///
  /// Submitters are compared by their virtual times and by the present as it was at the start. Each turn moves the present on,
  /// but that changes the order only in the next division. So n slots need no more than the first n submitters.
  ///
  /// - Parameter jobs: jobs of known submitters.
  /// - Returns: the jobs in the order of their first task.
  package mutating func divide(_ jobs: [Job], among offers: [Offer]) -> [Share] {
    var queues = Dictionary(grouping: jobs.filter { !$0.isLight }, by: \.submitter)
      .mapValues { $0.sorted { Self.isFirst($1, $0) } }
    var left = offers
    var (shares, places) = (giveLight(jobs, &left), [String: Int]())
    let present = turn
    var offers = left.mergedByCapabilities
    var heads = queues.keys.compactMap { head(of: $0, &queues, offers) }
    for _ in 0..<Offer.limit - shares.count {
      guard let next = heads.indices.min(by: { isBefore(heads[$0], heads[$1], present) }),
        let offer = offers.best(for: heads[next].job.needs)
      else { break }
      let job = heads[next].job
      guard job.ready > 0 else {
        isShort = true
        return shares
      }
      offers[offer].slots -= 1
      take(job, &queues)
      if let place = places[job.id] {
        shares[place].count += 1
      } else {
        places[job.id] = shares.count
        shares.append(Share(job: job.id, needs: job.needs, count: 1))
      }
      if offers[offer].slots == 0 {
        heads = queues.keys.compactMap { head(of: $0, &queues, offers) }
      } else if let following = head(of: job.submitter, &queues, offers) {
        heads[next] = following
      } else {
        heads.swapAt(next, heads.count - 1)
        heads.removeLast()
      }
    }
    return shares
  }

  /// Gives light tasks to lanes, or to slots, by priority and then by order of submission.
  private func giveLight(_ jobs: [Job], _ offers: inout [Offer]) -> [Share] {
    let light = jobs.filter { $0.isLight && submitters[$0.submitter]?.isShut == false }.sorted(by: Self.isFirst)
    return light.prefix(Offer.limit).compactMap { job in
      guard let offer = offers.best(light: job.needs, among: job.writers) else { return nil }
      offers.takeLane(of: offer)
      return Share(job: job.id, needs: job.needs, count: 1)
    }
  }

  /// A submitter's next job, and the submitter's virtual time.
  private typealias Head = (job: Job, spent: Double)

  /// The submitter's next job; nil when the quota is used up or nothing fits an offer.
  private func head(of submitter: String, _ queues: inout [String: [Job]], _ offers: [Offer]) -> Head? {
    guard let standing = submitters[submitter], standing.slotsLeft != 0 else { return nil }
    while let job = queues[submitter]?.last {
      if offers.best(for: job.needs) != nil { return (job, standing.spent) }
      // A job that fits no offer now fits none later, because offers only shrink.
      queues[submitter]?.removeLast()
    }
    return nil
  }

  private func isBefore(_ a: Head, _ b: Head, _ present: Double) -> Bool {
    a.job.priority == b.job.priority
      ? (max(a.spent, present), a.job.number) < (max(b.spent, present), b.job.number) : a.job.priority > b.job.priority
  }

  /// Charges a submitter for a second attempt at a task. It takes no turn, because only idle slots make it.
  package mutating func charge(_ submitter: String, cost: Double) {
    guard var charged = submitters[submitter] else { return }
    charged.spent = max(charged.spent, turn) + cost / Double(charged.weight)
    submitters[submitter] = charged
  }

  private mutating func take(_ job: Job, _ queues: inout [String: [Job]]) {
    guard var submitter = submitters[job.submitter], var queue = queues[job.submitter], !queue.isEmpty else { return }
    turn = max(submitter.spent, turn)
    let cost = job.charged.contains(job.given) ? 0 : job.given == 0 ? job.firstCost ?? job.cost : job.cost
    (submitter.turn, submitter.spent) = (turn, turn + cost / Double(submitter.weight))
    submitter.slotsLeft = submitter.slotsLeft.map { $0 - 1 }
    submitters[job.submitter] = submitter
    queue[queue.count - 1].ready -= 1
    queue[queue.count - 1].given += 1
    // A job whose list is cut off stays in the queue, because what follows it is not known.
    if queue[queue.count - 1].ready == 0, !job.isCut { queue.removeLast() }
    queues[job.submitter] = queue
  }

  private static func isFirst(_ a: Job, _ b: Job) -> Bool {
    a.priority == b.priority ? a.number < b.number : a.priority > b.priority
  }
}
