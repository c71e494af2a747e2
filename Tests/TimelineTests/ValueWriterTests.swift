import FarmTesting
import MediaTime
import Scenes
import Testing

@Suite struct `Values as bytes` {
  private enum Shape: Encodable, Hashable {
    case point
    case circle(radius: Double)
    case line(Int, Int, dash: [Double]?)
  }

  private struct Sample: Encodable {
    var name = "é"
    var count: Int? = nil
    var small: Int8 = -1
    var share: Float = 0.5
    var shapes: [Shape?] = [.point, nil, .circle(radius: 2), .line(1, 2, dash: [])]
    var axes = ["wght": 1.0]
    var time = MediaTime.oneSecond
    var length = UInt16(7)
  }

  private func value(_ value: some Encodable) throws -> WrittenValue {
    let values = try WrittenValue.all(in: ValueWriter.bytes(of: value))
    #expect(values.count == 1)
    return try #require(values.first)
  }

  @Test func `have a tag for each kind, and the names of properties and cases`() throws {
    let one = WrittenValue.double(1.0.bitPattern)
    #expect(
      try value(Sample())
        == .object([
          "name": .string([0xc3, 0xa9]), "small": .integer(-1), "share": .float(UInt64(Float(0.5).bitPattern)),
          "shapes": .array([
            .object(["point": .object([:])]), .null, .object(["circle": .object(["radius": .double(2.0.bitPattern)])]),
            .object(["line": .object(["_0": .integer(1), "_1": .integer(2), "dash": .array([])])]),
          ]), "axes": .object(["wght": one]), "time": .object(["value": .integer(1), "timescale": .integer(1)]),
          "length": .natural(7),
        ]))
    #expect(try value(Int128.min + 5) == .wide(Int128.min + 5))
    for count in [127, 128, 16_384] {
      #expect(try value(String(repeating: "a", count: count)) == .string([UInt8](repeating: 0x61, count: count)))
    }
    #expect(try value(0...SIMD2(1.0, 2).y) == .array([.double(0), .double(2.0.bitPattern)]))
    #expect(try value([Int?.none]) == .array([.null]))
    #expect(try value(["a": Int?.none]) == .object(["a": .null]) && value([String: Int?]()) == .object([:]))
  }

  @Test func `are told apart where they are nearly equal`() throws {
    let values: [any Encodable] = [
      0, 0.0, -0.0, Double.nan, Double.ulpOfOne, Float(0), "", "0", false, true, UInt(0), Int128(0), Int?.none, [Int](),
      [Int?.none],
      [0], [[0]], [0, 0], [[0], [0]], [[0, 0]], [""], ["", ""], ["a", "b"], ["ab"], ["a", ""], ["é"], ["e\u{301}"], "\0", "\0\0",
      [String: Int](), ["a": 0], ["a": 0, "b": 0], ["a": ["b": 0]], ["a": [0]], Shape.point, [Shape.point],
      Shape.circle(radius: 0),
      Shape.line(0, 1, dash: nil), Shape.line(0, 1, dash: []), Shape.line(1, 0, dash: nil), MediaTime.zero, MediaTime.oneSecond,
      MediaTime(milliseconds: 1), Rational(1), SIMD3(1.0, 2, 3), [1.0, 2, 3, 4],
    ]
    let bytes = try values.map { try ValueWriter.bytes(of: $0) }
    for (one, first) in bytes.enumerated() {
      for (other, second) in bytes.enumerated() where one != other {
        // Equal bytes are a beginning, too.
        #expect(!second.starts(with: first), "\(values[one]) and \(values[other])")
      }
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `tell where each of several ends, however they are divided`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func text() -> String {
      String((0..<Int.random(in: 0...3, using: &random)).map { _ in "a\u{c}\u{a}".randomElement(using: &random) ?? "a" })
    }
    var found: [[UInt8]: [[[String]]]] = [:]
    for _ in 0..<400 {
      let lists = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        (0..<Int.random(in: 0...2, using: &random)).map { _ in text() }
      }
      var bytes: [UInt8] = []
      for list in lists { try ValueWriter.append(list, to: &bytes) }
      #expect(try WrittenValue.all(in: bytes) == lists.map { .array($0.map { .string(Array($0.utf8)) }) })
      #expect(found.updateValue([lists], forKey: bytes).map { $0 == [lists] } ?? true)
    }
  }

  @Test func `are sorted where a dictionary has strings for keys`() throws {
    let keys = (0..<100).map { "\($0 * 7919 % 1000)" }
    let expected = try ValueWriter.bytes(of: Dictionary(uniqueKeysWithValues: keys.map { ($0, [$0: 1]) }))
    for _ in 0..<20 {
      // A dictionary that grew in another order, or to another size, has another order.
      var other: [String: [String: Int]] = [:]
      other.reserveCapacity(Int.random(in: 1...5_000))
      for key in keys.shuffled() { other[key] = [key: 1] }
      #expect(try ValueWriter.bytes(of: other) == expected)
    }
  }

  @Test func `are the same in every process, whatever the seed of its hashes`() throws {
    let expected: [UInt8] = [
      9, 10, 1, 0x61, 3, 1, 0, 0, 0, 0, 0, 0, 0, 10, 1, 0x62, 3, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      10, 2, 0x61, 0x61, 8, 2, 0xc3, 0xa9, 12,
    ]
    let values: [String: any Encodable] = ["aa": "é", "b": -2, "a": 1]
    #expect(try ValueWriter.bytes(of: values.mapValues(AnyValue.init)) == expected)
  }

  private struct AnyValue: Encodable {
    let value: any Encodable
    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  private struct Own: Encodable {
    let encode: @Sendable (any Encoder) throws -> Void
    func encode(to encoder: any Encoder) throws { try encode(encoder) }
  }

  @Test func `are refused where they have no order, or do not write themselves once`() throws {
    func fault(_ value: some Encodable) -> String {
      var bytes: [UInt8] = [1, 2]
      do {
        try ValueWriter.append(value, to: &bytes)
        return "no fault"
      } catch {
        #expect(bytes == [1, 2])
        return "\(error)"
      }
    }
    let unordered = "has elements that may have no order"
    #expect(fault(Set([1])) == "Set<Int> cannot be written: it \(unordered)")
    #expect(fault([[1: Set(["a"])]]) == "Set<String> cannot be written: it \(unordered)")
    #expect(fault([MediaTime.zero: 1]) == "Dictionary<MediaTime, Int> cannot be written: it \(unordered)")
    #expect(fault(Own { try Set([1]).encode(to: $0) }) == "Own cannot be written: it \(unordered)")
    #expect(fault(Own { _ in }) == "Own cannot be written: it writes nothing")
    #expect(fault([Own { _ in }]) == "Own cannot be written: it writes nothing")
    let twice = Own { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(1)
      try container.encode(2)
    }
    #expect(fault(twice) == "Own cannot be written: it writes two values for one")
    let late = Own { encoder in
      var container = encoder.container(keyedBy: Key.self)
      var first = container.nestedContainer(keyedBy: Key.self, forKey: .a)
      try container.encode(1, forKey: .b)
      try first.encode(2, forKey: .a)
    }
    #expect(fault(late) == "Own cannot be written: it writes into a container that is closed")
  }

  private enum Key: CodingKey { case a, b }
}
