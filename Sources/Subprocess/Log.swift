internal import Glibc
internal import PlainText

/// Writes one line to standard error: the time in UTC and `line`, by one write(2), so that lines of several processes do
/// not mix. Whatever others chose of it, it stays one line that steers no terminal.
package func writeLog(_ line: String) {
  var (now, fields) = unsafe (timespec(), tm())
  unsafe clock_gettime(CLOCK_REALTIME, &now)
  unsafe gmtime_r(&now.tv_sec, &fields)
  var text = [CChar](repeating: 0, count: 32)
  let count = unsafe strftime(&text, text.count, "time=%Y-%m-%dT%H:%M:%S", &fields)
  let milliseconds = String(1000 + now.tv_nsec / 1_000_000).dropFirst()
  let bytes = text.prefix(count).map(UInt8.init(bitPattern:)) + Array(".\(milliseconds)Z \(line.plain)\n".utf8)
  // A log that cannot be written has nowhere to say so.
  _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
}
