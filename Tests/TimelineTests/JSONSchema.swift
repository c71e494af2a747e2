import EditTesting
import FoundationEssentials

/// The part of JSON Schema (draft 2020-12) that the document's schema uses. An unknown keyword is an error, so that no part of
/// the schema stays untested.
struct JSONSchema {
  struct UnknownKeyword: Error { let keyword: String }

  /// The regular expressions that were read so far, by their text.
  private final class Patterns {
    private var known: [String: Regex<AnyRegexOutput>] = [:]

    func matches(_ text: String, _ pattern: String) throws -> Bool {
      let regex = try known[pattern] ?? Regex(pattern)
      known[pattern] = regex
      return try regex.wholeMatch(in: text) != nil
    }
  }

  /// The keywords that look at values within the value, or at other schemas. They are asked last: asked first, each of the kinds of a
  /// layer looks at all layers within it, which takes eight times as long for each level of the tree.
  private static let deep: Set = ["$ref", "oneOf", "allOf", "if", "not", "properties", "propertyNames", "items", "prefixItems"]

  let root: JSON
  private let patterns = Patterns()

  init(_ root: JSON) { self.root = root }

  func accepts(_ value: JSON) throws -> Bool { try accepts(value, root) }

  private func accepts(_ value: JSON, _ schema: JSON) throws -> Bool {
    if case .bool(let accepts) = schema { return accepts }
    let (deep, keywords) = (Self.deep, schema.members)
    return try keywords.allSatisfy { try deep.contains($0.key) || holds($0.key, $0.value, of: value, schema) }
      && keywords.allSatisfy { try !deep.contains($0.key) || holds($0.key, $0.value, of: value, schema) }
  }

  private func holds(_ keyword: String, _ argument: JSON, of value: JSON, _ schema: JSON) throws -> Bool {
    switch keyword {
    case "$schema", "$id", "$defs", "title", "description", "default", "then": return true
    case "$ref": return try accepts(value, definition(argument))
    case "const": return value == argument
    case "enum": return argument.elements.contains(value)
    case "type": return argument.text.map { isOf($0, value) } ?? false
    case "oneOf": return try argument.elements.count { try accepts(value, $0) } == 1
    case "anyOf": return try argument.elements.contains { try accepts(value, $0) }
    case "allOf": return try argument.elements.allSatisfy { try accepts(value, $0) }
    case "if": return try !accepts(value, argument) || accepts(value, schema["then"] ?? .bool(true))
    case "not": return try !accepts(value, argument)
    case "required": return isNo("object", value) || argument.elements.allSatisfy { $0.text.map { value[$0] != nil } ?? false }
    case "properties":
      return try value.members.allSatisfy { key, member in try argument[key].map { try accepts(member, $0) } ?? true }
    case "additionalProperties":
      let extra = value.members.filter { schema["properties"]?[$0.key] == nil }
      return try argument == .bool(false) ? extra.isEmpty : extra.values.allSatisfy { try accepts($0, argument) }
    case "propertyNames": return try value.members.keys.allSatisfy { try accepts(.string($0), argument) }
    case "items": return try value.elements.allSatisfy { try accepts($0, argument) }
    case "prefixItems": return try zip(value.elements, argument.elements).allSatisfy { try accepts($0, $1) }
    default: return try holdsBound(keyword, argument, of: value)
    }
  }

  private func holdsBound(_ keyword: String, _ argument: JSON, of value: JSON) throws -> Bool {
    let bound = argument.number ?? .nan
    switch keyword {
    case "pattern": return try value.text.map { try patterns.matches($0, argument.text ?? "") } ?? true
    case "minLength": return value.text.map { Double($0.unicodeScalars.count) >= bound } ?? true
    case "maxLength": return value.text.map { Double($0.unicodeScalars.count) <= bound } ?? true
    case "minItems": return isNo("array", value) || Double(value.elements.count) >= bound
    case "maxItems": return isNo("array", value) || Double(value.elements.count) <= bound
    case "maxProperties": return isNo("object", value) || Double(value.members.count) <= bound
    case "minimum": return value.number.map { $0 >= bound } ?? true
    case "maximum": return value.number.map { $0 <= bound } ?? true
    case "exclusiveMinimum": return value.number.map { $0 > bound } ?? true
    case "multipleOf": return value.number.map { $0.remainder(dividingBy: bound) == 0 } ?? true
    default: throw UnknownKeyword(keyword: keyword)
    }
  }

  private func definition(_ reference: JSON) throws -> JSON {
    let path = reference.text?.split(separator: "/").dropFirst() ?? []
    guard let found = path.reduce(root as JSON?, { $0?[String($1)] }) else { throw UnknownKeyword(keyword: "\(path)") }
    return found
  }

  private func isOf(_ type: String, _ value: JSON) -> Bool {
    switch (type, value) {
    case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("number", .number): true
    case ("integer", .number(let number)): number.rounded() == number
    default: false
    }
  }

  private func isNo(_ type: String, _ value: JSON) -> Bool { !isOf(type, value) }
}
