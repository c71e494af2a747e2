// Two kinds of messages make up most of the traffic of a farm: a heartbeat a second from each worker, and each result. They are
// read by hand if they have exactly the form in which this version writes them: sorted keys, no spaces, no escapes. All other
// messages, and those of this form with values that are not allowed, are left to the general JSON reader.
extension WorkerMessage {
  /// Reads a heartbeat or a result in its usual form; nil for anything else.
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
  /// The message `CoordinatorMessage.settled`, exactly as `encode` writes it. Each result is answered with one.
  package static func settled(_ key: AttemptKey) -> [[UInt8]] {
    [header, Array(#"{"settled":{"_0":{"attempt":\#(key.attempt),"task":\#(key.task)}}}"#.utf8)]
  }
}

extension Proof {
  /// The proof exactly as the general JSON writer writes it; nil where it is not that of a whole chunk with one picture of a stated setting,
  /// and a plain path. Each result is stored so.
  package var canonicalJSON: String? {
    guard case .picture(let proof) = self, proof.segment.concealed.isEmpty, proof.renditions.isEmpty, proof.quality == nil else {
      return nil
    }
    let segment = proof.segment
    let texts = [segment.file.byteDigest, segment.contentDigest, segment.file.path, segment.parameterSetDigest]
    guard (texts + [proof.key ?? ""]).allSatisfy(\.isPlainASCII) else { return nil }
    let times = segment.times.map {
      #""milliseconds":{"compositing":\#($0.compositing),"encoding":\#($0.encoding),"opening":\#($0.opening),"reading":\#($0.reading)},"#
    }
    return #"{"byteCount":\#(segment.file.byteCount),"byteDigest":"\#(texts[0])","contentDigest":"\#(texts[1])","#
      + #""file":"\#(texts[2])",\#(proof.isFound ? #""found":true,"# : "")"frames":{"count":\#(proof.frames.count),"#
      + #""first":\#(proof.frames.first)},\#(proof.key.map { #""key":"\#($0)","# } ?? "")"kind":"picture","#
      + #"\#(times ?? "")"parameterSetDigest":"\#(texts[3])"}"#
  }
}

extension String {
  /// Whether JSON writes the text as it is, between quotes.
  fileprivate var isPlainASCII: Bool {
    utf8.allSatisfy { 0x20...0x7e ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }
}

/// Reads JSON of a known form, from its beginning to its end. A method that does not find its form returns nil. The reader must
/// not be used after that.
private struct CanonicalReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// Reads the rest of a heartbeat, after its beginning `{"heartbeat":{"epoch":`.
  mutating func heartbeat() -> WorkerMessage? {
    guard let epoch = text(), takes(#","running":["#), let running = progresses(),
      takes(#","worker":"#), let worker = text(),
      takes("}}")
    else { return nil }
    return .heartbeat(worker: worker, epoch: epoch, running: running)
  }

  /// Reads a whole result.
  mutating func finished() -> WorkerMessage? {
    guard takes(#"{"finished":{"_2":"#), let key = key(), takes(#","_3":"#), let proof = proof(),
      takes(#","epoch":"#),
      let epoch = text(), takes(#","worker":"#), let worker = text(), takes("}}")
    else { return nil }
    return .finished(worker: worker, epoch: epoch, key, proof)
  }

  /// Reads the rest of an array of progress reports, after its opening bracket and up to its closing one.
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

  /// Reads the proof of a chunk without renditions whose media are whole. The general reader reads all other proofs.
  private mutating func proof() -> Proof? {
    guard takes(#"{"byteCount":"#), let byteCount = number(), FileProof.isByteCount(byteCount),
      takes(#","byteDigest":"#), let byteDigest = digest(),
      takes(#","contentDigest":"#), let contentDigest = digest(),
      takes(#","file":"#), let path = text(), FileProof.isPath(path)
    else { return nil }
    let isFound = takes(#","found":true"#)
    guard takes(#","frames":{"count":"#), let count = number(), count > 0, takes(#","first":"#), let first = number(), takes("},")
    else { return nil }
    var key: String?
    if takes(#""key":"#) {
      guard let told = digest(), takes(",") else { return nil }
      key = told
    }
    guard takes(#""kind":"picture","#) else { return nil }
    var rendering: RenderingTimes?
    if takes(#""milliseconds":"#) {
      guard let told = times(), takes(",") else { return nil }
      rendering = told
    }
    guard takes(#""parameterSetDigest":"#), let parameterSetDigest = digest(), takes("}") else { return nil }
    let file = FileProof(path: path, byteCount: byteCount, byteDigest: byteDigest)
    return .picture(
      PictureProof(
        frames: FrameRange(first: Int(first), count: Int(count)),
        segment: SegmentProof(
          file: file, parameterSetDigest: parameterSetDigest, contentDigest: contentDigest, times: rendering), key: key,
        isFound: isFound))
  }

  private mutating func times() -> RenderingTimes? {
    guard takes(#"{"compositing":"#), let compositing = number(), takes(#","encoding":"#), let encoding = number(),
      takes(#","opening":"#), let opening = number(), takes(#","reading":"#), let reading = number(), takes("}"),
      [opening, reading, compositing, encoding].allSatisfy({ $0 <= RenderingTimes.longest })
    else { return nil }
    return RenderingTimes(opening: opening, reading: reading, compositing: compositing, encoding: encoding)
  }

  private mutating func digest() -> String? {
    guard let text = text(), FileProof.isDigest(text) else { return nil }
    return text
  }

  /// Reads `literal` if it comes next, and returns whether it does.
  mutating func takes(_ literal: StaticString) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard bytes.count - position >= count else { return false }
    for offset in 0..<count where bytes[position + offset] != (unsafe literal.utf8Start[offset]) {
      return false
    }
    position += count
    return true
  }

  /// Reads a number that is not negative. It has at most 18 digits, so that neither it nor the sum of two overflows.
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

  /// Reads a text in quotes. It may hold only printable ASCII, with nothing escaped.
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
