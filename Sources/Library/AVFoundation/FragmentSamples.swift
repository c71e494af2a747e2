/// The samples of one track in a movie's fragments, in the order of decoding.
struct FragmentSamples: Sendable {
  /// The time at which the first one is decoded, in the track's ticks; nil where no fragment tells a time.
  private(set) var start: Int64?
  private(set) var durations: [Int64] = []
  private(set) var delays: [Int64] = []
  private(set) var sizes: [UInt32] = []
  /// The flags of each, as fragments write them: what it depends on, and whether decoding can begin with it.
  private(set) var flags: [UInt32] = []
  /// The places in the file at which some samples lie one after the other, and their numbers.
  private(set) var runs: [(place: UInt64, count: Int)] = []
  private(set) var byteCount: Int64 = 0
  /// Whether times go back, which no track of a movie does.
  private(set) var isDamaged = false
  /// The time at which the next sample is decoded.
  private var end: Int64 = 0

  var count: Int { sizes.count }

  /// Goes on at a time. The last sample lasts until then.
  mutating func move(to time: Int64) {
    if let last = durations.indices.last {
      durations[last] += time - end
      isDamaged = isDamaged || durations[last] < 0
    } else {
      start = time
    }
    end = time
  }

  mutating func add(duration: UInt32, size: UInt32, delay: Int32, flags: UInt32) {
    durations.append(Int64(duration))
    delays.append(Int64(delay))
    sizes.append(size)
    self.flags.append(flags)
    (end, byteCount) = (end + Int64(duration), byteCount + Int64(size))
  }

  mutating func closeRun(at place: UInt64, count: Int) { runs.append((place, count)) }
}

/// The reading of a movie's fragments (ISO/IEC 14496-12, 8.8): atoms `moof` beside the samples that they describe.
///
/// What is cut off at the end of a file, as in one that is still being written, is left out.
struct FragmentReading {
  /// The values that a track's samples have where a fragment does not say them.
  private struct Defaults {
    var duration: UInt32 = 0
    var size: UInt32 = 0
    var flags: UInt32 = 0
  }

  private let defaults: [UInt32: Defaults]
  private(set) var tracks: [UInt32: FragmentSamples] = [:]

  /// The most atoms of a file: those of a day of fragments of a tenth of a second.
  private static let mostAtoms = 2 * 24 * 3600 * 10
  /// The most samples of a track, and the largest fragment's description in bytes.
  private static let mostSamples = 24 * 3600 * 240
  private static let largestFragment: UInt64 = 1 << 26

  /// - Parameter extends: the content of the movie's `mvex`.
  init(_ extends: Data) {
    let entries = MovieAtoms(extends).filter { $0.type == "trex".fourCharCode }.map { entry in
      func value(_ place: Int) -> UInt32 { UInt32(entry.body.number(at: place, bytes: 4) ?? 0) }
      return (value(4), Defaults(duration: value(12), size: value(16), flags: value(20)))
    }
    defaults = Dictionary(entries) { first, _ in first }
  }

  mutating func read(_ file: FileHandle) throws {
    let length = try file.seekToEnd()
    var place: UInt64 = 0
    for _ in 0..<Self.mostAtoms {
      try file.seek(toOffset: place)
      guard let head = try file.read(upToCount: 16), let short = head.number(at: 0, bytes: 4),
        let type = head.number(at: 4, bytes: 4)
      else { return }
      let size = short == 1 ? head.number(at: 8, bytes: 8) ?? 0 : short == 0 ? length - place : short
      guard size >= 8, size <= length - place || type == UInt64("mdat".fourCharCode) else { return }
      if type == UInt64("moof".fourCharCode) {
        guard size < Self.largestFragment else { return }
        try file.seek(toOffset: place)
        guard let whole = try file.read(upToCount: Int(size)), let fragment = MovieAtoms.body("moof", in: whole) else { return }
        take(fragment, at: place, before: length)
      }
      guard size < length - place else { return }
      place += size
    }
  }

  /// Takes the samples of a fragment.
  ///
  /// - Parameters:
  ///   - start: the place of the fragment, from which the places of its samples count.
  ///   - length: the length of what there is.
  mutating func take(_ fragment: Data, at start: UInt64, before length: UInt64) {
    var following = start
    for part in MovieAtoms(fragment) where part.type == "traf".fourCharCode {
      guard let head = MovieAtoms.body("tfhd", in: part.body), let id = head.number(at: 4, bytes: 4).map({ UInt32($0) }),
        var values = defaults[id]
      else { continue }
      var fields = FieldReader(head, at: 8)
      let marks = head.number(at: 1, bytes: 3) ?? 0
      var base = marks & 0x20000 != 0 ? start : following
      if marks & 0x1 != 0 { base = fields.next(bytes: 8) }
      if marks & 0x2 != 0 { _ = fields.next(bytes: 4) }
      if marks & 0x8 != 0 { values.duration = UInt32(fields.next(bytes: 4)) }
      if marks & 0x10 != 0 { values.size = UInt32(fields.next(bytes: 4)) }
      if marks & 0x20 != 0 { values.flags = UInt32(fields.next(bytes: 4)) }
      guard fields.isWhole, base < length else { continue }
      var samples = tracks[id] ?? FragmentSamples()
      if let time = MovieAtoms.body("tfdt", in: part.body), let value = time.number(at: 4, bytes: time.first == 1 ? 8 : 4) {
        guard value < 1 << 60 else { continue }
        samples.move(to: Int64(value))
      }
      var place = base
      for run in MovieAtoms(part.body) where run.type == "trun".fourCharCode {
        guard take(run: run.body, values, base, &place, &samples, before: length) else { break }
      }
      tracks[id] = samples
      following = place
    }
  }

