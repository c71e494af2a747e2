internal import Glibc
internal import PlainText

/// Writes one line to standard error: the time in UTC, then `line`. One write(2) writes it whole, so that lines of several
/// processes do not mix. Line feeds and escape sequences in `line` are made harmless, so it stays one line and cannot steer a
/// terminal.
package func writeLog(_ line: String) {
  var now = timespec()
  unsafe clock_gettime(CLOCK_REALTIME, &now)
  let milliseconds = String(1000 + now.tv_nsec / 1_000_000).dropFirst()
  let bytes = Array("time=\(UTCTime.text(secondsSince1970: now.tv_sec)).\(milliseconds)Z \(line.plain)\n".utf8)
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
