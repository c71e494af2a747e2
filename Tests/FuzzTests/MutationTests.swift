import FarmTesting
import FoundationEssentials
import FuzzTargets
import Testing

/// The short form of scripts/fuzz: the same targets, with inputs that a seed makes from good ones. A trap ends the whole run, and
/// the last seed that was printed caused it.
@Suite(.serialized) struct MutationTests {
  @Test(arguments: FuzzTarget.allCases)
  func `whatever is made of good input is taken or refused`(target: FuzzTarget) throws {
    let seeds = try target.seeds + Self.files(for: target)
    try #require(!seeds.isEmpty)
    seeds.forEach(target.take)
    for seed in SeededRandom.seeds(count: target == .media ? 300 : 2000, longForm: "SPOOL_FUZZ_SEEDS") {
      var mutation = Mutation(seed: seed)
      target.take(mutation.mutated(from: seeds))
    }
  }

  @Test func `a mutation is decided by its seed, and is one`() {
    let seeds = [Array("{\"spool\": 1}".utf8), Array("[]".utf8)]
    let made = (0..<UInt64(100)).map { seed -> [UInt8] in
      var (first, second) = (Mutation(seed: seed), Mutation(seed: seed))
      let bytes = first.mutated(from: seeds)
      #expect(bytes == second.mutated(from: seeds))
      return bytes
    }
    #expect(Set(made).count > 90)
  }

  private static var examples: String { URL(filePath: #filePath).appending(path: "../../../examples").standardized.path }

  private static func files(for target: FuzzTarget) throws -> [[UInt8]] {
    switch target {
    case .message, .store, .segment, .captions, .script, .font: return []
    case .lottie: return [try [UInt8](contentsOf: "\(examples)/lottie/lower-third.json")]
    case .document:
      let folder = examples
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }.sorted()
      return try names.map { try [UInt8](contentsOf: "\(folder)/\($0)") }
    case .media:
      let directory = TemporaryDirectory()
      return try ["mp4", "mkv", "ts", "avi", "gif", "png", "wav"].map { kind in
        let input = kind == "wav" ? ["-f", "lavfi", "-i", "sine=d=0.1"] : ["-f", "lavfi", "-i", "testsrc=s=32x32:d=0.2"]
        try MediaTools.ffmpeg(input + (kind == "png" ? ["-frames:v", "1"] : []) + [directory.file("seed.\(kind)")])
        return try [UInt8](contentsOf: directory.file("seed.\(kind)"))
      }
    }
  }
}

/// Damages good input, as a seed decides.
private struct Mutation {
  private static let words = [
    "\"", "{", "}", "[", "]", ",", "null", "-1", "0", "1e308", "9223372036854775807", "4611686018427387904", "1/2147483647", "-0",
    "\\u0000", "歌", "..", "/", "\n",
  ]
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  mutating func mutated(from seeds: [[UInt8]]) -> [UInt8] {
    var bytes = pick(seeds)
    for _ in 0..<Int.random(in: 1...6, using: &random) { damage(&bytes, seeds) }
    return bytes
  }

  private mutating func damage(_ bytes: inout [UInt8], _ seeds: [[UInt8]]) {
    guard !bytes.isEmpty else { return bytes = pick(seeds) }
    let range = range(in: bytes)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[range.lowerBound] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[range.lowerBound] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.removeSubrange(range)
    case 3: bytes.insert(contentsOf: bytes[range], at: range.upperBound)
    case 4: bytes.replaceSubrange(range, with: Array(pick(Self.words).utf8))
    default:
      let other = pick(seeds)
      bytes.replaceSubrange(range, with: other[self.range(in: other)])
    }
  }

  /// A range of the bytes. It is mostly short and never empty.
  private mutating func range(in bytes: [UInt8]) -> Range<Int> {
    let start = Int.random(in: bytes.indices, using: &random)
    let longest = random.chance(0.8) ? 8 : 400
    return start..<min(bytes.count, start + Int.random(in: 1...longest, using: &random))
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
}
