/// A value as it is written: what a reader finds in the bytes of a `ValueWriter`, or what ought to be there.
indirect enum WrittenValue: Hashable {
  case null, bool(Bool), integer(Int64), natural(UInt64), wide(Int128)
  /// Floating-point numbers, by their bits.
  case double(UInt64), float(UInt64)
  /// A string's bytes. Two strings that Unicode takes for equal are two values.
  case string([UInt8])
  case object([String: WrittenValue])
  case array([WrittenValue])

  /// The values in `bytes`, one after the other.
  static func all(in bytes: [UInt8]) throws -> [WrittenValue] {
    var (reader, values): (WrittenReader, [WrittenValue]) = (WrittenReader(bytes[...]), [])
    while !reader.isAtEnd { values.append(try reader.value()) }
    return values
  }
}

/// Bytes that no `ValueWriter` writes.
struct UnreadableBytes: Error, CustomStringConvertible {
  let description: String
}

/// Reads what a `ValueWriter` wrote.
private struct WrittenReader {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func value() throws -> WrittenValue {
    let tag = try byte()
    switch tag {
    case 0: return .null
    case 1, 2: return .bool(tag == 2)
    case 3: return .integer(Int64(bitPattern: try word()))
    case 4: return .natural(try word())
    case 5:
      let low = try word()
      return .wide(Int128(truncatingIfNeeded: try word()) << 64 | Int128(low))
    case 6: return .double(try word())
    case 7: return .float(try word())
    case 8: return .string(try text())
    case 9:
      var members: [String: WrittenValue] = [:]
      while true {
        let next = try byte()
        if next == 12 { return .object(members) }
        guard next == 10 else { throw UnreadableBytes(description: "the tag \(next) in an object") }
        let key = String(decoding: try text(), as: UTF8.self)
        guard members.updateValue(try value(), forKey: key) == nil else { throw UnreadableBytes(description: "\(key) twice") }
      }
    case 11:
      var elements: [WrittenValue] = []
      while bytes.first != 12 { elements.append(try value()) }
      bytes.removeFirst()
      return .array(elements)
    default: throw UnreadableBytes(description: "the tag \(tag)")
    }
  }

  private mutating func byte() throws -> UInt8 {
    guard let byte = bytes.popFirst() else { throw UnreadableBytes(description: "the bytes end") }
    return byte
  }

  private mutating func word() throws -> UInt64 {
    try (0..<8).reduce(0) { try $0 | UInt64(byte()) << (8 * UInt64($1)) }
  }

  private mutating func text() throws -> [UInt8] {
    var (count, shift, next) = (0, 0, UInt8(0x80))
    while next >= 0x80 {
      next = try byte()
      count |= Int(next & 0x7f) << shift
      shift += 7
    }
    guard bytes.count >= count else { throw UnreadableBytes(description: "the bytes end in a string") }
    defer { bytes.removeFirst(count) }
    return Array(bytes.prefix(count))
  }
}
