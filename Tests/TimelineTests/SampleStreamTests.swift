import MediaTime
import SampleStream
import Testing

/// Streams of samples, as they go from one process to another.
@Suite struct `A stream of samples` {
  private let samples = (0..<300).map { UInt8(truncatingIfNeeded: $0) }

  private func stream() throws -> [UInt8] {
    let record = SampleRecord(
      .samples, track: 2, time: try MediaTime(-1001, 30_000), duration: try MediaTime(1001, 30_000), byteCount: samples.count)
    return try SampleInput.beginning(["a": 7]) + record.head + samples + SampleRecord(.end).head
  }

  /// Reads as many bytes as there are, and says what it found: the header, the records, or the fault.
  private func read(_ bytes: [UInt8]) -> [String] {
    var (at, found) = (0, [String]())
    let input = SampleInput { count in
      defer { at = min(at + count, bytes.count) }
      return Array(bytes[at..<min(at + count, bytes.count)])
    }
    do {
      found.append("\(try input.header([String: Int].self))")
      while let (record, samples) = try input.next() {
        found.append("\(record.kind) \(record.track) \(record.time) \(record.duration) \(samples == self.samples)")
      }
    } catch { found.append("\(error)") }
    return found
  }

  @Test func `is read as it was written`() throws {
    let found = read(try stream())
    #expect(found == [#"["a": 7]"#, "samples 2 -1001/30000 1001/30000 true", "end 0 0 0 false"])
  }

  @Test func `that was broken off says where`() throws {
    let whole = try stream()
    let (head, record) = (try SampleInput.beginning(["a": 7]).count, SampleRecord.headByteCount)
    #expect(read(Array(whole.prefix(5))) == ["is no stream of samples of this version"])
    #expect(read(Array(whole.prefix(head - 1))) == ["ends before its header does"])
    #expect(read(Array(whole.prefix(head))) == [#"["a": 7]"#])
    #expect(read(Array(whole.prefix(head + record - 1))).last == "has a damaged record")
    #expect(read(Array(whole.prefix(head + record + 299))).last == "ends within a record")
    #expect(read(Array(whole.prefix(head + record + 300))).count == 2, "the end's own record is missing, which the caller tells")
  }
}
