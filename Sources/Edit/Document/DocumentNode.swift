internal import JSON
internal import MediaTime
internal import PlainText
internal import Timeline

/// A value of a document, its path, and the log of faults.
///
/// The methods that read the value give nil for one that does not fit, after noting the fault. Callers may go on with a default
/// to find the remaining faults, since a document with any fault is refused as a whole.
struct DocumentNode {
  let value: JSONValue
  let path: JSONPath
  let log: FaultLog

  func note(
    _ message: @autoclosure () -> String, _ kind: DocumentFaults.Kind = .value, suggestion: @autoclosure () -> String? = nil
  ) {
    log.note(message(), at: path, kind, suggestion: suggestion())
  }

  func string(atMost limit: Int) -> String? {
    guard case .string(let text) = value else { return refuse("a string") }
    guard !text.isEmpty else { return refuse(because: "must not be empty") }
    guard text.utf8.count <= limit else { return refuse(because: "longer than \(limit) bytes") }
    guard !text.utf8.contains(0) else { return refuse(because: "must not contain NUL") }
    return text
  }

  func bool() -> Bool? {
    guard case .bool(let value) = value else { return refuse("true or false") }
    return value
  }

  func number(in range: ClosedRange<Double>) -> Double? {
    guard case .number(let text) = value else { return refuse("a number") }
    guard let number = Double(text), range.contains(number) else {
      return refuse(because: "\(text) is not in \(JSONValue.text(range.lowerBound))...\(JSONValue.text(range.upperBound))")
    }
    return number == 0 ? 0 : number  // A negative zero becomes a positive one.
  }

  func integer(in range: ClosedRange<Int>) -> Int? {
    guard case .number(let text) = value else { return refuse("a whole number") }
    guard let number = Int(text) else { return refuse(because: "\(text) is not a whole number in \(range)") }
    guard range.contains(number) else { return refuse(because: "\(text) is not in \(range)") }
    return number
  }

  func choice<Choice: RawRepresentable & CaseIterable>(_: Choice.Type) -> Choice? where Choice.RawValue == String {
    guard case .string(let text) = value else { return refuse("a string") }
    return Choice(rawValue: text) ?? refuse(text, among: Choice.allCases.map(\.rawValue))
  }

  /// Notes that `text` is none of the choices.
  func refuse<Value>(_ text: String, among known: [String]) -> Value? {
    refuse("'\(text.prefix(100))' is not one of \(known.joined(separator: ", "))", text, among: known)
  }

  /// Notes a name that is unknown, and the known name that is nearest to it.
  func refuse<Value>(_ message: @autoclosure () -> String, _ name: String, among known: some Sequence<String>) -> Value? {
    note(
      message() + Spelling.hint(for: name, among: known), .unknownName, suggestion: Spelling.nearest(to: name, among: known))
    return nil
  }

  /// Checks a text for people: a string, which may be empty.
  func checkRemark() {
    guard case .string(let text) = value else { return note("expected a string, found \(value.kind)") }
    if text.utf8.count > DocumentLimits.textLength { note("longer than \(DocumentLimits.textLength) bytes") }
  }

  func elements(atMost limit: Int) -> [DocumentNode]? {
    guard case .array(let elements) = value else { return refuse("an array") }
    guard elements.count <= limit else { return refuse(because: "\(elements.count) elements; at most \(limit) are accepted") }
    return elements.enumerated().map { DocumentNode(value: $1, path: path[$0], log: log) }
  }

  /// The numbers of an array with exactly these elements, such as `[width, height]`.
  func numbers(_ names: [String], in range: ClosedRange<Double>) -> [Double]? {
    guard case .array(let elements) = value, elements.count == names.count else {
      return refuse("[\(names.joined(separator: ", "))]")
    }
    let numbers = elements.enumerated().map { DocumentNode(value: $1, path: path[$0], log: log).number(in: range) }
    return numbers.contains(nil) ? nil : numbers.compactMap(\.self)
  }

  func refuse<Value>(_ expected: String) -> Value? { refuse(because: "expected \(expected), found \(value.kind)") }

  func refuse<Value>(because message: @autoclosure () -> String, _ kind: DocumentFaults.Kind = .value) -> Value? {
    note(message(), kind)
    return nil
  }
}

/// An object of a document, and the keys that its form allows.
struct DocumentObject {
  let form: DocumentForm
  let node: DocumentNode
  private let members: [String: JSONValue]

  /// Notes unknown and missing keys; nil when `node` is no object.
  init?(_ form: DocumentForm, _ node: DocumentNode) {
    guard case .object(let list) = node.value else {
      node.note("expected an object, found \(node.value.kind)")
      return nil
    }
    self.form = form
    self.node = node
    members = Dictionary(uniqueKeysWithValues: list.map { ($0.key, $0.value) })
    let known = form.required + form.optional
    for member in list where !known.contains(member.key) {
      let hint = form.hint(for: member.key)
      node.log.note("unknown key\(hint?.text ?? "")", at: node.path[member.key], .unknownKey, suggestion: hint?.suggestion)
    }
    for key in form.required where members[key] == nil { node.log.note("missing", at: node.path[key], .missingKey) }
    // A movie and a chapter have titles that are no remarks.
    let remarks = form == .document ? DocumentForm.remarks : ["comment"]
    for key in remarks where known.contains(key) { self[key]?.checkRemark() }
  }

  /// The value of one of the form's keys; nil when it was left out.
  subscript(key: String) -> DocumentNode? {
    assert(form.required.contains(key) || form.optional.contains(key), "\(form) has no key \(key)")
    return members[key].map { DocumentNode(value: $0, path: node.path[key], log: node.log) }
  }
}
