/// The place of a value in a document, written `composition.tracks[1].segments[0].source`.
package indirect enum JSONPath: Hashable, Sendable, CustomStringConvertible {
  case root
  case key(JSONPath, String)
  case index(JSONPath, Int)

  package subscript(_ key: String) -> JSONPath { .key(self, key) }
  package subscript(_ index: Int) -> JSONPath { .index(self, index) }

  /// The path as text. It is empty for the whole document. A key that is not a plain word is quoted: `assets["my clip"]`.
  package var description: String {
    switch self {
    case .root: return ""
    case .index(let parent, let index): return "\(parent)[\(index)]"
    case .key(let parent, let key):
      guard Self.isWord(key) else {
        return "\(parent)[\(String(decoding: JSONValue.string(key).canonicalBytes(), as: UTF8.self))]"
      }
      return parent == .root ? key : "\(parent).\(key)"
    }
  }

  private static func isWord(_ key: String) -> Bool {
    !key.isEmpty && key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
  }
}
