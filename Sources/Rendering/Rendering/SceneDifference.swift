internal import FoundationEssentials
internal import JSON
internal import Scenes

extension Scene {
  /// The values by which the scene differs from an earlier one, by their names in the scene.
  ///
  /// - Parameter most: the most differences that are returned.
  /// - Throws: what an encoder throws for values that it cannot write, such as a frame by a compositor of the user's own.
  func differences(from earlier: Scene, most: Int) throws -> [JSONDifference] {
    try values.differences(from: earlier.values, most: most).map {
      JSONDifference(path: $0.path.withoutPositions, was: $0.was, now: $0.now)
    }
  }

  /// The deepest nesting of a scene's values. Layers are up to 32 high, and each takes several values inside of each other.
  private static let depth = 2048

  private var values: JSONValue {
    get throws {
      let encoder = JSONEncoder()
      // The order of the differences that are told is the same each time.
      encoder.outputFormatting = .sortedKeys
      encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      return try JSONReader.read(Array(encoder.encode(self)), depth: Self.depth)
    }
  }
}

extension JSONPath {
  /// The path without the names that the compiler gives to the values of a case: `_0`, `_1` and so on.
  fileprivate var withoutPositions: JSONPath {
    switch self {
    case .root: .root
    case .index(let parent, let index): .index(parent.withoutPositions, index)
    case .key(let parent, let key):
      key.wholeMatch(of: /_[0-9]+/) == nil ? .key(parent.withoutPositions, key) : parent.withoutPositions
    }
  }
}
