internal import FoundationEssentials
internal import PlainText

/// The encoding of messages between coordinator and worker. A message has two frames: the format's name and version, and the
/// message as JSON (docs/protocol.md).
package enum Wire {
  /// The version of the format. Both sides refuse other versions. It also rises where a worker of the version before would read
  /// every message but render something else. Version 2 is that of clips with alpha; version 3 has the pictures of a mux as
  /// columns; version 4 has sound in parts; in version 5 the digest of a movie is that of its blocks.
  package static let version = 6
  /// The most bytes of a message from a worker. A hello may need two thirds of it.
  package static let longestMessage = 1 << 20
  /// The most bytes of an order, and of a message from the coordinator. It holds the longest document (16 MiB) with its quotes
  /// escaped, the facts of 10,000 assets, and the segments of the most chunks of a plan.
  package static let longestOrder = 64 << 20
  /// The most bytes of a line from an attempt's process.
  package static let longestReport = 256 << 10
  /// The most bytes of a line that amends an order.
  package static let longestAmendment = 256

  static let header = Array("spool/\(version)".utf8)

  package static func encode<Message: WireMessage>(_ message: Message) throws(WireError) -> [[UInt8]] {
    [header, try json(message, limit: Message.byteLimit)]
  }

  /// The encoded message `CoordinatorMessage.heard`, made once, because half of all that a coordinator sends is this message.
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
    if Message.self == CoordinatorMessage.self,
      let message = try order(CoordinatorMessage.self, frames[1], limit: Message.byteLimit, keepsDocument: true) as? Message
    {
      return message
    }
    return try value(Message.self, frames[1], limit: Message.byteLimit)
  }

  static func json(_ value: some Encodable, limit: Int) throws(WireError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes: [UInt8]
    do { bytes = Array(try encoder.encode(value)) } catch { throw .malformed(JSONWords.of(error)) }
    guard bytes.count <= limit else { throw .tooLong(bytes.count, most: limit) }
    return bytes
  }

  /// Reads a message that may have a document.
  fileprivate static func order<Value: DocumentHolder>(
    _: Value.Type, _ bytes: [UInt8], limit: Int, keepsDocument: Bool = false
  ) throws(WireError) -> Value {
    guard bytes.count <= limit, let document = OrderedDocument(in: bytes, keeps: keepsDocument) else {
      return try value(Value.self, bytes, limit: limit)
    }
    var order = try value(Value.self, document.rest, limit: limit)
    order.hold(document: document.text)
    return order
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

/// A message between coordinator and worker.
package protocol WireMessage: Codable {
  /// The most bytes of a message. Longer ones are neither written nor read.
  static var byteLimit: Int { get }
}

extension WorkerMessage: WireMessage {
  package static var byteLimit: Int { Wire.longestMessage }
}

extension CoordinatorMessage: WireMessage {
  package static var byteLimit: Int { Wire.longestOrder }
}

/// The reason why a message cannot be read or sent.
package enum WireError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sender speaks another version; the payload is its header.
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
  /// The order as one line of JSON with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestOrder) + [UInt8(ascii: "\n")] }

  /// Reads an order.
  ///
  /// - Parameter line: JSON, with or without a line feed.
  package init(line: [UInt8]) throws(WireError) { self = try Wire.order(AttemptOrder.self, line, limit: Wire.longestOrder + 1) }
}

extension OrderAmendment {
  /// The amendment as one line of JSON with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestAmendment) + [UInt8(ascii: "\n")] }

  /// Reads an amendment.
  ///
  /// - Parameter line: JSON, with or without a line feed.
  package init(line: [UInt8]) throws(WireError) {
    self = try Wire.value(OrderAmendment.self, line, limit: Wire.longestAmendment + 1)
  }
}

extension RecallQuestion {
  /// The question as one line of JSON with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestAmendment) + [UInt8(ascii: "\n")] }

  package init(line: String) throws(WireError) {
    self = try Wire.value(RecallQuestion.self, Array(line.utf8), limit: Wire.longestAmendment)
  }
}

extension RecallAnswer {
  /// The answer as one line of JSON with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestReport) + [UInt8(ascii: "\n")] }

  package init(line: String) throws(WireError) {
    self = try Wire.value(RecallAnswer.self, Array(line.utf8), limit: Wire.longestReport)
  }
}

extension SweepOrder {
  /// The order as one line of JSON with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestOrder) + [UInt8(ascii: "\n")] }

  /// Reads an order.
  ///
  /// - Parameter line: JSON, with or without a line feed.
  package init(line: [UInt8]) throws(WireError) { self = try Wire.value(SweepOrder.self, line, limit: Wire.longestOrder + 1) }
}

extension FontOrder {
  /// The order as one line of JSON with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestMessage) + [UInt8(ascii: "\n")] }

  /// Reads an order.
  ///
  /// - Parameter line: JSON, with or without a line feed.
  package init(line: [UInt8]) throws(WireError) { self = try Wire.value(FontOrder.self, line, limit: Wire.longestMessage + 1) }
}

extension AttemptReport {
  /// The report as one line of JSON with its line feed.
  package func line() throws(WireError) -> [UInt8] { try Wire.json(self, limit: Wire.longestReport) + [UInt8(ascii: "\n")] }

  package init(line: String) throws(WireError) {
    self = try Wire.value(AttemptReport.self, Array(line.utf8), limit: Wire.longestReport)
  }
}
