/// A property that no bytes are written for, because what is seen or heard never depends on it.
@propertyWrapper
package struct Unwritten<Value: Hashable & Sendable>: Hashable, Sendable, Encodable {
  package let wrappedValue: Value

  package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}
