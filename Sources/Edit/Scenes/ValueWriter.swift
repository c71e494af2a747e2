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
  /// - Parameter shares: the bytes of shared values that were written for the value before; nil to write all anew.
  /// - Throws: `UnwritableValue`, and what a type's own `encode(to:)` throws.
  package static func bytes(of value: some Encodable, sharing shares: WrittenShares? = nil) throws -> [UInt8] {
    var bytes: [UInt8] = []
    shares?.begin()
    try append(value, to: &bytes, sharing: shares)
    return bytes
  }

  /// Appends the bytes of `value`. After an error nothing is appended.
  ///
  /// - Throws: `UnwritableValue`, and what a type's own `encode(to:)` throws.
  package static func append(_ value: some Encodable, to bytes: inout [UInt8], sharing shares: WrittenShares? = nil) throws {
    let writer = WritingEncoder(shares)
    let count = bytes.count
    swap(&bytes, &writer.stream.bytes)
    defer { swap(&bytes, &writer.stream.bytes) }
    do { try writer.write(value) } catch {
      writer.stream.bytes.removeLast(writer.stream.bytes.count - count)
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

/// The bytes that are written, and the containers in them. All of it is one value, because each access to an object's property takes
/// time of its own.
private struct Stream {
  var bytes: [UInt8] = []
  /// The containers that are not closed yet, the outermost first.
  private var open: [Open] = []
  /// The places of the entries of those open containers that are to be sorted.
  private var entries: [Int] = []
  /// Whether a value is expected, which is not written yet.
  private var isVacant = true
  /// The type whose value is written.
  private var type: Any.Type = Never.self
  private var fault: UnwritableValue?

  private struct Open {
    /// The place of its first byte, which no other container has.
    let start: Int
    let isSorted: Bool
  }

  /// The surroundings of a value.
  struct Outside {
    let depth: Int
    let type: Any.Type
  }

  // MARK: - Values

  /// Begins a value of this type.
  mutating func begin(_ type: Any.Type) -> Outside {
    let outside = Outside(depth: open.count, type: self.type)
    (self.type, isVacant) = (type, true)
    return outside
  }

  /// Ends a value.
  mutating func end(_ outside: Outside) throws(UnwritableValue) {
    if isVacant { note("writes nothing") }
    while open.count > outside.depth { close() }
    type = outside.type
    if let fault { throw fault }
  }

  private mutating func note(_ words: String) {
    if fault == nil { fault = UnwritableValue(description: "\(type) cannot be written: it \(words)") }
  }

  // MARK: - Containers

  /// Opens an array and returns its place.
  ///
  /// - Parameter ordered: whether its elements have an order, whatever the type is.
  mutating func openArray(ordered: Bool = false) -> Int {
    if !ordered, !(type is any Ordered.Type) { note("has elements that may have no order") }
    return open(.array, isSorted: false)
  }

  /// Opens an object and returns its place. A key that is larger than the number of a case is made of data: it is a dictionary's, whose
  /// entries are sorted.
  mutating func openObject<Key: CodingKey>(_ keys: Key.Type) -> Int { open(.object, isSorted: MemoryLayout<Key>.size > 2) }

  private mutating func open(_ tag: Tag, isSorted: Bool) -> Int {
    let start = bytes.count
    put(tag)
    open.append(Open(start: start, isSorted: isSorted))
    return start
  }

  /// Begins an entry of the container at `start`. Containers in it are over then.
  mutating func enter(_ start: Int) {
    while let last = open.last, last.start > start { close() }
    if open.last?.start != start { note("writes into a container that is closed") }
    isVacant = true
  }

  /// Begins the entry `key` of the object at `start`.
  mutating func enter(_ start: Int, _ key: String) {
    enter(start)
    if let last = open.last, last.isSorted { entries.append(bytes.count) }
    bytes.append(Tag.key.rawValue)
    append(key)
  }

  private mutating func close() {
    let container = open.removeLast()
    if container.isSorted { sort(entriesFrom: container.start) }
    bytes.append(Tag.end.rawValue)
  }

  private mutating func sort(entriesFrom start: Int) {
    let starts = entries[(entries.firstIndex { $0 > start } ?? entries.endIndex)...]
    guard let first = starts.first else { return }
    let sorted = zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
      .sorted { $0.lexicographicallyPrecedes($1) }
    bytes.replaceSubrange(first..., with: sorted.joined())
    entries.removeLast(starts.count)
  }

  // MARK: - Bytes

  /// Writes a value by the bytes that it had before.
  mutating func put(again value: [UInt8]) {
    if !isVacant { note("writes two values for one") }
    isVacant = false
    bytes.append(contentsOf: value)
  }

  /// Writes the tag of a value, or all of it.
  mutating func put(_ tag: Tag) {
    if !isVacant { note("writes two values for one") }
    isVacant = false
    bytes.append(tag.rawValue)
  }

  mutating func put(_ tag: Tag, _ word: UInt64) {
    put(tag)
    append(word)
  }

  mutating func put(_ string: String) {
    put(.string)
    append(string)
  }

  mutating func put(_ wide: Int128) {
    put(.wide, UInt64(truncatingIfNeeded: wide))
    append(UInt64(truncatingIfNeeded: wide >> 64))
  }

  private mutating func append(_ word: UInt64) {
    // The bytes are copied while the word lives.
    unsafe withUnsafeBytes(of: word.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends a string after its length, which has seven bits in each byte, the lowest first.
  private mutating func append(_ string: String) {
    var length = string.utf8.count
    while length > 0x7f {
      bytes.append(UInt8(length & 0x7f) | 0x80)
      length >>= 7
    }
    bytes.append(UInt8(length))
    bytes.append(contentsOf: string.utf8)
  }
}

/// The encoder of one value. Its containers write into one stream.
final class WritingEncoder {
  fileprivate var stream = Stream()
  private let shares: WrittenShares?

  fileprivate init(_ shares: WrittenShares?) { self.shares = shares }

  /// Writes a shared value as what it is.
  func write<T>(_ shared: Shared<T>) throws {
    if let known = shares?.bytes(of: shared.identity) { return stream.put(again: known) }
    let start = stream.bytes.count
    try write(shared.wrappedValue)
    shares?.keep(Array(stream.bytes[start...]), of: shared.identity)
  }

  /// Writes shared lists as one array of all their elements.
  func write<T>(_ parts: [Shared<[T]>]) throws {
    var array = ArrayWriter(writer: self, start: stream.openArray(ordered: true))
    for part in parts where !part.wrappedValue.isEmpty {
      if let known = shares?.bytes(of: part.identity) {
        stream.enter(array.start)
        stream.put(again: known)
        continue
      }
      // What the elements before left open ends before the first byte of these.
      stream.enter(array.start)
      let start = stream.bytes.count
      for element in part.wrappedValue { try array.encode(element) }
      shares?.keep(Array(stream.bytes[start...]), of: part.identity)
    }
  }

  fileprivate func write<T: Encodable>(_ value: T) throws {
    if T.self == MediaTime.self, let time = value as? MediaTime {
      return try write(Ticks(value: time.value, timescale: time.timescale))
    }
    let outside = stream.begin(T.self)
    try value.encode(to: self)
    try stream.end(outside)
  }
}

extension WritingEncoder: Encoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy keys: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(ObjectWriter(writer: self, start: stream.openObject(keys)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { ArrayWriter(writer: self, start: stream.openArray()) }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension WritingEncoder: SingleValueEncodingContainer {
  func encodeNil() { stream.put(.null) }
  func encode(_ value: Bool) { stream.put(value ? .yes : .no) }
  func encode(_ value: String) { stream.put(value) }
  func encode(_ value: Double) { stream.put(.double, value.bitPattern) }
  func encode(_ value: Float) { stream.put(.float, UInt64(value.bitPattern)) }
  func encode(_ value: Int64) { stream.put(.integer, UInt64(bitPattern: value)) }
  func encode(_ value: UInt64) { stream.put(.natural, value) }
  func encode(_ value: Int128) { stream.put(value) }
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
    writer.stream.enter(start, key.stringValue)
    writer.encodeNil()
  }

  // The most frequent types come here without a detour. All others come to the last of these functions.
  func encode(_ value: Double, forKey key: Key) {
    writer.stream.enter(start, key.stringValue)
    writer.encode(value)
  }

  func encode(_ value: Bool, forKey key: Key) {
    writer.stream.enter(start, key.stringValue)
    writer.encode(value)
  }

  func encode(_ value: Int, forKey key: Key) {
    writer.stream.enter(start, key.stringValue)
    writer.encode(value)
  }

  func encode(_ value: String, forKey key: Key) {
    writer.stream.enter(start, key.stringValue)
    writer.encode(value)
  }

  func encode(_ value: Int128, forKey key: Key) {
    writer.stream.enter(start, key.stringValue)
    writer.encode(value)
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    writer.stream.enter(start, key.stringValue)
    try writer.write(value)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy keys: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
    writer.stream.enter(start, key.stringValue)
    return KeyedEncodingContainer(ObjectWriter<Nested>(writer: writer, start: writer.stream.openObject(keys)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    writer.stream.enter(start, key.stringValue)
    return ArrayWriter(writer: writer, start: writer.stream.openArray())
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    writer.stream.enter(start, key.stringValue)
    return writer
  }

  func superEncoder() -> any Encoder {
    writer.stream.enter(start, "super")
    return writer
  }
}

/// An array whose elements are written.
private struct ArrayWriter: UnkeyedEncodingContainer {
  let writer: WritingEncoder
  /// The place of the array.
  let start: Int
  private(set) var count = 0

  var codingPath: [any CodingKey] { [] }

  private mutating func enter() {
    writer.stream.enter(start)
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
    return KeyedEncodingContainer(ObjectWriter<Key>(writer: writer, start: writer.stream.openObject(keys)))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    enter()
    return ArrayWriter(writer: writer, start: writer.stream.openArray())
  }

  mutating func superEncoder() -> any Encoder {
    enter()
    return writer
  }
}
