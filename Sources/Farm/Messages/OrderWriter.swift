/// Writes the message `CoordinatorMessage.assign`, exactly as `Wire.encode` does.
///
/// A job's specification is the largest part of each of its orders and the same in all of them, so its JSON is kept. Orders of
/// pictures are put together by hand; of the others a job has only a few.
package struct OrderWriter {
  private struct Kept {
    let spec: JobSpec
    let json: [UInt8]
  }

  /// The most jobs, and the most bytes of their JSON, that are kept. When there is more, all are forgotten.
  private static let (mostJobs, mostBytes) = (4096, 64 << 20)
  private var kept: [String: Kept] = [:]
  private var bytes = 0

  package init() {}

  /// The frames of the message.
  /// - Throws: `WireError.tooLong` for an order that nobody would read.
  package mutating func write(_ order: AttemptOrder) throws(WireError) -> [[UInt8]] {
    guard case .picture(let frames) = order.work, let job = Self.quoted(order.job) else {
      return try Wire.encode(CoordinatorMessage.assign(order))
    }
    let spec = try json(of: order.spec, job: order.job)
    var message = Array(#"{"assign":{"_0":{"job":"#.utf8)
    message.reserveCapacity(spec.count + 256)
    message += job
    message += #","key":{"attempt":\#(order.key.attempt),"task":\#(order.key.task)}"#.utf8
    if let patience = order.patience { message += #","patience":\#(patience)"#.utf8 }
    message += #","spec":"#.utf8
    message += spec
    message += #","work":{"picture":{"_0":{"count":\#(frames.count),"first":\#(frames.first)}}}}}}"#.utf8
    let limit = CoordinatorMessage.byteLimit
    guard message.count <= limit else { throw .tooLong(message.count, most: limit) }
    return [Wire.header, message]
  }

  /// A text in quotes; nil where something in it would have to be escaped.
  private static func quoted(_ text: String) -> [UInt8]? {
    guard text.utf8.allSatisfy({ 0x20...0x7e ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else { return nil }
    return Array("\"\(text)\"".utf8)
  }

  private mutating func json(of spec: JobSpec, job: String) throws(WireError) -> [UInt8] {
    if let found = kept[job] {
      // A retry may name another output.
      if found.spec == spec { return found.json }
      kept[job] = nil
      bytes -= found.json.count
    }
    let json = try Wire.json(spec, limit: CoordinatorMessage.byteLimit)
    if kept.count >= Self.mostJobs || bytes + json.count > Self.mostBytes { (kept, bytes) = ([:], 0) }
    kept[job] = Kept(spec: spec, json: json)
    bytes += json.count
    return json
  }
}
