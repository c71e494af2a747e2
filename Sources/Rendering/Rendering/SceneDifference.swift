internal import FoundationEssentials
internal import JSON
internal import Scenes

extension Scene {
  /// The values by which the scene differs from an earlier one, by their names in the scene.
  ///
  /// - Parameter most: the most differences that are returned.
  /// - Throws: what an encoder throws for values that it cannot write, such as a frame by a compositor of the user's own.
  func differences(from earlier: Scene, most: Int) throws -> [JSONDifference] {
    try values.differences(from: earlier.values, most: most)
  }

  /// The deepest nesting of a scene's values. Layers are up to 32 high, and each takes several values inside of each other.
  private static let depth = 2048

  private var values: JSONValue {
    get throws {
      let encoder = JSONEncoder()
      encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      return try JSONReader.read(Array(encoder.encode(self)), depth: Self.depth).withoutPositions
    }
  }
}

extension JSONValue {
  /// The value without the names that the compiler gives to the values of a case, `_0` and so on, where there is one value.
  fileprivate var withoutPositions: JSONValue {
    switch self {
    case .object(let members) where members.count == 1 && members[0].key == "_0": members[0].value.withoutPositions
    case .object(let members): .object(members.map { Member(key: $0.key, value: $0.value.withoutPositions) })
    case .array(let values): .array(values.map(\.withoutPositions))
    case .null, .bool, .number, .string: self
    }
  }
}
