import Document
import EditFiles
import FarmTesting
import Media
import MediaTime
import Messages
import Rendering
import Scenes
import Timeline

/// A folder with synthetic footage, and attempts run in it without a farm.
final class Workshop {
  private let directory = TemporaryDirectory()
  let job: String
  /// The cache in which attempts find segments; nil where they look for none.
  var cache: SegmentCache?
  /// The time for which attempts wait for what others survey.
  var surveyPatience = Duration.seconds(30)
  /// The reports of the last attempt.
  private(set) var reports: [AttemptReport] = []
  /// The chunks of the last movie, in order.
  private(set) var chunks: [PictureProof] = []
  /// The proof of the last movie that was muxed.
  private(set) var muxed: FileProof?
  /// The proof of the last movie that was published.
  private(set) var published: FileProof?
  /// The other folders in which sources may lie.
  private let roots: [String]
  var policy: SourcePolicy { SourcePolicy(roots: [directory.path] + roots) }
  let store: SegmentStore

  /// - Parameter store: the folder of segments; nil for one of its own.
  init(roots: [String] = [], store: String? = nil, job: String = "workshop") {
    (self.roots, self.job) = (roots, job)
    self.store = SegmentStore(root: store ?? directory.file("store"))
  }

  func file(_ name: String) -> String { directory.file(name) }

  /// Writes a clip whose frames show their numbers.
  func clip(_ name: String, frameRate: String = "25", frameCount: Int, width: Int = 96, height: Int = 64) throws {
    try SyntheticSource(width: width, height: height, frameRate: frameRate, frameCount: frameCount)
      .write(to: file(name), ["-c:v", "libx264", "-qp", "0", "-g", "10", "-bf", "2"])
  }

  func edit(_ document: String) throws -> ResolvedTimeline {
    try document.write(toFile: file("edit.json"))
    return try editFile().edit
  }

  /// Reads a document and probes its media. By default it is the document that `edit` wrote.
  func editFile(_ path: String? = nil) throws -> EditFile {
    let document = try DocumentFile(path: path ?? file("edit.json"))
    return try EditFile(document, ProbedAssets(document.assets[...], policy: policy), policy)
  }

  /// Runs one attempt, which must succeed.
  ///
  /// - Parameter amendments: gives the amendments that the order gets before each frame.
  /// - Returns: the attempt with its proof.
  /// - Throws: the `Failure` that it reported.
  @discardableResult
  func run(
    _ work: Work, task: Int64, attempt: Int = 1, of edit: ResolvedTimeline, output: String, overwrites: Bool = true,
    submitter: String = "ada",
    amendments: @escaping () -> [OrderAmendment] = { [] }
  ) throws -> Winner<Proof> {
    let key = AttemptKey(task: task, attempt: attempt)
    reports = []
    let order = order(work, key, of: edit, output: output, overwrites: overwrites, submitter: submitter)
    AttemptRunner(
      order: order, store: store, policy: policy, cache: cache, surveyPatience: surveyPatience, amendments: amendments
    ) { self.reports.append($0) }
    .run()
    switch reports.last {
    case .finished(let proof): return Winner(key: key, proof: proof)
    case .failed(let failure): throw failure
    case .keyed, .progress, .composing, .shortened, nil: throw Failure(.bug, at: "attempt", "ended without a result")
    }
  }

  /// The order of an attempt.
  func order(
    _ work: Work, _ key: AttemptKey, of edit: ResolvedTimeline, output: String, overwrites: Bool = true, submitter: String = "ada"
  ) -> AttemptOrder {
    let facts = Dictionary(uniqueKeysWithValues: edit.facts.map { ($0.key.rawValue, $0.value) })
    let spec = JobSpec(
      document: String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self), facts: facts, output: file(output),
      overwrites: overwrites, keepsSegments: true, submitter: submitter)
    return AttemptOrder(job: job, key: key, work: work, spec: spec)
  }

  /// Renders the edit in chunks that start at `borders`, and returns the movie's path.
  ///
  /// - Parameter sound: the parts of its sound; none is one piece.
  func movie(of edit: ResolvedTimeline, borders: [Int], sound parts: [Range<Int64>] = [], output: String) throws -> String {
    let ends = try borders.dropFirst() + [edit.frameCount]
    let pictures = try zip(borders, ends).enumerated().map { index, range in
      let frames = FrameRange(first: range.0, count: range.1 - range.0)
      return try run(.picture(frames), task: Int64(index + 1), of: edit, output: output)
    }
    chunks = pictures.compactMap { if case .picture(let proof) = $0.proof { proof } else { nil } }
    let works = parts.isEmpty ? edit.audio == nil ? [] : [Work.sound] : parts.map { .soundPart(SampleRange($0)) }
    let sound = try works.enumerated().map { try run($1, task: 1000 + Int64($0), of: edit, output: output) }
    let muxed = try run(.mux(of: pictures + sound), task: 2001, of: edit, output: output)
    self.muxed = muxed.proof.file
    published = try run(.publish(of: muxed), task: 2002, of: edit, output: output).proof.file
    return file(output)
  }
}

extension Workshop {
  /// Changes one byte in the middle of a winner's segment file.
  func damage(_ winner: Winner<Proof>) throws {
    let path = store.path(winner.proof.file.path)
    var bytes = try [UInt8](contentsOf: path)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(toFile: path)
  }
}
