import FarmTesting
import Messages
import Scheduling
import Testing

/// A profile of spans with these lengths in frames and these costs for each frame, with a cut between any two.
private func profile(_ spans: [(length: Int, milliseconds: Double)]) -> CostProfile {
  var (first, result) = (0, [CostProfile.Span]())
  for (length, milliseconds) in spans {
    result.append(.init(frames: first..<first + length, secondsPerFrame: milliseconds / 1000, startsAtCut: first > 0))
    first += length
  }
  return CostProfile(spans: result)
}

private func randomProfile(_ random: inout SeededRandom) -> CostProfile {
  var (first, spans) = (0, [CostProfile.Span]())
  for _ in 0..<Int.random(in: 1...40, using: &random) {
    let length = Int.random(in: 1...(random.chance(0.3) ? 5000 : 200), using: &random)
    spans.append(
      .init(
        frames: first..<first + length, secondsPerFrame: Double.random(in: 0.001...0.2, using: &random),
        entrySeconds: Double.random(in: 0...0.2, using: &random), startsAtCut: random.chance(0.7)))
    first += length
  }
  return CostProfile(spans: spans)
}

struct ChunkPlanTests {
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `the chunks cover each frame once, in order, whatever the edit`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let profile = randomProfile(&random)
    let force = random.chance(0.3) ? Int.random(in: 10...10_000, using: &random) : nil
    let options = ChunkPlan.Options(parallelism: Int.random(in: 1...64, using: &random), chunkFrames: force)
    let plan = try ChunkPlan(profile, options)
    var next = 0
    for chunk in plan.chunks {
      #expect(chunk.frames.first == next && chunk.frames.count > 0)
      next = chunk.frames.indices.upperBound
    }
    #expect(next == profile.frameCount)
    #expect(try ChunkPlan(profile, options) == plan)
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `chunks begin with groups of pictures where they have to`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let profile = randomProfile(&random)
    let force = random.chance(0.3) ? Int.random(in: 10...1000, using: &random) : nil
    let options = ChunkPlan.Options(parallelism: Int.random(in: 1...64, using: &random), chunkFrames: force)
    let chunks = try ChunkPlan(profile, options, groupFrames: 250).chunks
    #expect(chunks.allSatisfy { $0.frames.first.isMultiple(of: 250) && $0.frames.count > 0 })
    #expect(chunks.first?.frames.first == 0 && chunks.last?.frames.indices.upperBound == profile.frameCount)
    #expect(zip(chunks, chunks.dropFirst()).allSatisfy { $0.frames.indices.upperBound == $1.frames.first })
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `a range of copied frames is a chunk of its own, whatever the edit`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let spans = randomProfile(&random).spans.map { span in
      var span = span
      span.isCopied = random.chance(0.4)
      return span
    }
    let force = random.chance(0.3) ? Int.random(in: 10...10_000, using: &random) : nil
    let options = ChunkPlan.Options(parallelism: Int.random(in: 1...64, using: &random), chunkFrames: force)
    let chunks = try ChunkPlan(CostProfile(spans: spans), options).chunks.map(\.frames.indices)
    #expect(chunks.first?.lowerBound == 0 && zip(chunks, chunks.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
    for span in spans where span.isCopied { #expect(chunks.contains(span.frames)) }
    for chunk in chunks where !spans.contains(where: { $0.isCopied && $0.frames == chunk }) {
      #expect(!spans.contains { $0.isCopied && $0.frames.overlaps(chunk) })
    }
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `the chunks' costs add up to the edit's, beside what each costs to enter`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let profile = randomProfile(&random)
    let plan = try ChunkPlan(profile, .init(parallelism: 4))
    let sum = plan.chunks.reduce(0) { $0 + $1.cost }
    #expect(sum >= profile.totalSeconds * 0.999_999)
    #expect(sum <= profile.totalSeconds * 1.000_001 + 0.2 * Double(plan.chunks.count))
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `no chunk costs more than its share and the reach to a cut`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let profile = randomProfile(&random)
    let plan = try ChunkPlan(profile, .init(parallelism: Int.random(in: 1...8, using: &random)))
    let share = profile.totalSeconds / Double(plan.chunks.count)
    // Each of a chunk's two borders may have moved by 0.35 of a share. The cost of a frame and of the entry come on top.
    #expect(plan.chunks.allSatisfy { $0.cost <= share * 1.7 + 0.2 + 0.4 })
  }

