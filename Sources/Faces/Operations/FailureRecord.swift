internal import Messages
internal import Timeline

/// A failed operation, as JSON.
package struct FailureRecord: Hashable, Sendable, Codable {
  package var event = "failed"
  /// The failure's class when a job failed (docs/cli.md), else the word of the operation's exit class.
  package var `class`: String
  package var exitCode: Int32
  /// The asset at fault, by its name in the document; nil when there is none or more than one.
  package var asset: String?
  /// The time in that asset as text, in seconds; nil when it is not known.
  package var time: String?
  package var faults: [FaultRecord]

  package init(_ complaint: Complaint) {
    `class` = complaint.cause?.class.rawValue ?? complaint.exit.word
    (exitCode, faults) = (complaint.exit.rawValue, complaint.told)
    (asset, time) = (complaint.place?.asset.rawValue, complaint.place?.time)
  }
}
