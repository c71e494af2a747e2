/// An error of exact time arithmetic. Nothing is ever rounded to avoid one.
package enum TimeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The exact result does not fit an `Int64` value over an `Int32` timescale.
  case overflow(String)
  /// A timescale, a divisor, a unit or a rate is not positive, or the target of a mapping is empty.
  case notPositive(String)
  /// The duration of a range is negative. It may be zero.
  case negativeDuration
  /// The text is not a time.
  case malformed(String)
  /// The text has the form of a timecode, but names no frame at the edit's rate.
  case timecode(String, reason: String)

  package var description: String {
    switch self {
    case .overflow(let what): "time out of range: \(what)"
    case .notPositive(let what): "\(what) must be positive"
    case .negativeDuration: "duration must not be negative"
    case .malformed(let text): "'\(text)' is not a time: expected seconds such as \"12.5\" or a fraction such as \"1001/30000\""
    case .timecode(let text, let reason): "'\(text)' is not a timecode of this edit: \(reason)"
    }
  }
}
