import Ledger
import Messages
import Operations

/// A job that was just submitted, as JSON.
struct SubmittedRecord: Encodable {
  let event = "submitted"
  let job: String
  let output: String
  let frameCount: Int
  let chunkCount: Int
  let warnings: [FaultRecord]

  init(_ job: String, _ submission: JobSubmission, warnings: [FaultRecord]) {
    self.warnings = warnings
    (self.job, output, frameCount) = (job, submission.spec.output, submission.frameCount)
    chunkCount = submission.tasks.count { $0.kind == .picture }
  }
}
