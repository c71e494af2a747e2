extension ChunkPlan {
  /// The rounds of the farm from which on the content decides where chunks begin. With fewer, slots would be idle at the end.
  static let roundsOfLongEdit = 4
  /// The cost of a chunk that the content's borders aim at, in seconds.
  static let usualChunkSeconds = 20.0
  /// The shortest distance of borders within a source, in frames. Other distances are this one times a power of two, so that borders
  /// of one distance are among those of a shorter one.
  static let gridFrames = 125

  /// The first frame of each chunk of a long edit, as its content decides: nil for a short one, and where the content's places are not
  /// known.
  ///
  /// Chunks are found again only where they begin and end as they did (decision 0174). So whether a border lies at a frame depends on
  /// what the edit shows near that frame, and not on its place in the movie or on the edit's length. Candidates are the cuts, and the
  /// frames of a source whose number is a multiple of a distance that depends on their cost. Each has a rank: cuts come first, then a
  /// hash of source and place decides. A candidate becomes a border if none of a higher rank is nearer than the shortest chunk. Where
  /// a chunk would then cost too much, its highest candidate inside is a border, too.
  static func contentBorders(_ profile: CostProfile, parallelism: Int, slowness: Double) -> [Int]? {
    let count = chunkCount(profile, parallelism: parallelism, slowness: slowness)
    guard count >= roundsOfLongEdit * parallelism, profile.spans.allSatisfy({ $0.place != nil }) else { return nil }
    // What is learned of the pace of such work changes with each job. Only doubled paces count.
    var factor = 1.0
    while factor * 2 <= slowness { factor *= 2 }
    let candidates = candidates(profile, factor).filter {
      $0.frame >= shortestChunk && profile.frameCount - $0.frame >= shortestChunk
    }
    let peaks = candidates.indices.filter { isPeak($0, of: candidates) }
    let costs = CumulativeCost(profile)
    var borders = [0]
    for (first, end) in zip([-1] + peaks, peaks + [candidates.count]) {
      let inside = candidates[(first + 1)..<end]
      let start = first < 0 ? 0 : candidates[first].frame
      borders += division(
        start..<(end < candidates.count ? candidates[end].frame : profile.frameCount), candidates: inside, costs: costs,
        factor: factor)
      if end < candidates.count { borders.append(candidates[end].frame) }
    }
    return borders.count <= mostChunks ? borders : nil
  }

  /// A frame before which a chunk may end.
  private struct Candidate {
    let frame: Int
    let isCut: Bool
    let hash: UInt64

    func isBelow(_ other: Candidate) -> Bool {
      (isCut ? 1 : 0, hash, frame) < (other.isCut ? 1 : 0, other.hash, other.frame)
    }
  }

  /// All candidates, in the order of their frames.
  private static func candidates(_ profile: CostProfile, _ factor: Double) -> [Candidate] {
    var found: [Candidate] = []
    for span in profile.spans {
      guard let place = span.place else { continue }
      if span.startsAtCut {
        found.append(Candidate(frame: span.frames.lowerBound, isCut: true, hash: place.source.mixed(with: place.frame)))
      }
      let distance = distance(span.secondsPerFrame * factor)
      let beyond = ((place.frame % distance) + distance) % distance
      var frame = span.frames.lowerBound + (distance - beyond) % distance
      while frame < span.frames.upperBound {
        if !span.startsAtCut || frame > span.frames.lowerBound {
          let number = place.frame + frame - span.frames.lowerBound
          found.append(Candidate(frame: frame, isCut: false, hash: place.source.mixed(with: number)))
        }
        frame += distance
      }
    }
    return found
  }

  /// The distance of candidates within a source, by what a frame costs.
  private static func distance(_ secondsPerFrame: Double) -> Int {
    var distance = gridFrames
    while Double(distance * 2) * secondsPerFrame <= usualChunkSeconds, distance < 1 << 20 { distance *= 2 }
    return distance
  }

  /// Whether no candidate that is nearer than the shortest chunk has a higher rank.
  private static func isPeak(_ index: Int, of candidates: [Candidate]) -> Bool {
    let own = candidates[index]
    var other = index - 1
    while other >= 0, own.frame - candidates[other].frame < shortestChunk {
      if own.isBelow(candidates[other]) { return false }
      other -= 1
    }
    other = index + 1
    while other < candidates.count, candidates[other].frame - own.frame < shortestChunk {
      if own.isBelow(candidates[other]) { return false }
      other += 1
    }
    return true
  }

  /// The borders inside a range that would cost too much as one chunk, in their order.
  private static func division(
    _ frames: Range<Int>, candidates: ArraySlice<Candidate>, costs: CumulativeCost, factor: Double
  ) -> [Int] {
    let seconds = (costs.seconds(before: frames.upperBound) - costs.seconds(before: frames.lowerBound)) * factor
    guard seconds > dearestChunkSeconds else { return [] }
    let fitting = candidates.indices.filter {
      candidates[$0].frame - frames.lowerBound >= shortestChunk && frames.upperBound - candidates[$0].frame >= shortestChunk
    }
    guard let best = fitting.max(by: { candidates[$0].isBelow(candidates[$1]) }) else { return [] }
    let border = candidates[best].frame
    return division(frames.lowerBound..<border, candidates: candidates[..<best], costs: costs, factor: factor) + [border]
      + division(border..<frames.upperBound, candidates: candidates[(best + 1)...], costs: costs, factor: factor)
  }
}

extension UInt64 {
  /// A hash of this number and another one (the finalizer of SplitMix64).
  fileprivate func mixed(with number: Int) -> UInt64 {
    var hash = self &+ UInt64(bitPattern: Int64(number)) &* 0x9e37_79b9_7f4a_7c15
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    return hash ^ (hash >> 31)
  }
}

extension String {
  /// A hash that is the same in each process (FNV-1a).
  var stableHash: UInt64 { utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 } }
}
