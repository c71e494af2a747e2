internal import Operations
internal import Synchronization

/// A movie that players ask for: the plan of its pieces, and what its tracks have in common.
final class Screening: Sendable {
  let plan: PlayPlan
  private let parameterSets = Mutex<[PlayPlan.Track: String]>([:])

  init(_ plan: PlayPlan) { self.plan = plan }

  /// Checks that a piece has the same parameter sets as all others of its track, whose opening has them.
  func admit(_ piece: PlayedPiece, of track: PlayPlan.Track) throws(Complaint) {
    let known = parameterSets.withLock { sets in
      sets[track] = sets[track] ?? piece.parameterSetDigest
      return sets[track]
    }
    guard known == piece.parameterSetDigest else {
      throw Complaint(track.rawValue, "a piece has other parameter sets than the pieces before it", .software)
    }
  }
}

/// The screenings that players asked for lately.
final class Screenings: Sendable {
  private let entries = Mutex<[(job: String, screening: Screening)]>([])

  /// The most that are kept. A plan has a number for each of up to a hundred thousand chunks.
  private static let most = 32

  subscript(job: String) -> Screening? { entries.withLock { $0.first { $0.job == job }?.screening } }

  func keep(_ screening: Screening, of job: String) -> Screening {
    entries.withLock { entries in
      if let known = entries.first(where: { $0.job == job }) { return known.screening }
      entries.append((job, screening))
      if entries.count > Self.most { entries.removeFirst() }
      return screening
    }
  }
}
