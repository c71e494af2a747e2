internal import MediaTime

/// Writes values as bytes, of which digests are made.
///
/// Values of one type have the same bytes only if all their properties have. No value's bytes are the beginning of another's, so that
/// several values can follow each other. Each part begins with a tag for its kind. Strings have their length before them; arrays and
/// objects have a tag behind them. Integers take 64 bits, or 128; floating-point numbers are their bit patterns. Properties and cases
/// have their names. A property that is nil is left out, while a nil in an array has a tag.
///
/// A type's `encode(to:)` decides what is written. It is best left to the compiler, so that each stored property counts.
package enum ValueWriter {
  /// The bytes of `value`.
  ///
  /// - Throws: `UnwritableValue`, and what a type's own `encode(to:)` throws.
  package static func bytes(of value: some Encodable) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try append(value, to: &bytes)
    return bytes
  }

  /// Appends the bytes of `value`. After an error nothing is appended.
  ///
  /// - Throws: `UnwritableValue`, and what a type's own `encode(to:)` throws.
  package static func append(_ value: some Encodable, to bytes: inout [UInt8]) throws {
    let writer = WritingEncoder()
    let count = bytes.count
    swap(&bytes, &writer.bytes)
    defer { swap(&bytes, &writer.bytes) }
    do { try writer.write(value) } catch {
      writer.bytes.removeLast(writer.bytes.count - count)
      throw error
    }
  }
}

/// A value whose type cannot be written so that its bytes are its own. It is a fault of the type.
package struct UnwritableValue: Error, Hashable, CustomStringConvertible {
  package let description: String
}

/// The types whose elements have an order. Sets and dictionaries write their elements as arrays do, but in the order of their hashes.
private protocol Ordered {}
extension Array: Ordered {}
extension Range: Ordered {}
extension ClosedRange: Ordered {}
extension SIMD2: Ordered {}
extension SIMD3: Ordered {}
extension SIMD4: Ordered {}

/// The values of a time, whose own coding is a text.
private struct Ticks: Encodable {
  let value: Int64
  let timescale: Int32
}

private enum Tag: UInt8 {
  case null, no, yes, integer, natural, wide, double, float, string
  case object, key, array, end
}

/// The encoder of one value. Its containers are at once views of it: they write into one buffer.
private final class WritingEncoder {
  var bytes: [UInt8] = []
  /// The containers that are not closed yet, the outermost first.
  private var open: [Open] = []
  /// Whether a value is expected, which is not written yet.
  private var isVacant = true
  /// The type whose value is written.
  private var type: Any.Type = Never.self
  private var fault: UnwritableValue?

  private struct Open {
    /// The place of its first byte, which no other container has.
    let start: Int
    /// The places of its entries, where these are to be sorted.
    var entries: [Int]?
  }

  func write<T: Encodable>(_ value: T) throws {
    if T.self == MediaTime.self, let time = value as? MediaTime {
      return try write(Ticks(value: time.value, timescale: time.timescale))
    }
    let (depth, outer) = (open.count, type)
    (type, isVacant) = (T.self, true)
    try value.encode(to: self)
    if isVacant { note("writes nothing") }
    while open.count > depth { close() }
    type = outer
    if let fault { throw fault }
  }

  private func note(_ words: String) {
    if fault == nil { fault = UnwritableValue(description: "\(type) cannot be written: it \(words)") }
  }

  // MARK: - Containers

  /// Opens a container and returns its place.
  func open(_ tag: Tag, isSorted: Bool = false) -> Int {
    let start = bytes.count
    begin(tag)
    open.append(Open(start: start, entries: isSorted ? [] : nil))
    return start
  }

  /// Opens an array.
  func openArray() -> Int {
    if !(type is any Ordered.Type) { note("has elements that may have no order") }
    return open(.array)
  }

  /// Opens an object. A key that is larger than the number of a case is made of data: it is a dictionary's. Its entries are sorted.
  func openObject<Key: CodingKey>(_ keys: Key.Type) -> Int { open(.object, isSorted: MemoryLayout<Key>.size > 2) }

  /// Begins an entry of the container at `start`. Containers in it are over then.
  func enter(_ start: Int) {
    while let last = open.last, last.start > start { close() }
    if open.last?.start != start { note("writes into a container that is closed") }
    isVacant = true
  }

  /// Begins the entry `key` of the object at `start`.
  func enter(_ start: Int, _ key: some CodingKey) {
    enter(start)
    if !open.isEmpty { open[open.count - 1].entries?.append(bytes.count) }
    bytes.append(Tag.key.rawValue)
    append(key.stringValue)
  }

