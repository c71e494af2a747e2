package import Ledger

/// The record of who did what, the newest first.
package struct Audit: Hashable, Sendable, Codable {
  package var entries: [AuditEntry]
  /// The row before which the next page begins; nil on the last one.
  package var next: Int64?
}

extension Farm {
  /// The numbers of rows that may be asked for.
  package static let auditLimits = 1...1000

  package func audit(_ filter: AuditFilter) throws(Complaint) -> Audit {
    if let verb = filter.verb, !AuditFilter.verbs.contains(verb) {
      throw Complaint("verb", "'\(verb)' is none of \(AuditFilter.verbs.joined(separator: ", "))", .usage)
    }
    return try complaining {
      var asked = filter
      asked.limit += 1
      let found = try ledger.audit(asked)
      let entries = Array(found.prefix(filter.limit))
      return Audit(entries: entries, next: found.count > entries.count ? entries.last?.id : nil)
    }
  }
}

extension Farm {
  /// Writes down that a deed was refused before the database was asked.
  package func note(refused deed: Deed, _ reason: String) throws(Complaint) {
    try complaining { try ledger.note(refused: deed, reason) }
  }
}

extension AuditEntry {
  /// The record of who it was, in words: the caller that the program named, else the role; and from where.
  package var who: String { caller ?? role }
  package var origin: String { peer ?? address ?? "the database's machine" }
  /// The thing that the verb was for.
  package var object: String {
    if let job { return job }
    if let worker { return worker }
    if let webhook { return webhook }
    switch verb {
    case "share": return submitter ?? ""
    case "drain", "undrain": return "the farm"
    default: return changes.first { $0.fact == "jobs" }?.after.map { "\($0) jobs" } ?? "-"
    }
  }
  /// The changes in words, such as `state queued → cancelled`, or why it was refused.
  package var change: String {
    if let refusal { return "refused\(times > 1 ? " \(times) times" : ""): \(refusal)" }
    return changes.map { change in
      let after = change.after ?? "none"
      return before(change).map { "\(change.fact) \($0) → \(after)" } ?? "\(change.fact) \(after)"
    }.joined(separator: ", ")
  }

  private func before(_ change: Change) -> String? { verb == "submit" ? nil : change.before ?? "none" }
}
