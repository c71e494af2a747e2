package import Ledger

/// How fast a job goes, from the counts seen lately, and so how long it will take.
package struct Pace: Hashable, Sendable {
  /// Long enough to even out chunks that finish together, short enough to follow the edit's cheap and dear parts.
  package static let windowSeconds = 15.0

  private var samples: [Sample] = []

  package init() {}

  private struct Sample: Hashable {
    var seconds: Double
    var frames: Int
  }

  /// - Parameter seconds: since any fixed moment; never smaller than before.
  package mutating func note(frames: Int, at seconds: Double) {
    // An attempt that was lost takes its frames back: what was measured before says nothing then.
    if let last = samples.last, frames < last.frames { samples = [] }
    samples.append(Sample(seconds: seconds, frames: frames))
    // The sample just outside the window stays, so that the window is always full.
    while samples.count > 2, seconds - samples[1].seconds >= Self.windowSeconds { samples.removeFirst() }
  }

  /// Nil until frames were seen to advance.
  package var framesPerSecond: Double? {
    guard let first = samples.first, let last = samples.last, last.seconds > first.seconds, last.frames > first.frames else {
      return nil
    }
    return Double(last.frames - first.frames) / (last.seconds - first.seconds)
  }

  /// To the movie, its joining among it; nil while the pace is unknown.
  package func secondsLeft(of job: JobStatus) -> Double? {
    let frames = job.frameCount - job.framesDone
    guard frames > 0 || job.chunksDone < job.chunkCount else { return job.joiningSeconds }
    return framesPerSecond.map { Double(frames) / $0 + job.joiningSeconds }
  }
}
