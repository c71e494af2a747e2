/// Values that wait for their turns in the order in which they came. A value that comes again takes the place of the one that waits.
///
/// If the smallest keys went first, new ones would hold up those with large keys for as long as the farm is busy.
struct Arrivals<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private var values: [Key: (number: Int, value: Value)] = [:]
  /// The number of the next value that comes.
  private var next = 0

  var isEmpty: Bool { values.isEmpty }
  var count: Int { values.count }

  /// Lets a value wait. One that waits under the same key is replaced, and keeps its turn.
  mutating func note(_ value: Value, as key: Key) {
    values[key] = (values[key]?.number ?? next, value)
    next += 1
  }

  /// Removes and returns the `most` values that came first.
  mutating func removeFirst(_ most: Int) -> [Value] {
    let first = values.sorted { $0.value.number < $1.value.number }.prefix(most)
    for (key, _) in first { values[key] = nil }
    return first.map(\.value.value)
  }
}
