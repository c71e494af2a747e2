internal import FoundationEssentials

/// The reading of a stream of samples.
///
/// The bytes come from a function, so that this type does no I/O. One owner, one thread.
package struct SampleInput {
  /// The fault of a stream that is none, or of another version.
  package struct Damage: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    init(_ words: String) { description = words }
  }

  private let read: (_ count: Int) throws -> [UInt8]

  /// - Parameter read: gives the next bytes, fewer than asked for only at the end.
  package init(_ read: @escaping (_ count: Int) throws -> [UInt8]) { self.read = read }

  /// Reads the beginning of the stream, up to its line of JSON.
  package func header<Header: Decodable>(_: Header.Type) throws -> Header {
    guard try read(SampleRecord.magic.count) == SampleRecord.magic else {
      throw Damage("is no stream of samples of this version")
    }
    let digits = try read(8)
    guard digits.count == 8, let count = Int(String(decoding: digits, as: UTF8.self), radix: 16),
      (1...SampleRecord.longestLine).contains(count), case let line = try read(count), line.count == count
    else { throw Damage("ends before its header does") }
    do { return try JSONDecoder().decode(Header.self, from: Data(line)) } catch {
      throw Damage("has a header of another version")
    }
  }

  /// The next record with its samples; nil where the stream ends without one that ends it.
  package func next() throws -> (record: SampleRecord, samples: [UInt8])? {
    let head = try read(SampleRecord.headByteCount)
    guard !head.isEmpty else { return nil }
    guard let record = SampleRecord(head: head) else { throw Damage("has a damaged record") }
    let samples = record.byteCount == 0 ? [] : try read(record.byteCount)
    guard samples.count == record.byteCount else { throw Damage("ends within a record") }
    return (record, samples)
  }

  /// The bytes with which a stream begins.
  package static func beginning(_ header: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = Array(try encoder.encode(header))
    let digits = String(line.count, radix: 16)
    return SampleRecord.magic + Array((String(repeating: "0", count: 8 - digits.utf8.count) + digits).utf8) + line
  }
}
