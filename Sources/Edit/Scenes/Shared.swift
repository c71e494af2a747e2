/// A large part of a scene, which scenes that follow each other have in common. Copies are the same object, so it is made and written
/// once for all of them. It is equal to others by its value, and is written as that.
@propertyWrapper
package struct Shared<Value: Hashable & Sendable & Encodable>: Hashable, Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private let box: Box
  /// The object that all copies are.
  var identity: AnyObject { box }

  package init(wrappedValue: Value) { box = Box(wrappedValue) }

  package var wrappedValue: Value { box.value }

  /// Whether both are copies of one.
  package func isSame(as other: Shared) -> Bool { box === other.box }

  package static func == (one: Shared, other: Shared) -> Bool { one.box === other.box || one.box.value == other.box.value }

  package func hash(into hasher: inout Hasher) { box.value.hash(into: &hasher) }
}

extension Shared: Encodable {
  package func encode(to encoder: any Encoder) throws {
    if let writer = encoder as? WritingEncoder { return try writer.write(self) }
    var container = encoder.singleValueContainer()
    try container.encode(box.value)
  }
}

/// A list that is made of shared lists. It is the list of all their elements, and is equal to others and written as that.
@propertyWrapper
package struct Joined<Element: Hashable & Sendable & Encodable>: Hashable, Sendable {
  package let wrappedValue: [Element]
  private let parts: [Shared<[Element]>]

  package init(wrappedValue: [Element]) { self.init([Shared(wrappedValue: wrappedValue)]) }

  init(_ parts: [Shared<[Element]>]) { (self.parts, wrappedValue) = (parts, parts.flatMap(\.wrappedValue)) }

  package static func == (one: Joined, other: Joined) -> Bool { one.wrappedValue == other.wrappedValue }

  package func hash(into hasher: inout Hasher) { wrappedValue.hash(into: &hasher) }
}

extension Joined: Encodable {
  package func encode(to encoder: any Encoder) throws {
    guard let writer = encoder as? WritingEncoder else {
      var container = encoder.singleValueContainer()
      return try container.encode(wrappedValue)
    }
    try writer.write(parts)
  }
}

/// The bytes of the shared values that were written for the last value and for this one. One thread at a time.
///
/// A shared value never changes, and is kept here as long as its bytes are. So an object that is met again has the bytes that were
/// written for it.
package final class WrittenShares {
  private struct Entry {
    let object: AnyObject
    let bytes: [UInt8]
  }

  private var (last, current): ([ObjectIdentifier: Entry], [ObjectIdentifier: Entry]) = ([:], [:])
  /// The number of values whose bytes were found.
  package private(set) var foundCount = 0

  package init() {}

  /// Begins a value. What the one before did not have is dropped.
  func begin() { (last, current) = (current, [:]) }

  func bytes(of object: AnyObject) -> [UInt8]? {
    let identifier = ObjectIdentifier(object)
    guard let entry = current[identifier] ?? last[identifier] else { return nil }
    current[identifier] = entry
    foundCount += 1
    return entry.bytes
  }

  func keep(_ bytes: [UInt8], of object: AnyObject) { current[ObjectIdentifier(object)] = Entry(object: object, bytes: bytes) }
}
