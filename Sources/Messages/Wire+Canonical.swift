// The two messages that a farm is full of, a heartbeat a second from each worker and each result, are read by hand where they stand as this
// version writes them: keys sorted, no spaces, nothing escaped. Anything else, and whatever may not be, is left to the reader of all JSON.
extension WorkerMessage {
  /// - Returns: nil for what is not one of these, in exactly that form.
  init?(canonical bytes: [UInt8]) {
    var reader = CanonicalReader(bytes)
    guard
      let message = reader.takes(#"{"heartbeat":{"epoch":"#)
        ? reader.heartbeat() : reader.finished(), reader.isAtEnd
    else {
      return nil
    }
    self = message
  }
}

extension Wire {
  /// `CoordinatorMessage.settled`, as `encode` writes it: each result is answered with one.
  package static func settled(_ key: AttemptKey) -> [[UInt8]] {
    [header, Array(#"{"settled":{"_0":{"attempt":\#(key.attempt),"task":\#(key.task)}}}"#.utf8)]
  }
}

/// Reads JSON of a known form from its beginning on. What does not have it is told once, and nothing is read any more.
private struct CanonicalReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// After its beginning.
  mutating func heartbeat() -> WorkerMessage? {
    guard let epoch = text(), takes(#","running":["#), let running = progresses(),
      takes(#","worker":"#), let worker = text(),
      takes("}}")
    else { return nil }
    return .heartbeat(worker: worker, epoch: epoch, running: running)
  }

  mutating func finished() -> WorkerMessage? {
    guard takes(#"{"finished":{"_2":"#), let key = key(), takes(#","_3":"#), let proof = proof(),
      takes(#","epoch":"#),
      let epoch = text(), takes(#","worker":"#), let worker = text(), takes("}}")
    else { return nil }
    return .finished(worker: worker, epoch: epoch, key, proof)
  }

  /// Up to the bracket that closes them.
  private mutating func progresses() -> [AttemptProgress]? {
    var found: [AttemptProgress] = []
    if takes("]") { return found }
    repeat {
      guard takes(#"{"done":"#), let done = number() else { return nil }
      var end: Int?
      if takes(#","end":"#) {
        end = number().map { Int($0) }
        guard let end, end > 0 else { return nil }
      }
      guard takes(#","key":"#), let key = key(), takes(#","total":"#), let total = number(),
        takes("}"), done <= total
      else {
        return nil
      }
      found.append(AttemptProgress(key: key, done: done, total: total, end: end))
    } while takes(",")
    return takes("]") ? found : nil
  }

  private mutating func key() -> AttemptKey? {
    guard takes(#"{"attempt":"#), let attempt = number(), takes(#","task":"#), let task = number(),
      takes("}")
    else { return nil }
    return AttemptKey(task: task, attempt: Int(attempt))
  }

  /// A chunk's, of media that are whole.
  private mutating func proof() -> Proof? {
    guard takes(#"{"byteCount":"#), let byteCount = number(), takes(#","byteDigest":"#),
      let byteDigest = text(),
      takes(#","contentDigest":"#), let contentDigest = text(), takes(#","file":"#),
      let file = text(),
      takes(#","frames":{"count":"#), let count = number(), count > 0, takes(#","first":"#),
      let first = number(),
      takes(#"},"parameterSetDigest":"#), let parameterSetDigest = text(), takes("}")
    else { return nil }
    return Proof(
      file: file, byteCount: byteCount, byteDigest: byteDigest,
      frames: FrameRange(first: Int(first), count: Int(count)),
      parameterSetDigest: parameterSetDigest, contentDigest: contentDigest)
  }

  /// Whether that comes next; then it is read.
  mutating func takes(_ literal: StaticString) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for offset in 0..<count where bytes[position + offset] != (unsafe literal.utf8Start[offset]) {
      return false
    }
    position += count
    return true
  }

  /// Of at most 18 digits, so that neither it nor the sum of two overflows.
  private mutating func number() -> Int64? {
    let start = position
    var value: Int64 = 0
    while position < bytes.count, 0x30...0x39 ~= bytes[position], position - start < 18 {
      value = value * 10 + Int64(bytes[position] - 0x30)
      position += 1
    }
    let hasLeadingZero = position - start > 1 && bytes[start] == 0x30
    return position > start && !hasLeadingZero ? value : nil
  }

  /// Between quotes: printable ASCII in which nothing is escaped.
  private mutating func text() -> String? {
    guard takes("\"") else { return nil }
    let start = position
    while position < bytes.count, 0x20...0x7e ~= bytes[position], bytes[position] != 0x22,
      bytes[position] != 0x5c
    { position += 1 }
    let end = position
    guard takes("\"") else { return nil }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}
