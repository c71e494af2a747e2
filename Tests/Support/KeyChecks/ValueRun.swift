internal import EditTesting
internal import Formats
internal import Messages
internal import Rendering
internal import Scenes
internal import Timeline

/// The documents whose values are compared: the examples and random ones, without their media.
struct ValueDocuments: Sendable {
  let trees: [JSON]
  let pool: MutationPool
  let originals: [ResolvedTimeline]

  init() throws {
    // A change to a long document is seldom seen, and takes long to read.
    let documents = try (Examples.documents().map(\.text) + Examples.random(100)).filter { $0.count < 3_000 }
    trees = try documents.map { try JSON(parsing: String(decoding: $0, as: UTF8.self)) }
    originals = try documents.map { try Examples.edit($0) }
    pool = MutationPool(trees)
  }
}

/// Compares scenes that have one key.
struct ValueRun {
  /// All that decides a frame's segment, as values: it is compared as the types compare it, and the key as it was written.
  private struct Truth: Equatable {
    let scene: Scene
    let video: VideoCodecSettings
    /// The faces of the texts; nil where the frame has none.
    let fonts: [FontFace]?
  }

  private struct Place: Hashable {
    let document: Int
    let frame: Int
  }

  /// The intervals between the frames of a document that are looked at.
  private static let places = 7

  private let documents: ValueDocuments
  private var truths: [String: Truth] = [:]
  /// The keys of the documents as they were, nil where a frame has none.
  private var originals: [Place: String?] = [:]
  private(set) var report = KeyReport()

  init(_ documents: ValueDocuments) { self.documents = documents }

  /// The faces in which texts are drawn, as one machine finds them or as another one does.
  private static func fonts(_ digit: Character) -> [FontFace] {
    [
      FontFace(
        family: "DejaVu Sans", weight: 400, name: "DejaVu Sans", index: 0, byteCount: 757_076,
        digest: String(repeating: digit, count: 32)
      )
    ]
  }

  mutating func tryDocument(_ seed: UInt64) throws {
    report.documents += 1
    var mutation = DocumentMutation(seed: seed, documents.pool)
    let place = mutation.int(0...documents.trees.count - 1)
    // Most changes make a document invalid. It is passed over.
    guard let edit = try? Examples.edit(mutation.mutated(documents.trees[place]).bytes), let count = try? edit.frameCount,
      count > 0
    else { return }
    report.edits += 1
    // The key of a movie with a target has all of its frames.
    if edit.timeline.export.video.coding.coder.rateTarget != nil, mutation.int(0...63) > 0 { return }
    let reel = SceneReel(edit)
    let fonts = Self.fonts(mutation.int(0...7) == 0 ? "1" : "0")
    // The frames of a document are few, so that those of the document as it was are made once.
    let frame = (count - 1) * mutation.int(0...Self.places) / Self.places
    _ = try add(reel, frame, fonts, "seed \(seed)")
    if mutation.int(0...7) == 0 { try compareWithKept(edit, (0..<3).map { _ in mutation.int(0...count - 1) }, "seed \(seed)") }
    let original = documents.originals[place]
    guard try frame < original.frameCount, originals[Place(document: place, frame: frame)] == nil else { return }
    originals[Place(document: place, frame: frame)] = try add(SceneReel(original), frame, Self.fonts("0"), "document \(place)")
  }

  /// Compares scenes that are made one after the other, with what stays between them, with those that are made alone.
  private mutating func compareWithKept(_ edit: ResolvedTimeline, _ frames: [Int], _ name: String) throws {
    let (reel, shares) = (SceneReel(edit), WrittenShares())
    for frame in frames where try reel.scene(at: frame).rendition(sharing: shares) != edit.scene(at: frame).rendition() {
      report.fault("\(name), frame \(frame): other bytes with what was kept of the frame before")
    }
    report.kept += frames.count
  }

  /// Compares a frame with the earlier one that has its key.
  private mutating func add(_ reel: SceneReel, _ frame: Int, _ fonts: [FontFace], _ name: String) throws -> String? {
    let scene = try reel.edit.scene(at: frame)
    let spec = JobSpec(document: "", facts: [:], fonts: fonts, output: "/m.mp4", overwrites: false, keepsSegments: false)
    guard
      let content = try SegmentContent(of: .picture(FrameRange(first: frame, count: 1)), in: reel, spec, within: .all)
    else { return nil }
    report.scenes += 1
    report.note(content.digest)
    let truth = Truth(
      scene: scene.withoutPaths, video: reel.edit.timeline.export.video, fonts: scene.drawsText ? fonts : nil)
    // Values are too long for a message.
    if let known = truths.updateValue(truth, forKey: content.digest), known != truth {
      report.fault("\(name), frame \(frame): another scene, encoder or font with the same key")
    }
    return content.digest
  }
}
