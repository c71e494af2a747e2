/// Why an attempt failed, classed once, where it happened.
package struct Failure: Error, Hashable, Sendable, Codable, CustomStringConvertible {
  package enum Class: String, Hashable, Sendable, Codable, CaseIterable {
    /// The edit or its media are at fault: the same anywhere, so the job fails at once.
    case content
    /// This machine is at fault (file not reachable, killed for memory): try elsewhere.
    case worker
    /// A source that was there when the job was submitted cannot be found or read here: try elsewhere, and wait.
    case source
    /// The segment store or the output's folder is full or cannot be reached, for whoever tries: wait.
    case store
    /// Passing trouble (a lost worker, a deadline): try again.
    case transient
    /// Our bug (a broken invariant, a crash): try again, within the limit.
    case bug
  }

  package var `class`: Class
  /// What it concerns: an asset, a track, a path in the document, a file.
  package var place: String
  package var reason: String
  /// Winners whose segment files the attempt found missing or damaged: their tasks are opened again, the failed one waits
  /// for them, and it is no fault of its own.
  package var damaged: [AttemptKey]

  package init(_ class: Class, at place: String, _ reason: String, damaged: [AttemptKey] = []) {
    (self.class, self.place, self.reason, self.damaged) = (`class`, place, reason, damaged)
  }

  package var description: String { "\(place): \(reason)" }
}
