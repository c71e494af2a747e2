/// The record of what an attempt's process wrote to its standard error: warnings of decoders and encoders, what a user's compositor prints, and the last
/// words of a crash. A worker keeps the beginning and the end.
package struct AttemptLog: Hashable, Sendable, Codable {
  /// The first `headBytes` and the last `tailBytes`, with a line between them that says how much was left out. It is what a process
  /// wrote, so it may hold anything but NUL.
  package var text: String
  /// The bytes that the process wrote in all.
  package var byteCount: Int

  package init(text: String, byteCount: Int) { (self.text, self.byteCount) = (text, byteCount) }

  /// The bytes that are kept of the beginning. The first warnings tell more than the thousandth.
  package static let headBytes = 4096
  /// The bytes that are kept of the end: what an attempt met last, and why it crashed.
  package static let tailBytes = 12_288
  /// The most bytes of `text` that a ledger keeps. Each byte that is no UTF-8 became three.
  package static let textLimit = 49_152
}
