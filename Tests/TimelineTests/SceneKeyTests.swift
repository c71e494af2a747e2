import FarmTesting
import FoundationEssentials
import Scenes
import Testing
import Timeline

/// Tests whether scenes that differ have bytes that differ. In the long form (`scripts/check-keys`) the environment says how many
/// documents are tried, and from which seed on.
@Suite struct `Scenes of changed documents` {
  private static let environment = ProcessInfo.processInfo.environment
  private static let first = environment["SPOOL_KEY_SEED"].flatMap { UInt64($0) } ?? 0
  private static let count = environment["SPOOL_KEY_COUNT"].flatMap { UInt64($0) } ?? 150

  /// The scenes that were met, by their bytes.
  private struct Register {
    private var scenes: [[UInt8]: Scene] = [:]
    private(set) var renditions = 0
    private(set) var edits = 0
    /// A digest of all bytes in their order (FNV-1a).
    private(set) var digest: UInt64 = 0xcbf2_9ce4_8422_2325

    var distinct: Int { scenes.count }

    /// Notes some scenes of an edit.
    mutating func add(_ edit: ResolvedTimeline, _ indices: [Int], _ comment: String) throws {
      edits += 1
      let (reel, shares) = (SceneReel(edit), WrittenShares())
      for index in indices {
        let scene = try edit.scene(at: index)
        guard let bytes = try scene.rendition() else { continue }
        // What is kept from one frame to the next changes nothing.
        #expect(try reel.scene(at: index).rendition(sharing: shares) == bytes, "\(comment), frame \(index)")
        renditions += 1
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let pathless = scene.withoutPaths
        // The scenes are too long for a message.
        let differs = scenes.updateValue(pathless, forKey: bytes).map { $0 != pathless } ?? false
        #expect(!differs, "\(comment), frame \(index): other scenes with the same bytes")
      }
    }

    /// Forgets the scenes, so that memory does not grow.
    mutating func forget() { scenes = [:] }
  }

  @Test func `have the same bytes only where they are the same but for paths`() throws {
    // A change to a document of a thousand clips is seldom seen, and takes long to read.
    let documents = try (Examples.documents().map(\.text) + Examples.random(60)).filter { $0.count < 10_000 }
    let trees = try documents.map { try JSON(parsing: String(decoding: $0, as: UTF8.self)) }
    let originals = try documents.map { try Examples.edit($0) }
    let pool = MutationPool(trees)
    var register = Register()
    var distinct = 0
    for seed in Self.first..<Self.first + Self.count {
      var mutation = DocumentMutation(seed: seed, pool)
      let document = mutation.int(0...trees.count - 1)
      // Most changes make a document invalid. It is passed over.
      guard let edit = try? Examples.edit(mutation.mutated(trees[document]).bytes), let count = try? edit.frameCount, count > 0
      else { continue }
      let indices = (0..<4).map { _ in mutation.int(0...count - 1) }
      try register.add(edit, indices, "seed \(seed)")
      let original = originals[document]
      try register.add(original, indices.filter { try $0 < original.frameCount }, "document \(document)")
      if register.distinct > 20_000 {
        distinct += register.distinct
        register.forget()
      }
    }
    distinct += register.distinct
    #expect(register.edits > Self.count / 10 && distinct > register.edits / 2)
    if Self.environment["SPOOL_KEY_COUNT"] != nil {
      Swift.print(
        "check-keys: \(register.edits) edits, \(register.renditions) frames, \(distinct) scenes, digest \(register.digest)")
    }
  }
}
