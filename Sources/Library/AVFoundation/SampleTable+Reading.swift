internal import Synchronization

/// A track of an MP4 or QuickTime file: what its head says, and its samples.
package struct MovieTrackTables {
  let trackID: UInt32
  /// The kind of the track, such as "vide".
  let handler: String
  /// The code of the language, such as "eng" or "und".
  let language: String
  /// The language in full, such as "pt-BR", where the file tells it so.
  let fullLanguage: String?
  /// The number that tracks have in common of which one is chosen; 0 for none.
  let alternateGroup: UInt64
  /// Whether the track is played where nobody chooses.
  let isEnabled: Bool
  /// The keys of metadata that changes with time; nil for other tracks.
  let metadataKeys: [MetadataKey]?
  /// The tracks that name the chapters of this one.
  let chapterTracks: [UInt32]
  /// The bytes of all samples; nil where they are unknown.
  let byteCount: Int64?
  /// The samples; nil where the tables are damaged, or the edits repeat the track or leave out parts in its middle.
  package let samples: SampleTable?

  /// Reads the tracks of a file on this machine; nil for any other file. The samples of fragments come after those of the head.
  package static func list(of url: URL) -> [MovieTrackTables]? {
    // A file that is gone has no tables.
    guard url.isFileURL, let file = try? FileHandle(forReadingFrom: url) else { return nil }
    defer { try? file.close() }  // It was only read.
    guard let movie = try? MovieAtoms.movie(of: file) else { return nil }  // A file that cannot be read has no tables.
    var fragments: FragmentReading?
    if let extends = MovieAtoms.body("mvex", in: movie) {
      var reading = FragmentReading(extends)
      guard (try? reading.read(file)) != nil else { return nil }  // As above.
      fragments = reading
    }
    let head = MovieAtoms.body("mvhd", in: movie) ?? Data()
    let scale = head.number(at: head.first == 1 ? 20 : 12, bytes: 4) ?? 0
    return MovieAtoms(movie).filter { $0.type == "trak".fourCharCode }.map {
      MovieTrackTables($0.body, movieScale: scale, fragments)
    }
  }

  /// Whether a file on this machine has a track of metadata. Its other tables are not read.
  static func haveMetadata(_ url: URL) -> Bool {
    // A file that is gone, or cannot be read, has none.
    guard url.isFileURL, let file = try? FileHandle(forReadingFrom: url) else { return false }
    defer { try? file.close() }  // It was only read.
    guard let movie = try? MovieAtoms.movie(of: file) else { return false }  // As above.
    return MovieAtoms(movie).contains { type, track in
      guard type == "trak".fourCharCode, let media = MovieAtoms.body("mdia", in: track) else { return false }
      return MovieAtoms.body("hdlr", in: media)?.number(at: 8, bytes: 4) == UInt64("meta".fourCharCode)
    }
  }

  private init(_ track: Data, movieScale: UInt64, _ fragments: FragmentReading?) {
    let (trackHead, media) = (MovieAtoms.body("tkhd", in: track) ?? Data(), MovieAtoms.body("mdia", in: track) ?? Data())
    let mediaHead = MovieAtoms.body("mdhd", in: media) ?? Data()
    let tables = MovieAtoms.body("minf", in: media).flatMap { MovieAtoms.body("stbl", in: $0) } ?? Data()
    let isLong = mediaHead.first == 1
    trackID = UInt32(trackHead.number(at: trackHead.first == 1 ? 20 : 12, bytes: 4) ?? 0)
    handler = MovieAtoms.body("hdlr", in: media).map { String(decoding: $0.after(8).prefix(4), as: UTF8.self) } ?? ""
    language = Self.language(mediaHead.number(at: isLong ? 32 : 20, bytes: 2) ?? 0)
    fullLanguage = MovieAtoms.body("elng", in: media).flatMap { Self.text($0.after(4)) }
    alternateGroup = trackHead.number(at: trackHead.first == 1 ? 46 : 34, bytes: 2) ?? 0
    isEnabled = trackHead.number(at: 3, bytes: 1).map { $0 & 1 == 1 } ?? true
    metadataKeys = MovieAtoms.body("stsd", in: tables).flatMap { MetadataSamples.keys(in: $0) }
    let references = MovieAtoms.body("tref", in: track).flatMap { MovieAtoms.body("chap", in: $0) } ?? Data()
    chapterTracks = (0..<references.count / 4).compactMap { references.number(at: 4 * $0, bytes: 4).map { UInt32($0) } }
    let reading = SampleTableReading(tables)
    let more = fragments?.tracks[trackID]
    byteCount = reading.sizes.map { $0.total + (more?.byteCount ?? 0) }
    let scale = mediaHead.number(at: isLong ? 20 : 12, bytes: 4).flatMap { CMTimeScale(exactly: $0) } ?? 0
    let head = scale > 0 ? reading.table(scale, shift: Self.shift(track, scale, movieScale)) : nil
    samples = more.map { head?.continued(by: $0) } ?? head
  }

  /// The text up to its end, which a zero marks; nil where there is none.
  private static func text(_ bytes: Data) -> String? {
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }

  /// The language of three letters, each of five bits. Lower numbers are the Macintosh's, of which English is 0.
  private static func language(_ code: UInt64) -> String {
    guard code >= 0x400 else { return code == 0 ? "eng" : "und" }
    return String(decoding: [10, 5, 0].map { UInt8(code >> $0 & 31) + 0x60 }, as: UTF8.self)
  }

  /// The ticks from the media's time to the track's; nil for edits that are more than a delay and one part.
  private static func shift(_ track: Data, _ scale: CMTimeScale, _ movieScale: UInt64) -> Int64? {
    guard let list = MovieAtoms.body("edts", in: track).flatMap({ MovieAtoms.body("elst", in: $0) }),
      let count = list.number(at: 4, bytes: 4), count > 0
    else { return 0 }
    let (isLong, entry) = (list.first == 1, list.first == 1 ? 20 : 12)
    guard count <= 2, list.count >= 8 + entry * Int(count) else { return nil }
    var shift: Int64 = 0
    for index in 0..<Int(count) {
      let place = 8 + entry * index
      let length = list.number(at: place, bytes: isLong ? 8 : 4) ?? 0
      let start = list.number(at: place + (isLong ? 8 : 4), bytes: isLong ? 8 : 4) ?? 0
      let time = isLong ? Int64(bitPattern: start) : Int64(Int32(truncatingIfNeeded: start))
      let rate = list.number(at: place + (isLong ? 16 : 8), bytes: 4)
      if time == -1, index == 0, movieScale > 0, length < 1 << 40 {
        shift +=
          CMTimeConvertScale(
            CMTime(value: Int64(length), timescale: CMTimeScale(clamping: movieScale)), timescale: scale, method: .default
          ).value
        continue
      }
      guard time >= 0, time < 1 << 60, rate == 0x10000, index + 1 == Int(count) else { return nil }
      shift -= time
    }
    return shift
  }
}

