internal import FoundationEssentials
internal import PlainText

/// How messages between coordinator and worker are written: two frames, the format's name and version, and the message
/// as JSON (docs/protocol.md).
package enum Wire {
  /// Both sides refuse another one.
  package static let version = 1
  /// Bytes of a message from a worker: two thirds of it are what a greeting lists at the most.
  package static let longestMessage = 1 << 20
  /// Bytes of an order, and of a message from the coordinator: the longest document (16 MiB), whose quotes are escaped here,
  /// what 10,000 assets are, and the segments of the most chunks that a plan has.
  package static let longestOrder = 64 << 20
  /// Bytes of a line that an attempt's process writes.
  package static let longestReport = 256 << 10
  /// Bytes of a line that amends an order.
  package static let longestAmendment = 256

  static let header = Array("spool/\(version)".utf8)

  package static func encode<Message: WireMessage>(_ message: Message) throws(WireError) -> [[UInt8]] {
    [header, try json(message, limit: Message.byteLimit)]
  }

  /// `CoordinatorMessage.heard`, as `encode` writes it: half of all that a coordinator says is this one.
  package static let heard = Result { () throws(WireError) in try encode(CoordinatorMessage.heard) }

  package static func decode<Message: WireMessage>(_: Message.Type, from frames: [[UInt8]]) throws(WireError) -> Message {
    guard frames.count == 2 else { throw .malformed("\(frames.count) frames instead of 2") }
    guard frames[0] == header else {
      let name = String(decoding: frames[0].prefix(32), as: UTF8.self)
      throw name.hasPrefix("spool/") ? .otherVersion(name) : .malformed("not a message of this protocol")
    }
    if Message.self == WorkerMessage.self, frames[1].count <= Message.byteLimit,
      let message = WorkerMessage(canonical: frames[1]) as? Message
    {
      return message
    }
    return try value(Message.self, frames[1], limit: Message.byteLimit)
  }

  fileprivate static func json(_ value: some Encodable, limit: Int) throws(WireError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes: [UInt8]
    do { bytes = Array(try encoder.encode(value)) } catch { throw .malformed(JSONWords.of(error)) }
    guard bytes.count <= limit else { throw .tooLong(bytes.count, most: limit) }
    return bytes
  }

  fileprivate static func value<Value: Decodable>(_: Value.Type, _ bytes: [UInt8], limit: Int) throws(WireError) -> Value {
    guard bytes.count <= limit else { throw .tooLong(bytes.count, most: limit) }
    do {
      return try JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch {
      throw .malformed(String(JSONWords.of(error).prefix(200)))
    }
  }
}

/// What coordinator and worker say to each other.
package protocol WireMessage: Codable {
  /// A longer one is neither written nor read.
  static var byteLimit: Int { get }
}

extension WorkerMessage: WireMessage {
  package static var byteLimit: Int { Wire.longestMessage }
}

extension CoordinatorMessage: WireMessage {
  package static var byteLimit: Int { Wire.longestOrder }
}

/// A message that is not read, or cannot be sent.
package enum WireError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The header of the version that the sender speaks.
  case otherVersion(String)
  case malformed(String)
  case tooLong(Int, most: Int)

  package var description: String {
    switch self {
    case .otherVersion(let name): "speaks \(name), this is spool/\(Wire.version)"
    case .malformed(let reason): "malformed: \(reason)"
    case .tooLong(let count, let most): "\(count) bytes are more than \(most)"
    }
  }
}

extension AttemptOrder {
  /// One line of JSON, with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestOrder) + [UInt8(ascii: "\n")] }

  /// - Parameter line: JSON, with or without a line feed.
  package init(line: [UInt8]) throws(WireError) { self = try Wire.value(AttemptOrder.self, line, limit: Wire.longestOrder + 1) }
}

extension OrderAmendment {
  /// One line of JSON, with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestAmendment) + [UInt8(ascii: "\n")] }

  /// - Parameter line: JSON, with or without a line feed.
  package init(line: [UInt8]) throws(WireError) {
    self = try Wire.value(OrderAmendment.self, line, limit: Wire.longestAmendment + 1)
  }
}

extension SweepOrder {
  /// One line of JSON, with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestOrder) + [UInt8(ascii: "\n")] }

  /// - Parameter line: JSON, with or without a line feed.
  package init(line: [UInt8]) throws(WireError) { self = try Wire.value(SweepOrder.self, line, limit: Wire.longestOrder + 1) }
}

extension FontOrder {
  /// One line of JSON, with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestMessage) + [UInt8(ascii: "\n")] }

  /// - Parameter line: JSON, with or without a line feed.
  package init(line: [UInt8]) throws(WireError) { self = try Wire.value(FontOrder.self, line, limit: Wire.longestMessage + 1) }
}

extension AttemptReport {
  /// One line of JSON, with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestReport) + [UInt8(ascii: "\n")] }

  package init(line: String) throws(WireError) {
    self = try Wire.value(AttemptReport.self, Array(line.utf8), limit: Wire.longestReport)
  }
}
