package import Ledger

/// The speed of a job, from its latest counts, and with it the time that the job still takes.
package struct RenderingSpeed: Hashable, Sendable {
  /// The length of the window in seconds. It is long enough to even out chunks that finish together, and short enough to follow
  /// parts of the edit that cost more or less.
  package static let windowSeconds = 15.0

  private var samples: [Sample] = []

  package init() {}

  private struct Sample: Hashable {
    var seconds: Double
    var frames: Int
  }

  /// - Parameter seconds: the time since the rendering began, or since a later moment. It never decreases.
  package mutating func note(frames: Int, at seconds: Double) {
    // A lost attempt takes its frames back, so the earlier counts mean nothing any more.
    if let last = samples.last, frames < last.frames { samples = [] }
    samples.append(Sample(seconds: seconds, frames: frames))
    // The newest sample before the window is kept, so that the samples always span the whole window.
    while samples.count > 2, seconds - samples[1].seconds >= Self.windowSeconds { samples.removeFirst() }
  }

  /// The speed; nil until the count of frames has grown.
  package var framesPerSecond: Double? {
    guard let first = samples.first, let last = samples.last, last.seconds > first.seconds, last.frames > first.frames else {
      return nil
    }
    return Double(last.frames - first.frames) / (last.seconds - first.seconds)
  }

  /// The time in seconds until the movie is finished, its mux included; nil while the speed is unknown.
  package func secondsLeft(of job: JobStatus) -> Double? {
    let frames = job.frameCount - job.framesDone
    let elapsed = samples.last?.seconds ?? 0
    guard frames > 0 || job.chunksDone < job.chunkCount else { return job.muxingSeconds(rendering: elapsed) }
    return framesPerSecond.map { speed in
      let left = Double(frames) / speed
      return left + job.muxingSeconds(rendering: elapsed + left)
    }
  }
}
