package import Timeline

/// All that an attempt's process is told, on its standard input, as one JSON line.
package struct AttemptOrder: Hashable, Sendable, Codable {
  package var job: String
  package var key: AttemptKey
  package var work: Work
  package var spec: JobSpec
  /// Seconds that it may show no progress; the coordinator ends it then, and a worker whose coordinator is away does so a little later.
  package var patience: Int?

  package init(job: String, key: AttemptKey, work: Work, spec: JobSpec, patience: Int? = nil) {
    (self.job, self.key, self.work, self.spec, self.patience) = (job, key, work, spec, patience)
  }

  /// Whether sources behind URLs are read.
  package var readsRemoteMedia: Bool {
    switch work {
    case .picture, .sound: spec.hasRemoteMedia
    case .mux, .publish: false
    }
  }
}

/// What is the same for all tasks of a job.
package struct JobSpec: Hashable, Sendable, Codable {
  /// The document in canonical JSON, asset paths absolute.
  package var document: String
  package var facts: [String: AssetFacts]
  /// What texts are drawn in. Nil where nobody said: the fonts that are installed, by their names.
  package var fonts: [FontFace]?
  /// Absolute path of the movie.
  package var output: String
  /// Whether a file that stands at `output` is replaced.
  package var overwrites: Bool
  /// Whether segment files stay after the movie is published.
  package var keepsSegments: Bool

  package init(
    document: String, facts: [String: AssetFacts], fonts: [FontFace]? = nil, output: String, overwrites: Bool, keepsSegments: Bool
  ) {
    (self.document, self.facts, self.fonts, self.output) = (document, facts, fonts, output)
    (self.overwrites, self.keepsSegments) = (overwrites, keepsSegments)
  }

  package var hasRemoteMedia: Bool { facts.values.contains { $0.version != nil } }
}

/// A line that amends an order while its attempt runs.
package enum OrderAmendment: Hashable, Sendable, Codable {
  /// A wish: to end a chunk before that frame, if none from there on was begun.
  case shorten(before: Int)
}

/// A line that an attempt's process writes to its standard output, as JSON.
package enum AttemptReport: Hashable, Sendable, Codable {
  /// Units (frames, sample blocks, packets) done of the total; also the sign of life that the progress deadline watches.
  case progress(done: Int64, total: Int64)
  /// The user's compositor that the frames from here on need; nil when they need none. What is told of a crash names it.
  case composing(String?)
  /// A promise: no frame from there on will ever be rendered by this attempt.
  case shortened(before: Int)
  case finished(Proof)
  case failed(Failure)
}
