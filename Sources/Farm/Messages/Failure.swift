/// The cause of an attempt's failure. It is classed once, where it happened.
package struct Failure: Error, Hashable, Sendable, Codable, CustomStringConvertible {
  package enum Class: String, Hashable, Sendable, Codable, CaseIterable {
    /// The edit or its media are at fault. It would fail anywhere, so the job fails at once.
    case content
    /// This machine is at fault: a file is not reachable, or memory ran out. Another worker is tried.
    case worker
    /// A source that was there at submission cannot be found or read here, or its server does not answer. Another worker is
    /// tried, and the task waits.
    case source
    /// The segment store or the output's folder is full or cannot be reached, by anybody. The task waits.
    case store
    /// The trouble will pass: a lost worker, a deadline. The task is tried again.
    case transient
    /// Spool has a bug: a broken invariant, a crash. The task is tried again, within a limit.
    case bug
  }

  package var `class`: Class
  /// The thing that failed: an asset, a track, a path in the document, a file.
  package var place: String
  package var reason: String
  /// Winners whose segment files the attempt found missing or damaged. Their tasks become ready again, and the failed task waits
  /// for them. The failure does not count against its task.
  package var damaged: [AttemptKey]

  package init(_ class: Class, at place: String, _ reason: String, damaged: [AttemptKey] = []) {
    (self.class, self.place, self.reason, self.damaged) = (`class`, place, reason, damaged)
  }

  package var description: String { "\(place): \(reason)" }
}
