import FarmTesting

/// Changes documents by seed, mostly so that they stay valid: values become near ones, or those that the same key has elsewhere.
package struct DocumentMutation {
  private var random: SeededRandom
  /// The values of each key in all documents.
  private let values: [String: [JSON]]
  /// The members of the objects that each key leads to, in all documents.
  private let members: [String: [(key: String, value: JSON)]]

  /// - Parameter pool: the parts of documents from which values are taken.
  package init(seed: UInt64, _ pool: MutationPool) {
    random = SeededRandom(seed: seed)
    (values, members) = (pool.values, pool.members)
  }

  /// The document with one to three changes.
  package mutating func mutated(_ document: JSON) -> JSON {
    var mutated = document
    for _ in 0..<pick([1, 1, 1, 2, 3]) {
      var place = int(0...mutated.size - 1)
      mutated = changed(mutated, key: "", at: &place)
    }
    return mutated
  }

  /// The value, in which the part at `place` is changed. Parts are counted in the order of their keys.
  private mutating func changed(_ value: JSON, key: String, at place: inout Int) -> JSON {
    place -= 1
    if place < 0 { return place == -1 ? changed(value, key) : value }
    switch value {
    case .array(let elements):
      var changed: [JSON] = []
      for element in elements { changed.append(self.changed(element, key: key, at: &place)) }
      return .array(changed)
    case .object(var members):
      for key in members.keys.sorted() { members[key] = members[key].map { changed($0, key: key, at: &place) } }
      return .object(members)
    default: return value
    }
  }

  private mutating func changed(_ value: JSON, _ key: String) -> JSON {
    if let others = values[key], int(0...2) == 0 { return pick(others) }
    switch value {
    case .null: return value
    case .bool(let flag): return .bool(!flag)
    case .number(let number):
      return .number(pick([number + 1, number / 2, -number, number * (1 + 1e-9), number + 0.125, 0, 1]))
    case .string(let text): return .string(changed(text))
    case .array(let elements): return .array(changed(elements))
    case .object(let own): return .object(changed(own, key))
    }
  }

  private mutating func changed(_ text: String) -> String {
    var characters = Array(text)
    guard !characters.isEmpty else { return "x" }
    let place = int(0...characters.count - 1)
    // A digit becomes another one, so that times and colours stay what they are.
    if characters[place].isHexDigit, int(0...4) > 0 {
      characters[place] = pick(Array(characters[place].isNumber ? "0123456789" : "abcdef"))
    } else {
      characters.insert(pick(Array("0aé.歌 ")), at: place)
    }
    return String(characters)
  }

  private mutating func changed(_ elements: [JSON]) -> [JSON] {
    guard !elements.isEmpty else { return elements }
    var changed = elements
    let (one, other) = (int(0...elements.count - 1), int(0...elements.count - 1))
    switch int(0...2) {
    case 0: changed.remove(at: one)
    case 1: changed.insert(elements[one], at: other)
    default: changed.swapAt(one, other)
    }
    return changed
  }

  private mutating func changed(_ own: [String: JSON], _ key: String) -> [String: JSON] {
    var changed = own
    if let others = members[key], int(0...1) == 0 {
      let member = pick(others)
      changed[member.key] = member.value
    } else if !own.isEmpty {
      changed[pick(own.keys.sorted())] = nil
    }
    return changed
  }

  package mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values[int(0...values.count - 1)] }
}

/// The parts of documents from which others are made.
package struct MutationPool {
  private(set) var values: [String: [JSON]] = [:]
  private(set) var members: [String: [(key: String, value: JSON)]] = [:]

  package init(_ documents: [JSON]) { for document in documents { add(document, key: "") } }

  private mutating func add(_ value: JSON, key: String) {
    if !key.isEmpty { values[key, default: []].append(value) }
    for element in value.elements { add(element, key: key) }
    for (name, member) in value.members.sorted(by: { $0.key < $1.key }) {
      members[key, default: []].append((name, member))
      add(member, key: name)
    }
  }
}

extension JSON {
  /// The number of values in it, with itself.
  package var size: Int { 1 + elements.reduce(0) { $0 + $1.size } + members.values.reduce(0) { $0 + $1.size } }
}
