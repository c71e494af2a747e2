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

  /// The seconds since 1970 of a date and a time of day in UTC, as `text(secondsSince1970:)` gives them; nil for other texts. What stands
  /// behind the seconds is not read. The days are counted as in Howard Hinnant's `days_from_civil`, in years that begin in March.
  package static func secondsSince1970(_ text: String) -> Int? {
    let fields = text.prefix(19).split { "-T:".contains($0) }.compactMap { Int($0) }
    guard fields.count == 6, (1...12).contains(fields[1]) else { return nil }
    let year = fields[1] <= 2 ? fields[0] - 1 : fields[0]
    let dayOfYear = (153 * ((fields[1] + 9) % 12) + 2) / 5 + fields[2] - 1
    let days = year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    return ((days * 24 + fields[3]) * 60 + fields[4]) * 60 + fields[5]
  }

  /// The seconds since 1970 until now, by this machine's clock.
  package static var now: Int { time(nil) }
}
