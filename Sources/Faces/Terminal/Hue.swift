/// How a word is set off on a terminal with colours. Every word says the same without it. The colours are the first eight, which people choose to
/// be readable on their background.
package enum Hue: String, Hashable, Sendable {
  case strong = "1"
  case faint = "2"
  case fault = "31"
  case good = "32"
  case notice = "33"
  case busy = "36"

  /// The hue of a state of jobs, tasks, workers and coordinators; nil for those that are nothing special.
  init?(ofState state: String) {
    switch state {
    case "running": self = .busy
    case "done", "leads": self = .good
    case "paused", "drained", "set aside", "stopping", "unheard": self = .notice
    case "failed", "silent": self = .fault
    case "cancelled", "left": self = .faint
    default: return nil
    }
  }

  /// The text with the control sequences around it. The text must be plain.
  func coloring(_ text: String) -> String { "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" }
}
