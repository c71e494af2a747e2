internal import CFFmpeg
internal import Formats
internal import MediaTime

/// Decodes the sound of one track from any sample on. The samples are the same wherever reading began
/// (docs/decisions/0024-sound-is-counted-in-blocks.md).
///
/// A decoder's samples may depend on all that it decoded before: AAC and AC-3 fill in noise. A container's clock may be too
/// coarse to say with which sample a frame begins. So time is divided into blocks. Each block is decoded by a decoder of its own,
/// which begins a second before it. Reading on enters the next block in the same way as reading from there would.
///
/// Frames that are equally long and lie where they would if none were missing are counted from the track's first frame. Where
/// they do not, a scan counts all frames from the start of the file. Samples that stand by themselves, in a file that counts them, need no
/// blocks. One thread at a time.
@safe final class SoundSource {
  /// A decoded frame and the range of its samples that count.
  struct Piece {
    let frame: OwnedFrame
    /// The place of the first sample of the range.
    let position: Int64
    let range: Range<Int>
    /// Whether the frame's own packet is damaged.
    let isLost: Bool
    /// Whether packets before it were damaged and gave no frame.
    let followsLoss: Bool

    var end: Int64 { position + Int64(range.count) }
  }

  /// The length of a block: short enough to decode up to any sample of it, and long enough for the second before it to cost
  /// little.
  private static let blockSeconds: Int64 = 10
  /// The time in which decoders with memory (bit reservoirs, overlapping windows, pre-roll) settle.
  private static let settlingSeconds: Int64 = 1
  /// The formats whose timestamps after a seek are those of the file. Other formats estimate them, and are decoded from their
  /// start.
  private static let exactFormats = [
    "mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "mpegts", "mpeg", "flv", "asf", "mxf", "wav", "w64", "aiff",
  ]

  private let path: String
  private let track: TrackFacts
  private let policy: SourcePolicy
  private let scans: SoundScans?
  private var decoder: SoundDecoder
  /// The track's sample rate, from its first frame.
  let sampleRate: Int32
  /// The place of the track's first frame, without its encoder's priming.
  let start: Int64
  /// The track's first frame, as a model of all.
  let first: OwnedFrame
  private var block = 0
  /// Whether time is divided into blocks.
  private let hasBlocks: Bool
  /// The samples as they lie in the file, which are read instead of packets; nil for most files.
  private let plain: PlainSamples?
  /// The frames that were decoded to find their places, and are still to be given.
  private var found: [SoundDecoder.Placed] = []
  private var hasEnded = false
  /// The sample after the last one that was decoded, or after a stretch without any.
  private(set) var end: Int64 = 0

  /// - Parameter scans: the scans of this thread; nil where the file's timestamps are exact enough.
  /// - Throws: `MediaError` when the file changed since it was probed, or nothing can be decoded.
  init(path: String, track: TrackFacts, policy: SourcePolicy, scans: SoundScans?) throws(MediaError) {
    (self.path, self.track, self.policy, self.scans) = (path, track, policy, scans)
    decoder = try SoundDecoder(path: path, track: track, policy: policy)
    guard let first = try decoder.next() else {
      throw MediaError(.corrupt, at: decoder.place, "no sound can be decoded")
    }
    sampleRate = unsafe first.frame.pointer.pointee.sample_rate
    start = first.position
    self.first = first.frame
    found = [first]
    hasBlocks = Self.exactFormats.contains(decoder.demuxer.formatName) && !decoder.countsSamples
    plain = decoder.plainSamples(first)
  }

  var place: String { decoder.place }
  var formatName: String { decoder.demuxer.formatName }
  var indexGoesOn: Bool { plain == nil && decoder.indexGoesOn }

  /// The sample after the last one of `track`, as probing found it; nil where probing found no end that is reliable.
  func end(of track: TrackFacts) throws(MediaError) -> Int64? {
    guard track.timeRange.duration > .zero, formatName != "avi" else { return nil }
    let end = Rational(track.timeRange.end)
    return Int64(
      clamping: try decoder.demuxer.exact { () throws(TimeError) in try (end * Rational(Int64(sampleRate))).rounded() })
  }

  /// The number of damaged packets after the last frame, which gave none, and the sample after theirs; nil where there are none.
  var lostEnd: (packets: Int, end: Int64)? {
    guard hasEnded, decoder.lostPackets > 0 else { return nil }
    return (decoder.lostPackets, end + Int64(decoder.lostPackets * decoder.lastCount))
  }

  /// The time of a sample in seconds, for messages.
  func seconds(at position: Int64) throws(MediaError) -> Double {
    try decoder.demuxer.exact { () throws(TimeError) in
      try Rational(Int128(position), over: Int128(sampleRate)).approximation
    }
  }

