internal import JSON

/// The slots of a Lottie file: values that programs may exchange, by names that properties and assets refer to. The file's own are drawn.
struct LottieSlots {
  private var values: [String: [JSONValue.Member]] = [:]

  /// - Parameter root: the whole file.
  init(_ root: JSONValue) {
    for slot in Self.members(Self.members(root).first { $0.key == "slots" }?.value) {
      guard let value = Self.members(slot.value).first(where: { $0.key == "p" })?.value else { continue }
      values[slot.key] = Self.members(value)
    }
  }

  /// Whether the text of a file refers to slots. Few files do, and the others are not gone through.
  static func areUsed(in bytes: [UInt8]) -> Bool {
    let key = Array("\"sid\"".utf8)
    return bytes.indices.dropLast(key.count).contains { bytes[$0] == key[0] && bytes[$0..<$0 + key.count].elementsEqual(key) }
  }

  /// The file with the values of its slots, which go before what properties and assets say themselves, as in lottie-web.
  ///
  /// - Parameter missing: takes the place of each name that no slot has.
  func filled(_ root: JSONValue, missing: (JSONPath, String) -> Void) -> JSONValue {
    filled(LottieNode(value: root, path: .root), missing)
  }

  private func filled(_ node: LottieNode, _ missing: (JSONPath, String) -> Void) -> JSONValue {
    switch node.value {
    case .array: return .array(node.elements.map { filled($0, missing) })
    case .object(let members):
      if let name = node.text("sid") {
        guard let value = values[name] else {
          missing(node.path["sid"], name)
          return node.value
        }
        // The values of slots are shared, however many properties have them, and refer to no others.
        let keys = Set(value.map(\.key))
        return .object(members.filter { !keys.contains($0.key) } + value)
      }
      return .object(
        members.map { member in
          let inner = LottieNode(value: member.value, path: node.path[member.key])
          return JSONValue.Member(key: member.key, value: member.key == "slots" ? member.value : filled(inner, missing))
        })
    default: return node.value
    }
  }

  private static func members(_ value: JSONValue?) -> [JSONValue.Member] {
    if case .object(let members)? = value { members } else { [] }
  }
}
