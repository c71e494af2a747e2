package import Formats

/// The order of an attempt's process, which it reads from its standard input as one line of JSON.
package struct AttemptOrder: Hashable, Sendable, Codable {
  package var job: String
  package var key: AttemptKey
  package var work: Work
  package var spec: JobSpec
  /// The seconds that the attempt may go without progress; nil when nothing is known. Then the coordinator ends it. If the
  /// coordinator is away, the worker does so a little later.
  package var patience: Int?
  /// Whether somebody waits to see or hear what it makes; nil where nobody does.
  package var isAwaited: Bool?
  /// Whether it leaves the processor to an attempt beside it, which makes sound for which somebody waits; nil where it does not. The worker says so.
  package var yields: Bool?

  package init(job: String, key: AttemptKey, work: Work, spec: JobSpec, patience: Int? = nil, isAwaited: Bool = false) {
    (self.job, self.key, self.work, self.spec, self.patience) = (job, key, work, spec, patience)
    self.isAwaited = isAwaited ? true : nil
  }

  /// Whether the attempt reads sources behind URLs.
  package var readsRemoteMedia: Bool {
    switch work {
    case .picture, .sound, .soundPart: spec.hasRemoteMedia
    case .mux, .publish: false
    }
  }

  /// Whether the attempt needs its courier, which alone has the network, and writes in more than one folder.
  package var needsCourier: Bool { readsRemoteMedia || work.kind == .publish && (spec.object != nil || spec.copies != nil) }
}

extension MediaURL {
  /// The place of a movie in S3.
  ///
  /// - Parameter output: the output of a job; nil is returned for a path.
  package init?(objectAt output: String) {
    // A text that is no place in S3 is a path, or nothing.
    guard output.hasPrefix("s3://"), let url = try? MediaURL(output), url.path.utf8.last != UInt8(ascii: "/") else { return nil }
    self = url
  }
}

/// The part of an order that is the same for all tasks of a job.
package struct JobSpec: Hashable, Sendable, Codable {
  /// The document in canonical JSON, with absolute asset paths.
  package var document: String
  package var facts: [String: AssetFacts]
  /// The faces that texts are drawn in. Nil means the installed fonts, by their names.
  package var fonts: [FontFace]?
  /// The absolute path of the movie, or its place in S3 (`s3://bucket/key`).
  package var output: String
  /// Further places of the movie, of the same kinds; nil where there are none.
  package var copies: [String]?
  /// Whether files at the movie's places are replaced.
  package var overwrites: Bool
  /// Whether segment files stay in the store after the movie is published.
  package var keepsSegments: Bool
  /// The submitter, who finds chunks again that they had rendered before, and nobody else's; nil where nobody is named.
  package var submitter: String?
  /// Whether a chunk may be divided while it runs; nil where it may not.
  package var isDivisible: Bool?

  package init(
    document: String, facts: [String: AssetFacts], fonts: [FontFace]? = nil, output: String, copies: [String] = [],
    overwrites: Bool, keepsSegments: Bool, submitter: String? = nil
  ) {
    self.copies = copies.isEmpty ? nil : copies
    (self.document, self.facts, self.fonts, self.output) = (document, facts, fonts, output)
    (self.overwrites, self.keepsSegments, self.submitter) = (overwrites, keepsSegments, submitter)
  }

  package var hasRemoteMedia: Bool { facts.values.contains { $0.version != nil } }

  /// All places of the movie, the first one first.
  package var places: [String] { [output] + (copies ?? []) }

  /// The movie's place in S3; nil where it is a file or a folder.
  package var object: MediaURL? { MediaURL(objectAt: output) }
}

/// A change of an order while its attempt runs, as a line of JSON on its leash.
package enum OrderAmendment: Hashable, Sendable, Codable {
  /// A wish: end the chunk before this frame, if no frame from there on was begun.
  case shorten(before: Int)
}

/// A report of an attempt's process, as a line of JSON on its standard output.
package enum AttemptReport: Hashable, Sendable, Codable {
  /// The key of the segment, or nil where it has none. It is the first report of each attempt at a chunk or a sound, and is made before a byte of a
  /// source is decoded. The worker believes no later one.
  case keyed(String?)
  /// The units (frames, sample blocks or packets) done, of the total. The progress deadline watches that it grows.
  case progress(done: Int64, total: Int64)
  /// The user's compositor that the following frames need; nil when they need none. A report of a crash names it.
  case composing(String?)
  /// A promise: this attempt will never render a frame from this one on.
  case shortened(before: Int)
  case finished(Proof)
  case failed(Failure)
}
