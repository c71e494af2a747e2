internal import CFFmpeg
internal import Formats
package import MediaTime

/// The words that a movie says of a track.
package struct TrackWords: Hashable, Sendable {
  /// The language, as a BCP 47 tag; nil where none is told.
  package var language: String?
  /// The name that players show; nil for none.
  package var title: String?
  /// Whether players play it where nobody chooses.
  package var isDefault = true
  /// The samples of a sound, where they are known.
  var sampleCount: Int64?

  package init(language: String? = nil) { self.language = language }
}

/// A movie in fragments that are made while its tracks are encoded: each as soon as all that belongs to it has come.
///
/// The fragments are those of `FragmentedMovie`: keyframes of the first track divide them, and each has a run of packets of every track. The
/// opening cannot tell how long the movie is. One owner, one thread.
package final class LiveMovie {
  private let tracks: [LiveTrack]
  private let words: [TrackWords]
  /// The first track's ticks at which fragments begin behind the first one, ascending, as far as they are known.
  private var borders: [Int64] = []
  private var number: Int

  /// A number of samples that no sound reaches: its end is not known.
  private static let endless: Int64 = 1 << 47

  /// - Parameters:
  ///   - tracks: at least one; the first one's keyframes divide the movie.
  ///   - words: what is said of each track.
  ///   - first: the number of the first fragment.
  package init(_ tracks: [LiveTrack], _ words: [TrackWords], first: Int) {
    precondition(!tracks.isEmpty && tracks.count == words.count, "each track has its words")
    (self.tracks, self.words, number) = (tracks, words, first)
  }

  /// Makes the movie's opening, which has no packets.
  ///
  /// - Parameter path: the place of a file that is removed again.
  /// - Throws: `MediaError`.
  package func opening(_ form: MovieForm, by path: String) throws(MediaError) -> [UInt8] {
    let file = try OutputFile(path, .seeking)
    let movie = try ContainerWriter(file, format: form.fileType.muxerName)
    for (track, words) in zip(tracks, words) {
      let stream = try movie.addStream(
        track, words, color: form.color, hdrMetadata: form.hdrMetadata, in: form.fileType, of: form.video)
      if track.parameters.isPicture, form.orientation != .up { try movie.turn(stream, form.orientation) }
    }
    try movie.set(form.tags, beside: form.words, names: form.tagNames)
    var options = ["movflags": "+empty_moov+default_base_moof+frag_custom+write_colr", "strict": "experimental"]
    if let picture = tracks.first(where: \.parameters.isPicture) { options["video_track_timescale"] = String(picture.unit.den) }
    try movie.start(options: form.withWords(options))
    try file.flush()
    let made = tracks.map { track in
      OpeningBoxes.Track(
        skipped: UInt32(clamping: track.delay), sampleCount: track.parameters.isAAC && track.delay > 0 ? Self.endless : nil)
    }
    let head = try file.head(TrackOpening.longest)
    let lifted = QuickTimeWords.lifted(head) ?? head
    let marked = form.enabledTracks.map { MovieIndex.enabling($0, in: lifted) } ?? lifted
    guard let opening = marked.flatMap({ OpeningBoxes.completed($0, made, lasting: nil) }) else {
      throw MediaError(.internal, at: path, "the opening of the movie has no header")
    }
    return opening
  }

  /// Says that a fragment begins at a time, which is later than those before it.
  package func divide(at time: MediaTime) throws(MediaError) { borders.append(try tracks[0].tick(of: time)) }

  /// The next fragment; nil where something of it has not come, and at the end.
  package func next() -> [UInt8]? {
    let main = tracks[0]
    guard let first = main.packets.first else { return nil }
    borders.removeFirst(borders.prefix { $0 <= first.shown }.count)
    var count = main.packets.count
    var end: (ticks: Int64, unit: AVRational)?
    if let border = borders.first.flatMap(main.border) {
      (count, end) = (border.count, (border.shown, main.unit))
    } else if !tracks.allSatisfy(\.isAtEnd) {
      return nil
    }
    var counts = [count]
    for track in tracks.dropFirst() {
      guard let place = place(in: track, before: end) else { return nil }
      counts.append(place)
    }
    let parts = zip(tracks, counts).map { track, count in track.takeFirst(count) }
    let runs = zip(tracks.indices, parts).map { index, packets in run(packets, index) }.filter { !$0.samples.isEmpty }
    defer { number += 1 }
    var bytes = MovieFragment.head(number: number, runs)
    for packet in parts.joined() { bytes += packet.bytes }
    return bytes
  }

  /// The number of a track's packets that are heard before a time; nil where more of them may come.
  private func place(in track: LiveTrack, before end: (ticks: Int64, unit: AVRational)?) -> Int? {
    let place = end.flatMap { end in
      track.packets.firstIndex { av_compare_ts($0.shown, track.unit, end.ticks, end.unit) >= 0 }
    }
    return place ?? (track.isAtEnd ? track.packets.count : nil)
  }

  private func run(_ packets: ArraySlice<LiveTrack.Packet>, _ index: Int) -> MovieFragment.Run {
    let track = tracks[index]
    var run = MovieFragment.Run(track: index + 1, isPicture: track.parameters.isPicture)
    run.decodeTime = (packets.first?.decoded ?? 0) + track.delay
    run.samples = packets.map { packet in
      MovieFragment.Sample(
        byteCount: packet.bytes.count, duration: packet.length, offset: packet.shown - packet.decoded, isKey: packet.isKey)
    }
    return run
  }
}