/// The reading of the tables of one track's samples: the content of an `stbl`.
private struct SampleTableReading {
  private let tables: Data

  init(_ tables: Data) { self.tables = tables }

  /// The most entries of a table: those of a day at 240 frames a second.
  private static let mostEntries = 24 * 3600 * 240

  func table(_ timescale: CMTimeScale, shift: Int64?) -> SampleTable? {
    guard let shift, let (sizes, count, _) = sizes, let durations = runs("stts"), durations.end >= count,
      let chunks, chunks.groups.end >= count
    else { return nil }
    let delays = runs("ctts")
    if let delays, delays.end < count || count > Self.mostEntries { return nil }
    return SampleTable(
      timescale: timescale, count: count, durations: durations, delays: delays, sizes: sizes, chunks: chunks,
      syncs: samples("stss"), partialSyncs: samples("stps") ?? [],
      dependencies: MovieAtoms.body("sdtp", in: tables).map { [UInt8]($0.after(4)) } ?? [], shift: shift)
  }

  /// The entries of a table, each of so many bytes; nil where there is none, or it is damaged.
  private func entries(_ type: String, _ bytes: Int, from start: Int = 8) -> (list: Data, count: Int)? {
    guard let table = MovieAtoms.body(type, in: tables), let count = table.number(at: start - 4, bytes: 4),
      count <= UInt64(Self.mostEntries), table.count >= start + bytes * Int(count)
    else { return nil }
    return (table.after(start), Int(count))
  }

