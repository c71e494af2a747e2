import Glibc
import Linux
import Messages
import Terminal

/// Reads standard input to its end, or until there is more than the longest order.
func orderLine() throws(StreamError) -> [UInt8] {
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 1 << 16)
  while bytes.count <= Wire.longestOrder {
    let count = SystemCall.uninterrupted { unsafe read(STDIN_FILENO, &block, block.count) }
    if count == 0 { break }
    guard count > 0 else { throw StreamError(code: errno) }
    bytes += block.prefix(count)
  }
  return bytes
}