  private func close() {
    let container = open.removeLast()
    if let entries = container.entries, entries.count > 1 { sort(entries) }
    bytes.append(Tag.end.rawValue)
  }

  private func sort(_ starts: [Int]) {
    let entries = zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
    bytes.replaceSubrange(starts[0]..., with: entries.sorted { $0.lexicographicallyPrecedes($1) }.joined())
  }

  // MARK: - Bytes

  func begin(_ tag: Tag) {
    if !isVacant { note("writes two values for one") }
    isVacant = false
    bytes.append(tag.rawValue)
  }

  func append(_ integer: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: integer >> shift)) }
  }

  func append(_ string: String) {
    append(UInt64(string.utf8.count))
    bytes.append(contentsOf: string.utf8)
  }
}

extension WritingEncoder: Encoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy keys: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(ObjectWriter(writer: self, start: openObject(keys)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { ArrayWriter(writer: self, start: openArray()) }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension WritingEncoder: SingleValueEncodingContainer {
  func encodeNil() { begin(.null) }

  func encode(_ value: Bool) { begin(value ? .yes : .no) }

  func encode(_ value: String) {
    begin(.string)
    append(value)
  }

  func encode(_ value: Double) {
    begin(.double)
    append(value.bitPattern)
  }

  func encode(_ value: Float) {
    begin(.float)
    append(UInt64(value.bitPattern))
  }

  func encode(_ value: Int64) {
    begin(.integer)
    append(UInt64(bitPattern: value))
  }

  func encode(_ value: UInt64) {
    begin(.natural)
    append(value)
  }

  func encode(_ value: Int128) {
    begin(.wide)
    append(UInt64(truncatingIfNeeded: value))
    append(UInt64(truncatingIfNeeded: value >> 64))
  }

  func encode(_ value: Int) { encode(Int64(value)) }
  func encode(_ value: Int8) { encode(Int64(value)) }
  func encode(_ value: Int16) { encode(Int64(value)) }
  func encode(_ value: Int32) { encode(Int64(value)) }
  func encode(_ value: UInt) { encode(UInt64(value)) }
  func encode(_ value: UInt8) { encode(UInt64(value)) }
  func encode(_ value: UInt16) { encode(UInt64(value)) }
  func encode(_ value: UInt32) { encode(UInt64(value)) }

  func encode<T: Encodable>(_ value: T) throws { try write(value) }
}

/// An object whose properties are written.
private struct ObjectWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let writer: WritingEncoder
  /// The place of the object.
  let start: Int

  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) {
    writer.enter(start, key)
    writer.encodeNil()
  }

  // The most frequent types come here without a detour. All others come to the last of these functions.
  func encode(_ value: Double, forKey key: Key) {
    writer.enter(start, key)
    writer.encode(value)
  }

  func encode(_ value: Bool, forKey key: Key) {
    writer.enter(start, key)
    writer.encode(value)
  }

  func encode(_ value: Int, forKey key: Key) {
    writer.enter(start, key)
    writer.encode(value)
  }

  func encode(_ value: String, forKey key: Key) {
    writer.enter(start, key)
    writer.encode(value)
  }

  func encode(_ value: Int128, forKey key: Key) {
    writer.enter(start, key)
    writer.encode(value)
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    writer.enter(start, key)
    try writer.write(value)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy keys: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    writer.enter(start, key)
    return KeyedEncodingContainer(ObjectWriter<Nested>(writer: writer, start: writer.openObject(keys)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    writer.enter(start, key)
    return ArrayWriter(writer: writer, start: writer.openArray())
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    writer.enter(start, key)
    return writer
  }

  func superEncoder() -> any Encoder {
    writer.enter(start, SuperKey.super)
    return writer
  }
}

private enum SuperKey: CodingKey { case `super` }

/// An array whose elements are written.
private struct ArrayWriter: UnkeyedEncodingContainer {
  let writer: WritingEncoder
  /// The place of the array.
  let start: Int
  private(set) var count = 0

  var codingPath: [any CodingKey] { [] }

  private mutating func enter() {
    writer.enter(start)
    count += 1
  }

  mutating func encodeNil() {
    enter()
    writer.encodeNil()
  }

  mutating func encode<T: Encodable>(_ value: T) throws {
    enter()
    try writer.write(value)
  }

  mutating func nestedContainer<Key: CodingKey>(keyedBy keys: Key.Type) -> KeyedEncodingContainer<Key> {
    enter()
    return KeyedEncodingContainer(ObjectWriter<Key>(writer: writer, start: writer.openObject(keys)))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    enter()
    return ArrayWriter(writer: writer, start: writer.openArray())
  }

  mutating func superEncoder() -> any Encoder {
    enter()
    return writer
  }
}
