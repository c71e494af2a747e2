internal import CFFmpeg
package import MediaTime

/// A track of a movie in pieces that players fetch one by one (CMAF, ISO/IEC 23000-19): an opening, and fragments of some packets each.
///
/// The packets are those that the mux writes, from the same segment files. Times are counted from frame and sample numbers. Pictures are
/// decoded at their place in the order of decoding, and shown as much later as they are reordered, at least. Sound has its priming in
/// front. The opening's edit list takes both away, as the movie's own does, so that the first frame is shown at 0.
///
/// Composition offsets with a sign would need no edit list, but FFmpeg 5.1 reads them wrongly in fragments.
package struct TrackFragments {
  private let segments: [SegmentInput]
  private let beginning: SegmentInput?
  private let unit: AVRational
  private let first: Int64

  /// The duration of a frame; nil for sound, whose ticks are samples.
  private let frameDuration: MediaTime?

  /// - Parameters:
  ///   - segments: the segment files, which follow each other: chunks, or parts of a sound.
  ///   - beginning: the part with which the sound begins, where `segments` do not begin with it. It says how long the priming is.
  ///   - first: the number of the first frame of the first chunk, or of the first sample of the first part.
  ///   - frameDuration: the duration of a frame; nil for sound.
  /// - Throws: `MediaError` `unsupported` for a duration that no movie has.
  package init(
    _ segments: [SegmentInput], after beginning: SegmentInput? = nil, first: Int64, frameDuration: MediaTime?
  ) throws(MediaError) {
    precondition(!segments.isEmpty, "a fragment has packets")
    (self.segments, self.beginning, self.first, self.frameDuration) = (segments, beginning, first, frameDuration)
    unit = try AVRational(frameDuration ?? .oneSecond)
  }

  /// Writes one fragment, or several of sound.
  ///
  /// All segment files are proved before the first byte is written, and again while they are read.
  ///
  /// - Parameters:
  ///   - starts: the samples at which the second fragment of sound begins, the third, and so on, ascending, counted from `first`. A packet
  ///     belongs to the last fragment that begins at or before it.
  ///   - number: the number of the first fragment, from 1.
  ///   - descriptor: the file, which is empty and stays the caller's.
  ///   - progress: called now and then.
  /// - Returns: the bytes of each fragment, in order.
  /// - Throws: `MediaError` naming a segment file that is not what its facts say, or the file.
  package func write(
    splitAt starts: [Int64], number: Int, to descriptor: Int32, progress: @escaping () -> Void
  ) throws -> [Int64] {
    precondition(starts.isEmpty || frameDuration == nil, "a chunk is one fragment")
    let fragments = try samples(splitAt: starts, progress)
    guard !fragments.contains(where: { $0.samples.isEmpty }) else {
      throw MediaError(.internal, at: segments[0].path, "a fragment of it has no packet")
    }
    let output = FragmentOutput(descriptor)
    let track = try open(from: .checked)
    var byteCounts: [Int64] = []
    for (index, fragment) in fragments.enumerated() {
      let begin = output.byteCount
      output.append(MovieFragment.head(number: number + index, [fragment]))
      for sample in fragment.samples {
        let payload = unsafe SamplePayload(track.packet, track.parameters)
        guard !track.isAtEnd, payload.byteCount == sample.byteCount else {
          throw MediaError(.corrupt, at: segments[0].path, "changed while it was read")
        }
        try payload.write(to: output)
        try track.advance()
        progress()
      }
      byteCounts.append(output.byteCount - begin)
    }
    guard track.isAtEnd else { throw MediaError(.corrupt, at: segments[0].path, "changed while it was read") }
    try output.flush()
    return byteCounts
  }

  /// Reads all packets for what the headers tell of them.
  private func samples(splitAt starts: [Int64], _ progress: @escaping () -> Void) throws -> [MovieFragment.Run] {
    let track = try open(from: SegmentSupply { _ in progress() })
    let priming = try beginning.map { try Self.priming(of: $0, unit, progress) } ?? Int64(track.parameters.priming)
    let empty = MovieFragment.Run(track: 1, isPicture: frameDuration != nil)
    var fragments = [empty]
    let ticks = frameDuration.map(Self.ticksPerFrame) ?? 1
    var count: Int64 = 0
    while !track.isAtEnd {
      let (shown, duration) = unsafe (track.packet.pointee.pts, track.packet.pointee.duration)
      while fragments.count <= starts.count, shown >= starts[fragments.count - 1] {
        fragments.append(empty)
      }
      let decoded = frameDuration == nil ? first + shown + priming : first + count
      let offset = frameDuration == nil ? 0 : first + shown - decoded + track.parameters.reorderDepth
      if fragments[fragments.count - 1].samples.isEmpty { fragments[fragments.count - 1].decodeTime = decoded * ticks }
      let isKey = unsafe track.packet.pointee.flags & AV_PKT_FLAG_KEY != 0
      let byteCount = unsafe SamplePayload(track.packet, track.parameters).byteCount
      fragments[fragments.count - 1].samples.append(
        MovieFragment.Sample(byteCount: byteCount, duration: duration * ticks, offset: offset * ticks, isKey: isKey))
      count += 1
      try track.advance()
      progress()
    }
    return fragments + (fragments.count...starts.count + 1).dropLast().map { _ in empty }
  }

  /// The priming of a sound that begins with this part.
  private static func priming(of beginning: SegmentInput, _ unit: AVRational, _ progress: () -> Void) throws -> Int64 {
    try beginning.require(FileDigest(of: beginning.path) { _ in progress() })
    return Int64(try SegmentReader(beginning, unit: unit).parameters.priming)
  }

  private func open(from supply: SegmentSupply) throws -> MovieTrack {
    let track = try MovieTrack(segments, unit: unit, subtractsDelay: false, from: supply)
    guard track.parameters.isPicture == (frameDuration != nil) else {
      throw MediaError(.corrupt, at: segments[0].path, "holds another kind of track than was asked for")
    }
    return track
  }

  /// The ticks a second of a track of pictures: a multiple of the frames' timescale, of ten thousand or more.
  static func timescale(of frameDuration: MediaTime) -> Int32 { timescale(atLeast: frameDuration.timescale) }

  /// The ticks a second of a track of pictures whose times are whole numbers of `1 / denominator` seconds.
  static func timescale(atLeast denominator: Int32) -> Int32 {
    var timescale = denominator
    while timescale < 10_000 { timescale *= 2 }
    return timescale
  }

  static func ticksPerFrame(_ frameDuration: MediaTime) -> Int64 {
    frameDuration.value * Int64(timescale(of: frameDuration) / frameDuration.timescale)
  }
}
