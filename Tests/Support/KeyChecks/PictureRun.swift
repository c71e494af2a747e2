internal import Document
internal import EditFiles
internal import EditTesting
internal import Formats
internal import FoundationEssentials
internal import Media
internal import Messages
internal import Rendering
internal import Scenes
internal import Timeline

/// Draws frames that have one key, and compares their digests.
struct PictureRun {
  private struct Place: Hashable {
    let document: Int
    let frame: Int
  }

  private let documents: PictureDocuments
  /// The digests of frames, by their keys.
  private var digests: [String: String] = [:]
  /// The documents as they were, with the media of the first folder; nil for one that is refused.
  private var originals: [Int: EditFile?] = [:]
  private var triedPlaces: Set<Place> = []
  private(set) var report = KeyReport()

  init(_ documents: PictureDocuments) { self.documents = documents }

  mutating func tryDocument(_ seed: UInt64) throws {
    report.documents += 1
    var mutation = DocumentMutation(seed: seed, documents.pool)
    let place = mutation.int(0...documents.trees.count - 1)
    let tree = documents.trees[place]
    // In some only the media are others.
    let changed = mutation.int(0...7) == 0 ? tree : mutation.mutated(tree)
    let version = mutation.int(0...3) == 0 ? 1 : 0
    // Most changes make a document invalid. It is passed over.
    guard let file = try? documents.file(changed, in: version), let count = try? file.edit.frameCount, count > 0 else { return }
    report.edits += 1
    let frame = mutation.int(0...count - 1)
    try draw(file, frame, "seed \(seed)")
    guard let original = original(place) else { return }
    if try frame < original.edit.frameCount, triedPlaces.insert(Place(document: place, frame: frame)).inserted {
      try draw(original, frame, "document \(place)")
    }
    switch mutation.int(0...15) {
    case 0: try encode(.picture(FrameRange(first: frame, count: min(3, count - frame))), file, original, "seed \(seed)")
    case 1: try encode(.sound, file, original, "seed \(seed)")
    default: break
    }
  }

  private mutating func original(_ place: Int) -> EditFile? {
    if let original = originals[place] { return original }
    // An example that the small media contradict is passed over.
    let original = try? documents.file(documents.trees[place], in: 0)
    originals[place] = .some(original)
    return original
  }

  /// Draws a frame that has a key, and compares it with the earlier one of that key.
  private mutating func draw(_ file: EditFile, _ frame: Int, _ name: String) throws {
    guard let key = try key(of: .picture(FrameRange(first: frame, count: 1)), file) else { return }
    let renderer = PictureRenderer(edit: file.edit, policy: documents.policy, fonts: file.fonts)
    // A frame that cannot be drawn is in no movie.
    guard let picture = try? renderer.frame(frame) else { return }
    let digest = try picture.md5(withAlpha: file.edit.timeline.export.video.hasAlpha)
    report.drawn += 1
    report.note(key)
    guard let known = digests.updateValue(digest, forKey: key) else { return }
    report.sameKeys += 1
    if known != digest { report.fault("\(name), frame \(frame): another picture with the key \(key)") }
  }

  /// Encodes a part of two edits that has one key in both, and compares the bytes.
  private mutating func encode(_ work: Work, _ file: EditFile, _ original: EditFile, _ name: String) throws {
    guard let key = try key(of: work, file), try self.key(of: work, original) == key else { return }
    let (one, other) = (segment(work, file), segment(work, original))
    guard let one, let other else { return }
    report.encoded += 1
    if one != other { report.fault("\(name), \(work): another segment with the key \(key)") }
  }

  private func key(of work: Work, _ file: EditFile) throws -> String? {
    if case .picture(let frames) = work, try frames.first + frames.count > file.edit.frameCount { return nil }
    let (edit, policy) = (file.edit, documents.policy.pinned(to: file.edit))
    // Sources that cannot be read keep a segment from being rendered, too.
    guard let content = try SegmentContent(of: work, in: SceneReel(edit), spec(file), within: .own) else { return nil }
    return try SegmentKey(of: content, edit, policy)?.text
  }

  private func spec(_ file: EditFile) -> JobSpec {
    let facts = Dictionary(uniqueKeysWithValues: file.edit.facts.map { ($0.key.rawValue, $0.value) })
    return JobSpec(
      document: String(decoding: file.edit.timeline.canonicalJSON(), as: UTF8.self), facts: facts, fonts: file.fonts,
      output: "\(documents.folder)/m.mp4", overwrites: true, keepsSegments: false, submitter: "ada")
  }

  /// The digest of a segment's bytes; nil where it cannot be made.
  private func segment(_ work: Work, _ file: EditFile) -> String? {
    let folder = "\(documents.folder)/store-\(UUID())"
    // What stays is removed with the folder of the media.
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var digest: String?
    AttemptRunner(
      order: AttemptOrder(job: "check", key: AttemptKey(task: 1, attempt: 1), work: work, spec: spec(file)),
      store: SegmentStore(root: folder), policy: documents.policy
    ) { report in
      if case .finished(let proof) = report { digest = "\(proof.file.byteDigest)" }
    }.run()
    return digest
  }
}
