internal import Glibc
internal import PlainText
internal import Synchronization

/// The form of the log, and the level from which on lines are written.
private let choice = Mutex((form: LogForm.text, level: LogLevel.info))

/// Chooses how this process writes its log. Call it before it writes the first line.
package func chooseLog(_ form: LogForm, from level: LogLevel) { choice.withLock { $0 = (form, level) } }

/// Writes one line to standard error: the time in UTC, the level of the event, then `line`, or all of it as one JSON object. One write(2)
/// writes it whole, so that lines of several processes do not mix. Line feeds and escape sequences in `line` are made harmless, so it stays
/// one line and cannot steer a terminal. Nothing is written of a line below the chosen level.
///
/// - Parameter line: an event and its fields, such as `event=joined worker=a`.
package func writeLog(_ line: String) {
  let (form, least) = choice.withLock { $0 }
  let level = LogLevel(event: line.hasPrefix("event=") ? line.dropFirst(6).prefix { $0 != " " } : "")
  guard level >= least else { return }
  var now = timespec()
  unsafe clock_gettime(CLOCK_REALTIME, &now)
  let milliseconds = String(1000 + now.tv_nsec / 1_000_000).dropFirst()
  let text = "time=\(UTCTime.text(secondsSince1970: now.tv_sec)).\(milliseconds)Z level=\(level.rawValue) \(line.plain)"
  let bytes = Array("\(form == .text ? text : LogLine(text).json)\n".utf8)
  // A log that cannot be written leaves no place to report that.
  _ = SystemCall.uninterrupted { unsafe write(STDERR_FILENO, bytes, bytes.count) }
}

/// Moments as the log and S3 write them.
package enum UTCTime {
  /// The date and the time of day in UTC, to whole seconds, as in "2026-08-15T12:34:56".
  package static func text(secondsSince1970: Int) -> String {
    var (moment, fields) = unsafe (secondsSince1970, tm())
    unsafe gmtime_r(&moment, &fields)
    var text = [CChar](repeating: 0, count: 32)
    let count = unsafe strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &fields)
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