  @Test func `work that takes twice as long as estimated is cut into chunks for twice the time, at the same estimates`() throws {
    let profile = profile([(10_000, 12)])
    let usual = try ChunkPlan(profile, .init(parallelism: 2))
    let slow = try ChunkPlan(profile, .init(parallelism: 2, slowness: 4))
    #expect(slow.chunks.count > usual.chunks.count)
    #expect(slow.chunks == (try ChunkPlan(profile, .init(parallelism: slow.chunks.count))).chunks)
  }

  @Test func `a short edit on two slots becomes two equal chunks`() throws {
    let plan = try ChunkPlan(profile([(300, 20)]), .init(parallelism: 2))
    #expect(plan.chunks.map(\.frames) == [FrameRange(first: 0, count: 150), FrameRange(first: 150, count: 150)])
  }

  @Test func `frames that cost three times as much get chunks a third as long`() throws {
    let plan = try ChunkPlan(profile([(300, 10), (100, 30)]), .init(parallelism: 2))
    #expect(plan.chunks.map(\.frames) == [FrameRange(first: 0, count: 300), FrameRange(first: 300, count: 100)])
  }

  @Test func `a border moves to a cut nearby`() throws {
    let plan = try ChunkPlan(profile([(505, 20), (495, 20)]), .init(parallelism: 2, chunkFrames: nil))
    #expect(plan.chunks.map(\.frames.first).contains(505))
  }

  @Test func `in a single round a border does not move to a cut far away`() throws {
    let plan = try ChunkPlan(profile([(120, 20), (180, 20)]), .init(parallelism: 2))
    #expect(plan.chunks.map(\.frames.first) == [0, 150])
  }

  @Test(arguments: [1, 2, 3, 8, 50])
  func `chunks come in whole rounds of the farm when the edit is long`(parallelism: Int) throws {
    let plan = try ChunkPlan(profile([(200_000, 20)]), .init(parallelism: parallelism))
    #expect(plan.chunks.count % parallelism == 0)
    #expect(plan.chunks.allSatisfy { $0.cost <= 60 && $0.frames.count >= 96 })
  }

  @Test func `a large farm does not cut a short edit to pieces`() throws {
    let plan = try ChunkPlan(profile([(300, 20)]), .init(parallelism: 100))
    #expect(plan.chunks.count == 3)
  }

  @Test func `frames dear enough become chunks of bounded cost`() throws {
    let plan = try ChunkPlan(profile([(20_000, 400)]), .init(parallelism: 2))
    #expect(plan.chunks.allSatisfy { $0.cost <= 61 })
  }

  @Test func `forced chunks have the length that was asked for, the last one the rest`() throws {
    let plan = try ChunkPlan(profile([(10, 20), (15, 20)]), .init(parallelism: 2, chunkFrames: 7))
    #expect(plan.chunks.map(\.frames.count) == [7, 7, 7, 4])
  }

