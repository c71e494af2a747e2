package import Ledger

/// The progress of a job that is followed, at one moment.
package struct RenderProgress: Hashable, Sendable, Codable {
  package var event = "progress"
  package var job: String
  package var state: JobState
  package var framesDone: Int
  package var frameCount: Int
  package var chunksDone: Int
  package var chunkCount: Int
  /// The tasks that were tried again.
  package var retries: Int
  /// The speed over the last seconds; nil until the count of frames has grown.
  package var framesPerSecond: Double?
  /// The time in seconds until the movie is finished; nil while the speed is unknown.
  package var secondsLeft: Double?

  package init(_ status: JobStatus, _ speed: RenderingSpeed) {
    (job, state, retries) = (status.id, status.state, status.retries)
    (framesDone, frameCount) = (status.framesDone, status.frameCount)
    (chunksDone, chunkCount) = (status.chunksDone, status.chunkCount)
    framesPerSecond = speed.framesPerSecond
    secondsLeft = speed.secondsLeft(of: status)
  }
}
