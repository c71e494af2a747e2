/// A value of a request's body that has no other keys than those that are known. A key that is written wrongly would be as if it were not
/// there, and a filter without its only key means all jobs.
struct Strict<Value: Keyed>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyKey.self)
    if let stranger = container.allKeys.map(\.stringValue).sorted().first(where: { !Value.keys.contains($0) }) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath + [AnyKey(stringValue: stranger)],
          debugDescription: "there is no such key: there are \(Value.keys.joined(separator: ", "))"))
    }
    value = try Value(from: decoder)
  }
}

/// A value with known keys.
protocol Keyed: Decodable {
  static var keys: [String] { get }
}

private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { return nil }
}
