/// A place at which a JSON value differs from an earlier one.
package struct JSONDifference: Hashable, Sendable {
  /// The place in the newer value; in the earlier one where nothing stands there any more.
  package let path: JSONPath
  /// The earlier value; nil where nothing stood there.
  package let was: JSONValue?
  /// The newer value; nil where nothing stands there any more.
  package let now: JSONValue?

  package init(path: JSONPath, was: JSONValue?, now: JSONValue?) { (self.path, self.was, self.now) = (path, was, now) }

  /// The difference in words, such as `layers[1].text: "Opening", was "Opning"`. Values are cut to a line's length.
  package var description: String {
    let place = path.description.isEmpty ? "all of it" : path.description
    switch (was, now) {
    case (let was?, let now?): return "\(place): \(Self.words(now)), was \(Self.words(was))"
    case (nil, let now?): return "\(place): \(Self.words(now)), new"
    case (let was?, nil): return "\(place): gone, was \(Self.words(was))"
    case (nil, nil): return place
    }
  }

  private static let longestWords = 60

  private static func words(_ value: JSONValue) -> String {
    switch value {
    case .array(let values): return "\(values.count) element\(values.count == 1 ? "" : "s")"
    case .object: return value.kind
    case .null, .bool, .number, .string:
      let text = String(decoding: value.canonicalBytes(), as: UTF8.self)
      return text.count <= longestWords ? text : text.prefix(longestWords - 1) + "…"
    }
  }
}

extension JSONValue {
  /// The places at which this value differs from an earlier one, outermost first where a whole value is new or gone. Members of objects are
  /// compared by their keys, whatever their order. Elements of arrays that are equal at the beginning and at the end are passed over, and those
  /// between them are compared one by one, so that an element that was inserted is one difference.
  ///
  /// - Parameter most: the most differences that are returned: the first ones.
  package func differences(from earlier: JSONValue, most: Int) -> [JSONDifference] {
    var found: [JSONDifference] = []
    Self.compare(earlier, self, at: .root, most: most, into: &found)
    return found
  }

  private static func compare(
    _ was: JSONValue?, _ now: JSONValue?, at path: JSONPath, most: Int, into found: inout [JSONDifference]
  ) {
    guard found.count < most else { return }
    switch (was, now) {
    case (.object(let before)?, .object(let after)?):
      compare(before, after, at: path, most: most, into: &found)
    case (.array(let before)?, .array(let after)?):
      compare(before, after, at: path, most: most, into: &found)
    default:
      if was != now { found.append(JSONDifference(path: path, was: was, now: now)) }
    }
  }

  private static func compare(
    _ before: [Member], _ after: [Member], at path: JSONPath, most: Int, into found: inout [JSONDifference]
  ) {
    let earlier = Dictionary(before.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    for member in after { compare(earlier[member.key], member.value, at: path[member.key], most: most, into: &found) }
    let kept = Set(after.map(\.key))
    for member in before where !kept.contains(member.key) {
      compare(member.value, nil, at: path[member.key], most: most, into: &found)
    }
  }

  private static func compare(
    _ before: [JSONValue], _ after: [JSONValue], at path: JSONPath, most: Int, into found: inout [JSONDifference]
  ) {
    let shorter = min(before.count, after.count)
    var (head, tail) = (0, 0)
    while head < shorter, before[head] == after[head] { head += 1 }
    while tail < shorter - head, before[before.count - 1 - tail] == after[after.count - 1 - tail] { tail += 1 }
    let (was, now) = (before[head..<(before.count - tail)], after[head..<(after.count - tail)])
    let common = min(was.count, now.count)
    for place in head..<(head + common) { compare(before[place], after[place], at: path[place], most: most, into: &found) }
    for place in now.indices.dropFirst(common) { compare(nil, after[place], at: path[place], most: most, into: &found) }
    for place in was.indices.dropFirst(common) { compare(before[place], nil, at: path[place], most: most, into: &found) }
  }
}