  @Test func `more chunks than one order can mux are refused`() {
    #expect(throws: ChunkPlan.Failure.tooManyChunks(100_001, most: 100_000)) {
      _ = try ChunkPlan(profile([(100_001, 20)]), .init(parallelism: 2, chunkFrames: 1))
    }
  }

  @Test func `an edit without a picture has no chunks`() throws {
    #expect(try ChunkPlan(CostProfile(spans: []), .init(parallelism: 2)).chunks == [])
  }

  /// A long edit of clips, each a range of one source's frames, with a cut between any two.
  private static func edit(_ clips: [(source: UInt64, frames: Range<Int>)], milliseconds: Double = 20) -> CostProfile {
    var (first, spans) = (0, [CostProfile.Span]())
    for clip in clips {
      spans.append(
        .init(
          frames: first..<first + clip.frames.count, secondsPerFrame: milliseconds / 1000, startsAtCut: first > 0,
          place: .init(source: clip.source, frame: clip.frames.lowerBound)))
      first += clip.frames.count
    }
    return CostProfile(spans: spans)
  }

  /// The content of each chunk: the sources' frames that it shows.
  private static func contents(_ plan: ChunkPlan, of profile: CostProfile) -> Set<[[Int]]> {
    Set(
      plan.chunks.map { chunk in
        profile.spans.compactMap { span in
          let shown = chunk.frames.indices.clamped(to: span.frames)
          guard !shown.isEmpty, let place = span.place else { return nil }
          return [Int(place.source), place.frame + shown.lowerBound - span.frames.lowerBound, shown.count]
        }
      })
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `inserting, removing or moving a clip leaves the other chunks of a long edit as they were`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let clips = (0..<120).map { _ in
      let first = Int.random(in: 0...50_000, using: &random)
      let length = Int.random(in: random.chance(0.3) ? 600...6000 : 20...300, using: &random)
      return (source: UInt64.random(in: 1...9, using: &random), frames: first..<first + length)
    }
    var changed = clips
    let (place, other) = (Int.random(in: 0..<120, using: &random), Int.random(in: 0..<119, using: &random))
    switch seed % 3 {
    case 0: changed.insert((source: 77, frames: 10..<10 + Int.random(in: 1...2000, using: &random)), at: place)
    case 1: changed.remove(at: place)
    default: changed.insert(changed.remove(at: place), at: other)
    }
    let (before, after) = (Self.edit(clips), Self.edit(changed))
    let options = ChunkPlan.Options(parallelism: 2)
    let (old, new) = (try ChunkPlan(before, options), try ChunkPlan(after, options))
    let fresh = Self.contents(new, of: after).subtracting(Self.contents(old, of: before))
    // A moved clip has two places of change, each with the chunks around it.
    #expect(fresh.count <= 9, "\(fresh.count) of \(new.chunks.count) chunks are new")
    #expect(new.chunks.count > 60)
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `the content's chunks cover each frame once, are not too short, and not too dear where they can be divided`(
    seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    let clips = (0..<Int.random(in: 30...200, using: &random)).map { _ in
      let first = Int.random(in: -9_000...9_000, using: &random)
      return (source: UInt64.random(in: 1...9, using: &random), frames: first..<first + Int.random(in: 1...4000, using: &random))
    }
    let milliseconds = Double.random(in: 2...300, using: &random)
    let profile = Self.edit(clips, milliseconds: milliseconds)
    let plan = try ChunkPlan(profile, .init(parallelism: 2))
    var next = 0
    for chunk in plan.chunks {
      #expect(chunk.frames.first == next && chunk.frames.count >= 96)
      next = chunk.frames.indices.upperBound
    }
    #expect(next == profile.frameCount)
    // What is dearer has fewer than two candidates inside that leave the shortest chunk on either side.
    #expect(plan.chunks.allSatisfy { $0.cost <= 61 || Double($0.frames.count) <= 2.0 * 125 + 2 * 96 })
  }

  @Test func `a long edit is divided at its cuts, whatever else would do near them`() throws {
    var random = SeededRandom(seed: 3)
    let clips = (0..<60).map { (number: Int) -> (source: UInt64, frames: Range<Int>) in
      let first = Int.random(in: 0...50_000, using: &random)
      return (source: UInt64(number), frames: first..<first + Int.random(in: 600...900, using: &random))
    }
    let profile = Self.edit(clips)
    let borders = Set(try ChunkPlan(profile, .init(parallelism: 2)).chunks.map(\.frames.first))
    #expect(profile.spans.filter { !borders.contains($0.frames.lowerBound) }.map(\.frames) == [])
  }

  @Test func `a change of the learned pace below its double moves no border of a long edit`() throws {
    let clips = (0..<40).map { (number: Int) -> (source: UInt64, frames: Range<Int>) in
      (source: UInt64(number % 5), frames: number * 31..<number * 31 + 3000)
    }
    let profile = Self.edit(clips)
    let usual = try ChunkPlan(profile, .init(parallelism: 2))
    for slowness in [1.3, 1.9] {
      #expect(try ChunkPlan(profile, .init(parallelism: 2, slowness: slowness)).chunks == usual.chunks)
    }
  }
}
