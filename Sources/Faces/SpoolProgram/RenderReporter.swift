import Formats
import Glibc
import Ledger
import MediaTime
import Messages
import Operations
import Terminal

/// Reports what `spool render` did, in words or in JSON.
struct RenderReporter {
  let json: Bool
  let warnings: [FaultRecord]

  func submitted(_ job: String, _ submission: JobSubmission, at destination: Destination) throws(StreamError) {
    guard json else { return }
    var submission = submission
    submission.spec.output = destination.path
    try StandardStream.output.json(SubmittedJob(job, submission, warnings: warnings))
  }

  /// - Parameter facts: the facts of the movie itself, not of the edit.
  func done(_ status: JobStatus, at destination: Destination, _ facts: AssetFacts) throws {
    guard !json else {
      return try StandardStream.output.json(
        DoneRecord(
          job: status.id, output: destination.path, frameCount: status.frameCount, duration: facts.duration,
          byteCount: facts.byteCount, retries: status.retries, elapsedSeconds: status.elapsedSeconds ?? 0, comment: facts.comment)
      )
    }
    try StandardStream.output.line(
      "\(destination.path): \(Self.text(of: facts, frames: status.frameCount)), rendered in \(Self.text(of: status))")
    if let comment = facts.comment { try StandardStream.output.line("\(destination.path): \(comment)") }
  }

  private static func text(of facts: AssetFacts, frames: Int) -> String {
    var parts = ["\(rounded(facts.duration.seconds)) s"]
    for track in facts.tracks {
      switch track.detail {
      case .video(let video):
        parts.append("\(track.codec) \(video.displaySize.width)x\(video.displaySize.height), \(frames) frames")
      case .audio(let audio): parts.append("\(track.codec) \(audio.sampleRate) Hz \(audio.channelLayout)")
      case .other: break
      }
    }
    return (parts + [size(facts.byteCount)]).joined(separator: ", ")
  }

  private static func text(of status: JobStatus) -> String {
    let seconds = status.elapsedSeconds ?? 0
    let rate = seconds > 0 ? Double(status.frameCount) / seconds : 0
    return "\(rounded(seconds)) s (\(ProgressText.decimal(rate)) fps)"
  }

  private static func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }

  private static func size(_ bytes: Int64) -> String {
    switch bytes {
    case ..<10_000: "\(bytes) bytes"
    case ..<10_000_000: "\(bytes / 1000) kB"
    default: "\(ProgressText.decimal(Double(bytes) / 1_000_000)) MB"
    }
  }
}

private struct DoneRecord: Encodable {
  let event = "done"
  let job: String
  let output: String
  let frameCount: Int
  let duration: MediaTime
  let byteCount: Int64
  let retries: Int
  let elapsedSeconds: Double
  /// The movie's own comment, which says whether damaged media were replaced in it, and how much.
  let comment: String?
}
