package import Messages

/// Whose work goes next.
///
/// What joins and publishes does, before all else and in lanes of its own: it is short, somebody waits for a movie that is as good as done,
/// and it takes nothing from anybody's share. Then the job of the highest priority does, and waiting raises a priority. Among the jobs of one priority, submitters take turns
/// by start-time fair queueing (Goyal, Vin, Cheng 1996): each has a virtual time, which what it is given moves on by its
/// estimated cost over the submitter's weight, and the one whose time is the earliest goes next. Who had nothing to do for a
/// while begins at the present: rest earns no credit. A submitter's own jobs go in the order of their submission.
package struct FairShare: Sendable {
  /// A job that has ready tasks.
  package struct Job: Hashable, Sendable {
    package var id: String
    package var submitter: String
    /// What the job was given, and the levels that its submitter's jobs of that priority have gained by waiting: the same for all of them.
    package var priority: Int
    /// Order of submission.
    package var number: Int64
    /// Ready tasks; none where the job is cut and nothing before the cut can be given out.
    package var ready: Int
    /// Estimated cost of each.
    package var cost: Double
    /// Of the first one, where that is another: the sound comes before the chunks.
    package var firstCost: Double?
    /// Which of the ready ones, counted from zero in their order, were charged already: rests, with the chunks that they were split off.
    package var charged: Set<Int>
    package var needs: Capabilities
    /// Whether its ready task is light: then there is one.
    package var isLight: Bool
    /// The workers that may write its movie; nil: any.
    package var writers: Set<String>?
    /// Whether there may be more ready ones after these, or jobs of the submitter's with the same needs and priority that nothing is said of.
    package var isCut: Bool
    /// How many of the ready ones were given out.
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
    /// Positive.
    package var weight: Int
    /// Attempts that may be opened before the quota is reached; nil without one.
    package var slotsLeft: Int?
    /// Whether the quota is none at all: then nothing light is begun either, which takes no slot of others.
    package var isShut: Bool
    /// Virtual time at which its next turn comes, if the present is not later.
    package var spent: Double
    /// Virtual time of its last turn.
    package var turn: Double

    package init(weight: Int = 1, slotsLeft: Int? = nil, isShut: Bool = false, spent: Double = 0, turn: Double = 0) {
      (self.weight, self.slotsLeft, self.isShut, self.spent, self.turn) = (weight, slotsLeft, isShut, spent, turn)
    }
  }

  /// So many tasks of a job.
  package struct Share: Hashable, Sendable {
    package var job: String
    package var needs: Capabilities
    package var count: Int
  }

  package private(set) var submitters: [String: Submitter]
  /// The present: virtual time of the last turn of all.
  private var turn: Double
  /// Whether it came to what was cut off: then somebody else may have been given what was theirs, and it is asked again with more jobs.
  package private(set) var isShort = false

  package init(submitters: [String: Submitter], turn: Double) { (self.submitters, self.turn) = (submitters, turn) }

  /// Divides the slots, and charges the submitters.
  ///
  /// Who had less goes first by what was spent until now: the present moves on with each turn, but reorders nobody before the next division. So
  /// with n slots no more than n submitters are looked at, the first ones, whoever has jobs besides.
  ///
  /// - Parameter jobs: of known submitters.
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

  /// Gives light tasks to lanes and slots, in the order of priority and then of submission.
  private func giveLight(_ jobs: [Job], _ offers: inout [Offer]) -> [Share] {
    let light = jobs.filter { $0.isLight && submitters[$0.submitter]?.isShut == false }.sorted(by: Self.isFirst)
    return light.prefix(Offer.limit).compactMap { job in
      guard let offer = offers.best(light: job.needs, among: job.writers) else { return nil }
      offers.takeLane(of: offer)
      return Share(job: job.id, needs: job.needs, count: 1)
    }
  }

  /// The job that a submitter would be given a task of, and when the submitter's turn is.
  private typealias Head = (job: Job, spent: Double)

  /// Nil when the submitter's quota is used up, or nothing fits any offer.
  private func head(of submitter: String, _ queues: inout [String: [Job]], _ offers: [Offer]) -> Head? {
    guard let standing = submitters[submitter], standing.slotsLeft != 0 else { return nil }
    while let job = queues[submitter]?.last {
      if offers.best(for: job.needs) != nil { return (job, standing.spent) }
      // What fits no offer now fits none later: offers only shrink.
      queues[submitter]?.removeLast()
    }
    return nil
  }

  private func isBefore(_ a: Head, _ b: Head, _ present: Double) -> Bool {
    a.job.priority == b.job.priority
      ? (max(a.spent, present), a.job.number) < (max(b.spent, present), b.job.number) : a.job.priority > b.job.priority
  }

  /// Charges a submitter for an attempt that takes no turn, since only idle slots make it: one beside another.
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
    // One that was cut stays: what follows it is not known.
    if queue[queue.count - 1].ready == 0, !job.isCut { queue.removeLast() }
    queues[job.submitter] = queue
  }

  private static func isFirst(_ a: Job, _ b: Job) -> Bool {
    a.priority == b.priority ? a.number < b.number : a.priority > b.priority
  }
}
