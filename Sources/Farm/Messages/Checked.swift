internal import PlainText

// Checked decoding of values from the network. Later code then never meets a range that overflows, or a name that breaks a line
// of the log.

extension FrameRange {
  enum CodingKeys: String, CodingKey { case first, count }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let (first, count) = (try container.decode(Int.self, forKey: .first), try container.decode(Int.self, forKey: .count))
    guard Self.isRange(first: first, count: count) else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: Self.noRange))
    }
    self.init(first: first, count: count)
  }

  static let noRange = "not a range of frames"

  static func isRange(first: Int, count: Int) -> Bool {
    first >= 0 && count > 0 && !first.addingReportingOverflow(count).overflow
  }
}

extension SampleRange {
  enum CodingKeys: String, CodingKey { case first, count }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let (first, count) = (try container.decode(Int64.self, forKey: .first), try container.decode(Int64.self, forKey: .count))
    guard first >= 0, count > 0, !first.addingReportingOverflow(count).overflow else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a range of samples"))
    }
    self.init(first: first, count: count)
  }
}

extension AttemptProgress {
  enum CodingKeys: String, CodingKey { case key, done, total, end }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      key: try container.decode(AttemptKey.self, forKey: .key), done: try container.decode(Int64.self, forKey: .done),
      total: try container.decode(Int64.self, forKey: .total), end: try container.decodeIfPresent(Int.self, forKey: .end))
    guard 0 <= done, done <= total, end.map({ $0 > 0 }) ?? true else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a progress"))
    }
  }
}

extension Failure {
  enum CodingKeys: String, CodingKey { case `class`, place, reason, damaged }

  /// Decodes a failure. A failed attempt may say anything, but no text in the database holds a NUL, so each becomes U+FFFD.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Class.self, forKey: .class),
      at: try container.decode(String.self, forKey: .place).replacing("\0", with: "\u{fffd}"),
      try container.decode(String.self, forKey: .reason).replacing("\0", with: "\u{fffd}"),
      damaged: try container.decode([AttemptKey].self, forKey: .damaged))
  }
}

extension WorkerHello {
  /// The most bytes of a name or of an epoch. Together with a slash they are a routing id, which has at most 255 bytes.
  package static let longestName = 120
  /// The most slots, and the most lanes. A hello lists at most four times as many attempts.
  package static let mostSlots = 1024
  /// The lanes of a worker: one attempt can mux a long movie while the other publishes short ones.
  package static let usualLanes = 2
  package static let mostOutputRoots = 32
  /// The attempts that a worker takes ahead of its slots. So many answers are half of the messages that a coordinator hears of a worker at once,
  /// and so many questions fit the pipe to the process that looks for segments.
  package static let usualAhead = 128

  enum CodingKeys: String, CodingKey {
    case worker, epoch, host, processID, slots, lanes, ahead, capabilities, outputRoots, running
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      worker: try container.decode(String.self, forKey: .worker), epoch: try container.decode(String.self, forKey: .epoch),
      host: try container.decode(String.self, forKey: .host), processID: try container.decode(Int32.self, forKey: .processID),
      slots: try container.decode(Int.self, forKey: .slots),
      lanes: try container.decodeIfPresent(Int.self, forKey: .lanes) ?? 0,
      capabilities: try container.decode(Capabilities.self, forKey: .capabilities),
      outputRoots: try container.decodeIfPresent([String].self, forKey: .outputRoots),
      running: try container.decode([AttemptProgress].self, forKey: .running))
    ahead = try container.decodeIfPresent(Int.self, forKey: .ahead)
    guard Self.isName(worker), Self.isName(epoch), host.utf8.count <= 255, host.isPlain, 0...Self.mostSlots ~= slots,
      0...Self.mostSlots ~= lanes, 0...Self.mostSlots ~= ahead ?? 0, outputRoots?.allSatisfy(Self.isRoot) ?? true,
      outputRoots?.count ?? 0 <= Self.mostOutputRoots, running.count <= 4 * Self.mostSlots
    else { throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not a worker")) }
  }

  private static func isRoot(_ path: String) -> Bool {
    (path.utf8.first == UInt8(ascii: "/") || path.hasPrefix("s3://")) && path.utf8.count < 4096 && !path.utf8.contains(0)
  }

  /// Whether `text` may name a worker or an epoch: 1 to `longestName` printable ASCII characters without spaces, quotes and
  /// slashes.
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= longestName && text.utf8.allSatisfy { 0x21...0x7e ~= $0 && $0 != 0x22 && $0 != 0x2f }
  }
}