  /// The sizes, the number of samples, and the bytes of all.
  var sizes: (SampleTable.Sizes, count: Int, total: Int64)? {
    guard let table = MovieAtoms.body("stsz", in: tables), let same = table.number(at: 4, bytes: 4),
      let count = table.number(at: 8, bytes: 4)
    else { return nil }
    // Old QuickTime sound has 1 here, whatever its size is.
    if same > 0 { return same == 1 ? nil : (.same(Int(same)), Int(count), Int64(same) * Int64(count)) }
    guard let (list, count) = entries("stsz", 4, from: 12) else { return nil }
    let each = (0..<count).map { UInt32(list.number(at: 4 * $0, bytes: 4) ?? 0) }
    return (.each(each), count, each.reduce(0) { $0 + Int64($1) })
  }

  private func runs(_ type: String) -> SampleRuns? {
    guard let (list, count) = entries(type, 8) else { return nil }
    var runs = SampleRuns()
    for index in 0..<count {
      // Delays may be negative, whatever the table's version says.
      let value = Int64(Int32(truncatingIfNeeded: list.number(at: 8 * index + 4, bytes: 4) ?? 0))
      guard runs.add(Int(list.number(at: 8 * index, bytes: 4) ?? 0), type == "stts" ? max(value, 0) : value) else { return nil }
    }
    return runs
  }

  /// The numbers of samples, which are counted from 1 in files.
  private func samples(_ type: String) -> [Int]? {
    guard let (list, count) = entries(type, 4) else { return nil }
    return (0..<count).map { Int(list.number(at: 4 * $0, bytes: 4) ?? 0) - 1 }.sorted()
  }

  private var chunks: SampleTable.Chunks? {
    guard let (list, count) = entries("stsc", 12),
      let (places, bytes) = entries("stco", 4).map({ ($0, 4) }) ?? entries("co64", 8).map({ ($0, 8) })
    else { return nil }
    var chunks = SampleTable.Chunks()
    chunks.places = (0..<places.count).map { places.list.number(at: bytes * $0, bytes: bytes) ?? 0 }
    for index in 0..<count {
      let first = Int(list.number(at: 12 * index, bytes: 4) ?? 0) - 1
      let next = index + 1 < count ? Int(list.number(at: 12 * (index + 1), bytes: 4) ?? 0) - 1 : places.count
      let samples = Int(list.number(at: 12 * index + 4, bytes: 4) ?? 0)
      guard first >= 0, next >= first, next <= places.count, samples > 0, samples < 1 << 31 else { return nil }
      guard chunks.groups.add((next - first) * samples, Int64(samples)) else { return nil }
      chunks.firsts.append(first)
    }
    return chunks
  }
}

/// The tables of a medium's tracks, which are read once.
// The lock guards them.
final class MovieTablesCache: Sendable {
  private let read = Mutex<[MovieTrackTables]??>(nil)

  func tables(of url: URL) -> [MovieTrackTables]? {
    read.withLock { read in
      if let read { return read }
      let tables = MovieTrackTables.list(of: url)
      read = .some(tables)
      return tables
    }
  }
}
