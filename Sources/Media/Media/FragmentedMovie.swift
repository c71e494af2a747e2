internal import Formats
internal import MediaTime

/// Writes a movie in fragments: an opening without packets, then pieces of some seconds, each of which can be played on its own
/// (docs/decisions/0194-a-movie-in-fragments.md). A table of their places stands at the end.
///
/// A fragment has a run of packets of each track. The first track's keyframes divide them.
struct FragmentedMovie {
  /// The places at which fragments begin, behind the first one.
  enum Borders {
    /// Multiples of a time, rounded up to whole frames.
    case every(MediaTime)
    /// The first keyframes at or after these times, which ascend.
    case at([MediaTime])
  }

  let file: OutputFile
  let tracks: [FragmentTrack]
  let borders: Borders
  /// The number of the first fragment.
  let first: Int
  /// Whether each track is played where nobody chooses; nil leaves it to the muxer.
  let enabled: [Bool]?

  /// The place of a fragment, as the table at the end has it.
  private struct Place {
    /// The time at which its first picture or block is shown or heard, in ticks of the first track.
    let time: Int64
    let offset: Int64
  }

  /// Writes all fragments behind the opening, which the muxer has written.
  ///
  /// - Parameters:
  ///   - duration: the movie's.
  ///   - sampleCounts: the samples of each track that are heard; nil for pictures.
  ///   - progress: called after each packet. What it throws ends the writing.
  /// - Returns: the movie's size and digest.
  func write(
    lasting duration: OpeningBoxes.MediaDuration, sampleCounts: [Int64?], progress: () throws -> Void
  ) throws -> FileDigest {
    let words = try zip(tracks, sampleCounts).map { track, sampleCount in
      guard let skipped = UInt32(exactly: track.delay) else {
        throw MediaError(.unsupported, at: file.path, "its frames are reordered over too long a time")
      }
      return OpeningBoxes.Track(skipped: skipped, sampleCount: track.parameters.isAAC ? sampleCount : nil)
    }
    let head = try file.head(TrackOpening.longest)
    // A movie without words has no such box.
    let lifted = QuickTimeWords.lifted(head) ?? head
    let marked = enabled.map { MovieIndex.enabling($0, in: lifted) } ?? lifted
    guard let opening = marked.flatMap({ OpeningBoxes.completed($0, words, lasting: duration) }) else {
      throw MediaError(.internal, at: file.path, "the opening of the movie has no header")
    }
    try file.replaceEnd(from: 0, by: opening)
    var (places, offset): ([Place], Int64) = ([], Int64(opening.count))
    while !tracks[0].isAtEnd {
      let main = try mainRun()
      let end = tracks[0].nextTime
      let runs = try [main] + zip(tracks.dropFirst(), 2...).map { try $0.run(before: end, number: $1) }
      let filled = zip(tracks, runs).filter { !$1.samples.isEmpty }
      let head = MovieFragment.head(number: places.count + first, filled.map(\.1))
      places.append(Place(time: main.decodeTime + (main.samples.first?.offset ?? 0), offset: offset))
      try file.append(head)
      for (track, run) in filled { try track.write(run, to: file, progress: progress) }
      offset += Int64(head.count + runs.reduce(0) { $0 + $1.byteCount })
    }
    try file.append(index(places))
    return try file.finishMovie()
  }

  /// The next packets of the first track.
  private func mainRun() throws -> MovieFragment.Run {
    switch borders {
    case .every(let interval): return try tracks[0].run(every: interval)
    case .at(let times):
      let start = tracks[0].nextTime
      let next = times.first { time in
        start.map { Int128(time.value) * Int128($0.timescale) > Int128($0.ticks) * Int128(time.timescale) } ?? false
      }
      return try tracks[0].run(until: next)
    }
  }

  /// The table of the fragments' places (`mfra`, ISO/IEC 14496-12, 8.8.9).
  private func index(_ places: [Place]) -> [UInt8] {
    var table = BoxBytes(full: "tfra", version: 1, flags: 0)
    // Numbers of track, run and packet have four bytes each.
    for number in [1, 0x3f, UInt32(places.count)] { table.add(number) }
    for place in places {
      table.add(UInt64(place.time))
      table.add(UInt64(place.offset))
      for _ in 0..<3 { table.add(UInt32(1)) }
    }
    let size = table.bytes.count + 8 + 16
    var end = BoxBytes(full: "mfro", version: 0, flags: 0)
    end.add(UInt32(size))
    return BoxBytes.box("mfra", table.bytes + end.bytes)
  }
}
