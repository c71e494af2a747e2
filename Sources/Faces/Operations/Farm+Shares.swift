package import Ledger

/// The submitters whose shares somebody wants to see, and the change of one.
package struct SharesRequest: Hashable, Sendable, Codable {
  /// The name of a submitter; nil means all. A change needs one.
  package var submitter: String?
  /// The new weight; nil keeps the old one.
  package var weight: Int?
  /// The new quota; nil keeps the old one.
  package var slots: ShareChange.Slots?
  /// Whether the share becomes what everybody begins with: weight 1 and no quota.
  package var resets = false
  /// Whether an unknown submitter is entered.
  package var entersNew = false

  package init(submitter: String? = nil) { self.submitter = submitter }

  package static let weights = 1...1000
  package static let quotas = 0...1_000_000

  /// The change that is asked for; nil when there is none.
  func change() throws(Complaint) -> ShareChange? {
    let isChange = weight != nil || slots != nil
    guard isChange || resets || entersNew else { return nil }
    guard let submitter else { throw Complaint("submitter", "required, to change a share", .usage) }
    guard SubmitterName.isValid(submitter) else { throw Complaint("submitter", SubmitterName.expectation, .usage) }
    guard !resets || !isChange else { throw Complaint("resets", "sets `weight` and `slots` by itself", .usage) }
    if let weight, !Self.weights.contains(weight) { throw Complaint("weight", "is not from 1 to 1000", .usage) }
    if let limit = slots?.limit, !Self.quotas.contains(limit) { throw Complaint("slots", "is not from 0 to 1000000", .usage) }
    var change = resets ? ShareChange.reset : ShareChange(weight: weight, slots: slots)
    change.entersNew = entersNew
    return change
  }
}

/// The submitters' shares of a farm.
package struct Shares: Hashable, Sendable, Codable {
  package var submitters: [SubmitterStatus]
}

/// A worker, or the farm, that is to be drained or given work again, or was just now.
package struct Drainage: Hashable, Sendable, Codable {
  /// The worker's name; nil means the whole farm.
  package var worker: String?
  package var isDrained: Bool

  package init(worker: String?, isDrained: Bool) { (self.worker, self.isDrained) = (worker, isDrained) }
}

extension Farm {
  /// Changes a submitter's share, if that is asked for.
  ///
  /// - Returns: the shares of the submitter, or of all, afterwards.
  /// - Throws: a complaint of the class `noInput` when there is no such submitter.
  package func shares(_ request: SharesRequest) throws(Complaint) -> Shares {
    try complaining {
      let change = try request.change()
      if let submitter = request.submitter, let change, try !ledger.change(submitter: submitter, change) {
        throw Self.unknown(submitter: submitter)
      }
      let submitters = try ledger.submitters().filter { request.submitter == nil || $0.name == request.submitter }
      if let submitter = request.submitter, submitters.isEmpty { throw Self.unknown(submitter: submitter) }
      return Shares(submitters: submitters)
    }
  }

  /// Drains a worker or the farm, or gives it work again. Both have the same effect when they were asked for before.
  ///
  /// - Throws: a complaint of the class `noInput` when there is no such worker.
  package func drain(_ drainage: Drainage) throws(Complaint) -> Drainage {
    try complaining {
      guard try ledger.drain(worker: drainage.worker, drainage.isDrained) else {
        throw Complaint(drainage.worker ?? "", "no such worker", .noInput)
      }
      return drainage
    }
  }

  private static func unknown(submitter: String) -> Complaint {
    Complaint(submitter, "no such submitter; `entersNew` enters one that has submitted nothing yet", .noInput)
  }
}