  /// Goes to the block that has `position`. Call it before the first read.
  func go(to position: Int64) throws(MediaError) {
    if let plain { return plain.go(to: position) }
    let block = Int(clamping: max(0, position / length))
    guard isSeekable, block > 0 else { return }
    if hasBlocks { return try enter(block) }
    // Reading begins a little early: which packet it begins with is the format's choice.
    let start = position - Self.settlingSeconds * Int64(sampleRate)
    let seconds = try decoder.demuxer.exact { () throws(TimeError) in try Rational(Int128(start), over: Int128(sampleRate)) }
    let tick = try tick(of: seconds)
    guard tick > decoder.start else { return }
    found = []
    guard try decoder.enter(at: tick, reopened: reopened) else {
      (hasEnded, end) = (true, max(end, start))
      return
    }
  }

  /// The next frame's samples, in order; nil at the end.
  func next() throws(MediaError) -> Piece? {
    while !hasEnded {
      guard let placed = try nextFrame() else {
        (hasEnded, end) = (true, max(end, plain?.count ?? 0))
        break
      }
      end = max(end, placed.end)
      guard hasBlocks else { return piece(placed, placed.position..<placed.end) }
      let (first, last) = (block == 0 ? Int64.min : Int64(block) * length, Int64(block + 1) * length)
      if placed.position >= last {
        try enter(Int(clamping: placed.position / length))
      } else if placed.end > first {
        if placed.end >= last { try enter(block + 1) }
        return piece(placed, max(first, placed.position)..<min(last, placed.end))
      }
    }
    return nil
  }

  private func nextFrame() throws(MediaError) -> SoundDecoder.Placed? {
    if let plain { return try plain.next() }
    return try found.isEmpty ? decoder.next() : found.removeFirst()
  }

  private func piece(_ placed: SoundDecoder.Placed, _ samples: Range<Int64>) -> Piece {
    let range = Int(samples.lowerBound - placed.position)..<Int(samples.upperBound - placed.position)
    return Piece(
      frame: placed.frame, position: samples.lowerBound, range: range, isLost: placed.isLost, followsLoss: placed.followsLoss)
  }

  private var length: Int64 { Self.blockSeconds * Int64(sampleRate) }

  var isSeekable: Bool { Self.exactFormats.contains(formatName) }

  // MARK: Entering a block

  private func enter(_ block: Int) throws(MediaError) {
    self.block = block
    found = []
    let seconds = Rational(Int64(block) * Self.blockSeconds - Self.settlingSeconds)
    let tick = try tick(of: seconds)
    guard tick > decoder.start else { return try restart(for: block) }
    guard try decoder.enter(at: tick, reopened: reopened) else {
      hasEnded = true
      end = max(end, (Int64(block) * Self.blockSeconds - Self.settlingSeconds) * Int64(sampleRate))
      return
    }
    if decoder.statesPlaces { return }
    if try isOnGrid(block) { return }
    guard let scans else {
      found = []
      _ = try decoder.enter(at: tick, reopened: reopened)
      return
    }
    let landmark = try scans.landmark(
      ofBlock: block, length: length, lead: Self.settlingSeconds * Int64(sampleRate) / 2, path: path, track: track.index
    ) { () throws(MediaError) in try SoundDecoder(path: path, track: track, policy: policy) }
    found = []
    guard try decoder.enter(at: tick, reopened: reopened), let landmark else { return }
    while let placed = try decoder.next() {
      guard placed.tick == landmark.tick else { continue }
      decoder.expect(landmark.position + Int64(placed.count))
      return
    }
  }

  /// Decodes up to the block's first samples and puts the frames on the grid of the track's first frame.
  ///
  /// - Returns: false where the timestamps do not show that all frames are equally long and that only whole frames are missing.
  private func isOnGrid(_ block: Int) throws(MediaError) -> Bool {
    while var placed = try decoder.next() {
      if let first = found.first, first.count != placed.count { return false }
      if let stated = placed.stated {
        guard let position = decoder.onGrid(stated, placed.count, sampleRate) else { return false }
        placed.position = position
      }
      decoder.expect(placed.end)
      found.append(placed)
      if placed.end > Int64(block) * length { break }
    }
    return true
  }

  private func restart(for block: Int) throws(MediaError) {
    decoder = try SoundDecoder(path: path, track: track, policy: policy)
    self.block = block
  }

  private func reopened() throws(MediaError) -> Demuxer { try Demuxer(path: path, track: track, policy: policy) }

  private func tick(of seconds: Rational) throws(MediaError) -> Int64 {
    let base = unsafe decoder.demuxer.stream(track.index).pointee.time_base
    let tick = try decoder.demuxer.exact { () throws(TimeError) in
      try ((seconds + decoder.demuxer.origin) / Rational(Int128(base.num), over: Int128(base.den))).floor
    }
    return Int64(clamping: tick)
  }
}