  /// Takes the samples of a run.
  ///
  /// - Parameter place: the place of its samples unless it says another one; afterwards their end.
  /// - Returns: false for a run that is damaged or cut off, of which nothing is taken.
  private func take(
    run: Data, _ values: Defaults, _ base: UInt64, _ place: inout UInt64, _ samples: inout FragmentSamples, before length: UInt64
  ) -> Bool {
    guard let marks = run.number(at: 1, bytes: 3), let count = run.number(at: 4, bytes: 4),
      samples.count + Int(count) <= Self.mostSamples
    else { return false }
    var fields = FieldReader(run, at: 8)
    var start = place
    if marks & 0x1 != 0 {
      let (moved, isOver) = Int64(clamping: base).addingReportingOverflow(Int64(Int32(truncatingIfNeeded: fields.next(bytes: 4))))
      guard !isOver, moved >= 0 else { return false }
      start = UInt64(moved)
    }
    let first = marks & 0x4 != 0 ? UInt32(fields.next(bytes: 4)) : nil
    let width = [0x100, 0x200, 0x400, 0x800].count { marks & $0 != 0 } * 4
    guard fields.isWhole, fields.rest >= Int(count) * width else { return false }
    var more = samples
    for index in 0..<Int(count) {
      let duration = marks & 0x100 != 0 ? UInt32(fields.next(bytes: 4)) : values.duration
      let size = marks & 0x200 != 0 ? UInt32(fields.next(bytes: 4)) : values.size
      let own = marks & 0x400 != 0 ? UInt32(fields.next(bytes: 4)) : nil
      let delay = marks & 0x800 != 0 ? Int32(truncatingIfNeeded: fields.next(bytes: 4)) : 0
      more.add(duration: duration, size: size, delay: delay, flags: own ?? (index == 0 ? first : nil) ?? values.flags)
    }
    let end = start + UInt64(more.byteCount - samples.byteCount)
    guard start < length, end <= length else { return false }
    if count > 0 { more.closeRun(at: start, count: Int(count)) }
    (samples, place) = (more, end)
    return true
  }
}

/// Numbers one after the other, the highest byte first.
private struct FieldReader {
  private let bytes: Data
  private var place: Int
  /// Whether all numbers were there.
  private(set) var isWhole = true

  init(_ bytes: Data, at place: Int) { (self.bytes, self.place) = (bytes, place) }

  var rest: Int { bytes.count - place }

  /// The next number; 0 beyond the end.
  mutating func next(bytes count: Int) -> UInt64 {
    guard let value = bytes.number(at: place, bytes: count) else {
      isWhole = false
      return 0
    }
    place += count
    return value
  }
}

extension SampleTable {
  /// The table with the samples of fragments after its own; nil where the fragments do not go on where the table ends.
  func continued(by more: FragmentSamples) -> SampleTable? {
    guard !more.isDamaged, more.count > 0 else { return more.isDamaged ? nil : self }
    var (durations, delays) = count > 0 ? (self.durations, self.delays) : (SampleRuns(), nil)
    guard durations.end == count, chunks.groups.end == count else { return nil }
    if count > 0, let start = more.start, start != durations.sum(before: count) { return nil }
    guard durations.add(more.durations) else { return nil }
    if more.delays.contains(where: { $0 != 0 }) || delays != nil {
      var all = delays ?? SampleRuns()
      guard all.end <= count, all.add(count - all.end, 0), all.add(more.delays) else { return nil }
      delays = all
    }
    var chunks = self.chunks
    for run in more.runs {
      guard chunks.groups.add(run.count, Int64(run.count)) else { return nil }
      chunks.firsts.append(chunks.places.count)
      chunks.places.append(run.place)
    }
    let isSyncs = more.flags.map { $0 & 0x10000 == 0 }
    var syncs = self.syncs
    if syncs != nil || isSyncs.contains(false) {
      syncs = (syncs ?? Array(0..<count)) + isSyncs.indices.filter { isSyncs[$0] }.map { count + $0 }
    }
    let own = dependencies.count == count ? dependencies : [UInt8](repeating: 0, count: count)
    return SampleTable(
      timescale: timescale, count: count + more.count, durations: durations, delays: delays,
      sizes: .each((0..<count).map { UInt32(clamping: size($0)) } + more.sizes), chunks: chunks, syncs: syncs,
      partialSyncs: partialSyncs, dependencies: own + more.flags.map { UInt8(truncatingIfNeeded: $0 >> 20) },
      shift: shift + (count == 0 ? more.start ?? 0 : 0))
  }
}

extension SampleRuns {
  /// Adds the values of single samples.
  ///
  /// - Returns: false where the numbers are too large for any movie.
  fileprivate mutating func add(_ list: [Int64]) -> Bool {
    var start = 0
    while start < list.count {
      let end = list[start...].firstIndex { $0 != list[start] } ?? list.count
      guard add(end - start, list[start]) else { return false }
      start = end
    }
    return true
  }
}
