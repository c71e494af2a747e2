internal import Ledger
package import Operations

/// A job's progress as a text.
package struct ProgressText {
  private let progress: RenderProgress

  package init(_ progress: RenderProgress) { self.progress = progress }

  /// A line with a bar, for a terminal of that width: `[=========>          ]  47% 141/300 frames, 3/7 chunks, 48 fps, 0:03
  /// left`.
  package func line(columns: Int) -> String {
    let text = "\(percent)% \(facts)"
    let room = columns - text.count - 4
    guard room >= Self.shortestBar else { return String(text.prefix(max(0, columns - 1))) }
    return bar(min(room, Self.longestBar)) + " " + text
  }

  /// A line without a bar, for a log.
  package var plain: String { "\(trimmed(percent))% \(facts)" }

  private static let shortestBar = 8
  private static let longestBar = 40

  private var fraction: Double {
    progress.frameCount == 0 ? 0 : min(1, Double(progress.framesDone) / Double(progress.frameCount))
  }

  private var percent: String { padded(String(Int(fraction * 100)), 3) }

  private var facts: String {
    guard progress.state == .running || progress.state == .queued else { return progress.state.rawValue }
    var facts = ["\(progress.framesDone)/\(progress.frameCount) frames", "\(progress.chunksDone)/\(progress.chunkCount) chunks"]
    if progress.frameCount > 0, progress.chunksDone == progress.chunkCount { facts.append("muxing") }
    if progress.chunksDone < progress.chunkCount, let rate = progress.framesPerSecond {
      facts.append("\(Self.decimal(rate)) fps")
    }
    facts += progress.secondsLeft.map { ["\(Self.clock($0)) left"] } ?? []
    if progress.retries > 0 { facts.append("\(progress.retries) retried") }
    return facts.joined(separator: ", ")
  }

  private func bar(_ width: Int) -> String {
    let full = Int(fraction * Double(width))
    let tip = full < width && full > 0 ? ">" : ""
    return "[" + String(repeating: "=", count: full - tip.count) + tip + String(repeating: " ", count: width - full) + "]"
  }

  private func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private func trimmed(_ text: String) -> String { String(text.drop { $0 == " " }) }

  /// The number with one decimal below ten, and without decimals above.
  package static func decimal(_ value: Double) -> String {
    guard value < 9.95 else { return String(Int(value.rounded())) }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// A time that has passed: `0.3 s`, from two minutes on as a clock, `12:40`. Sums of the slots of many workers may be thousands of hours.
  package static func lasted(_ seconds: Double) -> String {
    guard seconds >= 120 else {
      let tenths = Int((max(0, seconds) * 10).rounded())
      return "\(tenths / 10).\(tenths % 10) s"
    }
    // The bound keeps the number in the range of Int.
    return clock(whole: Int(min(seconds.rounded(), 1e15)))
  }

  /// The time as a clock, such as `0:03`, `12:40` or `1:02:03`.
  package static func clock(_ seconds: Double) -> String {
    // A speed near zero would give more seconds than an Int can hold. The bound is just below 100 hours.
    clock(whole: Int(min(seconds.rounded(.up), 359_999)))
  }

  private static func clock(whole: Int) -> String {
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
  }
}
