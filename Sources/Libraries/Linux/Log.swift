internal import Glibc
internal import PlainText

/// Writes one line to standard error: the time in UTC, then `line`. One write(2) writes it whole, so that lines of several
/// processes do not mix. Line feeds and escape sequences in `line` are made harmless, so it stays one line and cannot steer a
/// terminal.
package func writeLog(_ line: String) {
  var (now, fields) = unsafe (timespec(), tm())
  unsafe clock_gettime(CLOCK_REALTIME, &now)
  unsafe gmtime_r(&now.tv_sec, &fields)
  var text = [CChar](repeating: 0, count: 32)
  let count = unsafe strftime(&text, text.count, "time=%Y-%m-%dT%H:%M:%S", &fields)
  let milliseconds = String(1000 + now.tv_nsec / 1_000_000).dropFirst()
  let bytes = text.prefix(count).map(UInt8.init(bitPattern:)) + Array(".\(milliseconds)Z \(line.plain)\n".utf8)
  // A log that cannot be written leaves no place to report that.
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
