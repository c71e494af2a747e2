/// The bytes of a file's tracks, as the tables of a movie file tell them.
struct TrackBytes {
  /// The bytes of each track's samples, in the order of the tracks; nil where they are unknown.
  private(set) var totals: [Int64?] = []

  /// No movie of a day's length has more tables than this.
  private static let mostTables = 256 << 20

  /// Reads the tables of an MP4 or QuickTime file; nil for any other file, and for a movie of fragments, whose tables lie among its
  /// samples.
  init?(of url: URL) {
    // A file that is gone has no tables.
    guard url.isFileURL, let file = try? FileHandle(forReadingFrom: url) else { return nil }
    defer { try? file.close() }  // It was only read.
    guard let tables = Self.tables(of: file) else { return nil }
    let boxes = Box.list(tables)
    guard !boxes.contains(where: { $0.kind == "mvex" }) else { return nil }
    totals = boxes.filter { $0.kind == "trak" }.map { Self.total(Box.list($0.content)) }
  }

  /// The content of the box `moov`.
  private static func tables(of file: FileHandle) -> Data? {
    var place: UInt64 = 0
    // A movie has a few boxes at its top level. Damaged ones might have any number.
    for _ in 0..<1000 {
      // A file that cannot be read has no tables.
      guard (try? file.seek(toOffset: place)) != nil, let head = try? file.read(upToCount: 16), head.count >= 8 else {
        return nil
      }
      let short = UInt64(head.number(at: 0))
      let isLong = short == 1
      guard !isLong || head.count == 16 else { return nil }
      let size = isLong ? UInt64(head.number(at: 8)) << 32 | UInt64(head.number(at: 12)) : short
      let start: UInt64 = isLong ? 16 : 8
      guard size >= start else { return nil }
      if head.kind(at: 4) == "moov" {
        // The same.
        guard size - start <= UInt64(mostTables), (try? file.seek(toOffset: place + start)) != nil else { return nil }
        return try? file.read(upToCount: Int(size - start))  // The same.
      }
      let (next, isOver) = place.addingReportingOverflow(size)
      guard !isOver, next <= UInt64(Int64.max) else { return nil }
      place = next
    }
    return nil
  }

  private static func total(_ track: [Box]) -> Int64? {
    var parts = track
    for kind in ["mdia", "minf", "stbl"] {
      guard let next = parts.first(where: { $0.kind == kind }) else { return nil }
      parts = Box.list(next.content)
    }
    guard let sizes = parts.first(where: { $0.kind == "stsz" })?.content, sizes.count >= 12 else { return nil }
    let (same, count) = (Int64(sizes.number(at: 4)), Int(sizes.number(at: 8)))
    // Old QuickTime sound has 1 here, whatever its size is.
    guard same != 1 else { return nil }
    if same > 0 { return same * Int64(count) }
    guard sizes.count >= 12 + 4 * count else { return nil }
    return (0..<count).reduce(0) { $0 + Int64(sizes.number(at: 12 + 4 * $1)) }
  }

  /// A box of a movie file.
  private struct Box {
    var kind: String
    var content: Data

    /// The boxes in the content of one.
    static func list(_ data: Data) -> [Box] {
      var (boxes, place): ([Box], Int) = ([], 0)
      while place + 8 <= data.count {
        let size = Int(data.number(at: place))
        guard size >= 8, place + size <= data.count else { break }
        boxes.append(Box(kind: data.kind(at: place + 4), content: data.part(from: place + 8, to: place + size)))
        place += size
      }
      return boxes
    }
  }
}

extension Data {
  /// The number in four bytes, the highest first.
  fileprivate func number(at place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 8 | UInt32(self[startIndex + place + $1]) }
  }
  fileprivate func kind(at place: Int) -> String { String(decoding: part(from: place, to: place + 4), as: UTF8.self) }
  fileprivate func part(from start: Int, to end: Int) -> Data { self[startIndex + start..<startIndex + end] }
}

extension AVAssetTrack {
  /// The bytes of the track's samples; 0 where they are unknown.
  ///
  /// They are those of the tables of an MP4 or QuickTime file. An edit's track, whose samples are not stored, has none.
  public var totalSampleDataLength: Int64 {
    guard let facts, let totals = url.flatMap({ TrackBytes(of: $0)?.totals }), totals.indices.contains(facts.index) else {
      return 0
    }
    return totals[facts.index] ?? 0
  }

  /// The average number of bits in a second; 0 where it is unknown. A track of an edit has that of the first medium that it plays.
  public var estimatedDataRate: Float {
    if let first = (self as? AVCompositionTrack)?.first {
      let track = AVURLAsset(url: first.url).tracks.first { $0.facts?.index == first.facts.index }
      return track?.estimatedDataRate ?? 0
    }
    let seconds = timeRange.duration.seconds
    return seconds > 0 ? Float(Double(totalSampleDataLength) * 8 / seconds) : 0
  }
}
