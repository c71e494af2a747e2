internal import CFFmpeg
package import MediaTime
package import Timeline

/// The pictures of one track by time: at any time, the last frame whose presentation time is not later.
///
/// The answer is a function of file and time alone, whatever was asked before. Requests that go forward decode on;
/// others go to the nearest keyframe before, and never to the start of the file unless its timestamps are of the kind that
/// only decoding from there makes certain (AVI with B-frames). Holds one file, one decoder, and two frames; read backwards
/// in small steps also those that it passed on the way from the keyframe.
/// One thread at a time.
@safe package final class VideoReader {
  /// Up to here decoding on is not slower than a seek.
  private static let nearSeconds: Int64 = 1
  /// From here on a seek is tried in formats without an index of keyframes, whose distance is seldom more.
  private static let farSeconds: Int64 = 10
  private static let maxTick = Demuxer.maxTick

  /// One decoded frame and the time it is for, in the stream's ticks.
  struct Shown {
    let tick: Int64
    /// 0 when unknown.
    let duration: Int64
    let isFirstOfTrack: Bool
    let frame: OwnedFrame

    /// Of the samples, about.
    var byteCount: Int {
      let raw = unsafe frame.pointer.pointee
      return unsafe max(Int(raw.linesize.0.magnitude) * Int(raw.height) * 3 / 2, 1)
    }
  }

  private let path: String
  private let policy: SourcePolicy
  private let track: TrackFacts
  private let threads: Int
  private let place: String

  private var demuxer: Demuxer
  private var decoder: Decoder
  private var current: Shown?
  /// The frame that was asked for last, in planes.
  private var answer: (tick: Int64, frame: OwnedFrame, picture: PixelBuffer)?
  private var passed = PassedFrames()
  private var next: Shown?
  private var hasEnded = false
  /// Nothing was read since the file was opened.
  private var isFresh = true
  /// Timestamps come from the decoder's guesses, which depend on all frames before: decode from the start only.
  private var isSequential = false
  /// Of the track, in the order of the file.
  private var firstPacket: OwnedPacket?
  /// The file has more than one description of the track's samples, and another one than the first is in force.
  private var isDescribedAnew = false
  /// After a seek, packets before the first keyframe are passed over...
  private var awaitsKeyframe = false
  /// ... and frames before its time, which refer to frames that were not decoded (open GOP).
  private var floor = Int64.min
  /// The keyframe lies before an edit and only serves to decode what the edit shows.
  private var keyframeIsHidden = false
  /// The latest frame's tick: frames that do not advance are passed over.
  private var latest = Int64.min
  /// Decode time of the last packet read.
  private var lastRead = Int64.min

  /// - Parameter track: as `AssetProbe` found it.
  /// - Parameter threads: of the decoder; the frames do not depend on it.
  /// - Throws: `MediaError` when the file changed since it was probed, or the track cannot be decoded.
  package init(path: String, track: TrackFacts, policy: SourcePolicy, threads: Int = 1) throws(MediaError) {
    (self.path, self.policy, self.track, self.threads) = (path, policy, track, threads)
    place = "\(MediaURL.name(of: path)) track \(track.index)"
    demuxer = try Demuxer(path: path, track: track, policy: policy)
    decoder = try unsafe Decoder(demuxer.stream(track.index), threads: threads, at: place)
  }

  /// The picture at `time` in the asset's clock: before the first frame the first, after the last the last.
  ///
  /// - Throws: `MediaError`, naming path, track and time, when nothing can be decoded, when the file ends before the
  ///   track's stated end by more than a frame and the missing part is asked for, and for I/O errors.
  package func frame(at time: Rational) throws(MediaError) -> PixelBuffer {
    try frame(time) { $0.floor }
  }

  /// The picture just before `time`: the last whose presentation time is earlier; else as `frame(at:)`.
  package func frame(before time: Rational) throws(MediaError) -> PixelBuffer {
    try frame(time) { $0.ceiling - 1 }
  }

  private func frame(_ time: Rational, _ whole: (Rational) -> Int128) throws(MediaError) -> PixelBuffer {
    do throws(MediaError) {
      let goal = try tick(of: time, whole)
      let shown = if let known = passed.frame(at: goal) { known } else { try decoded(at: goal) }
      if let answer, answer.frame === shown.frame { return answer.picture }
      let tags = unsafe demuxer.stream(track.index).pointee.colorTags
      let picture = try PixelBuffer.decoded(shown.frame, fallback: tags, at: place)
      answer = (shown.tick, shown.frame, picture)
      return picture
    } catch {
      throw error.at("\(place) at \(time.approximation) s")
    }
  }

  private func decoded(at goal: Int64) throws(MediaError) -> Shown {
    let isStepBack = answer.map { goal < $0.tick && $0.tick - goal <= ticks(Self.nearSeconds) } ?? false
    passed.removeAll()
    if !isReachedByDecodingOn(goal) { try jump(to: goal) }
    try decode(upTo: goal, keepsPassed: isStepBack)
    guard let current else { throw MediaError(.corrupt, at: place, "no picture can be decoded") }
    try checkNotCutOff(current, goal)
    return current
  }

  // MARK: Where to decode from

  /// The tick of `time`, made whole by `whole`.
  private func tick(of time: Rational, _ whole: (Rational) -> Int128) throws(MediaError) -> Int64 {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    let ticks = try demuxer.exact { () throws(TimeError) in
      try (time + demuxer.origin) / Rational(Int128(base.num), over: Int128(base.den))
    }
    let tick = whole(ticks)
    return min(max(Int64(clamping: tick), -Self.maxTick), Self.maxTick)
  }

  private func isReachedByDecodingOn(_ goal: Int64) -> Bool {
    if let current, goal < current.tick { return current.isFirstOfTrack }
    if isSequential { return true }
    guard isFresh || current != nil else { return false }
    let distance = goal - (current?.tick ?? start)
    if distance <= ticks(Self.nearSeconds) { return true }
    let stream = unsafe demuxer.stream(track.index)
    if let keyframe = unsafe avformat_index_get_entry_from_timestamp(stream, goal, AVSEEK_FLAG_BACKWARD),
      unsafe keyframe.pointee.timestamp > lastRead
    {
      return false
    }
    if demuxer.indexGoesOn(track.index, after: lastRead) { return true }
    return distance <= ticks(Self.farSeconds)
  }

  /// Makes `current` a frame that is not after `goal`, decoded from a keyframe; at the start of the track, its first.
  private func jump(to goal: Int64) throws(MediaError) {
    let end = try statedEnd() ?? Self.maxTick
    if firstPacket == nil, try demuxer.nextPacket(of: track.index) { firstPacket = try OwnedPacket(sharing: demuxer.packet) }
    var back: Int64 = 0
    // Formats find keyframes by decode time or by guess, so the first one found may be shown after the goal. And where the
    // keyframe itself is not shown, it is damaged or only begins a gradual refresh: what follows may not be as it should.
    while !isSequential, case let aim = min(goal, end) - back, aim > start, try seek(to: aim) {
      try beginDecoding(afterSeek: true)
      if let first = try decodeNext(), isSequential || (first.tick <= goal && (first.tick == floor || keyframeIsHidden)) {
        show(first)
        return
      }
      back = back == 0 ? ticks(1) / 2 + 1 : back * 2
    }
    try restart()
  }

  /// QuickTime's demuxer tells of another description where it comes into force, and then no more: a new decoder needs a new
  /// demuxer.
  private func seek(to tick: Int64) throws(MediaError) -> Bool {
    if isDescribedAnew { demuxer = try Demuxer(path: path, track: track, policy: policy) }
    isDescribedAnew = false
    return demuxer.seek(track.index, to: tick)
  }

  /// From the start of the file, in the state of a new reader.
  private func restart() throws(MediaError) {
    demuxer = try Demuxer(path: path, track: track, policy: policy)
    try beginDecoding(afterSeek: false)
  }

  /// With a new decoder: a flushed one keeps some state, and the answers must not depend on it. But it must have seen the
  /// first packet, in which encoders (x264, Xvid) say who they are, so that decoders allow for their known faults.
  private func beginDecoding(afterSeek: Bool) throws(MediaError) {
    decoder = try unsafe Decoder(demuxer.stream(track.index), threads: threads, at: place)
    if afterSeek, let firstPacket { try decoder.learn(from: firstPacket) }
    (current, next, hasEnded) = (nil, nil, false)
    (isFresh, awaitsKeyframe) = (!afterSeek, afterSeek)
    (floor, latest, lastRead) = (.min, .min, .min)
  }

  // MARK: Decoding

  private func decode(upTo goal: Int64, keepsPassed: Bool) throws(MediaError) {
    if keepsPassed, let current { passed.add(current) }
    while true {
      if next == nil { next = try decodeNext() }
      // It had to start again.
      if current == nil { passed.removeAll() }
      guard let found = next, current == nil || found.tick <= goal else { break }
      show(found)
      if keepsPassed { passed.add(found) }
    }
    if keepsPassed { passed.close(at: goal) }
  }

  private func show(_ frame: Shown) { (current, next) = (frame, nil) }

  /// The next frame in order of presentation; nil at the end.
  private func decodeNext() throws(MediaError) -> Shown? {
    while !hasEnded {
      switch try decoder.receive() {
      case .ended: hasEnded = true
      case .needsPacket: try sendPacket()
      case .frame(let frame):
        guard let tick = try tick(of: frame), tick >= floor, tick >= latest else { continue }
        let isFirst = latest == .min && floor == .min
        latest = tick
        return unsafe Shown(
          tick: tick, duration: max(0, frame.pointer.pointee.pkt_duration), isFirstOfTrack: isFirst, frame: frame)
      }
    }
    return nil
  }

  /// The presentation time that the file gives; nil when the reader had to start again to guess it.
  private func tick(of frame: OwnedFrame) throws(MediaError) -> Int64? {
    let raw = unsafe frame.pointer.pointee
    if !isSequential, unsafe raw.pts != spool_AV_NOPTS_VALUE {
      guard unsafe raw.pts.magnitude <= Self.maxTick else { throw MediaError(.corrupt, at: place, Demuxer.outOfRange) }
      return unsafe raw.pts
    }
    guard isSequential else {
      try becomeSequential()
      return nil
    }
    let guess = unsafe raw.best_effort_timestamp
    if guess != spool_AV_NOPTS_VALUE { return min(max(guess, -Self.maxTick), Self.maxTick) }
    // The frames that come out last have no packet behind them to guess from.
    return latest == .min ? start : latest + nominalFrame
  }

  private func becomeSequential() throws(MediaError) {
    isSequential = true
    try restart()
  }

  private func sendPacket() throws(MediaError) {
    isFresh = false
    while try demuxer.nextPacket(of: track.index) {
      if firstPacket == nil { firstPacket = try OwnedPacket(sharing: demuxer.packet) }
      let packet = unsafe demuxer.packet.pointer
      if unsafe av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, nil) != nil { isDescribedAnew = true }
      if awaitsKeyframe {
        guard unsafe packet.pointee.flags & AV_PKT_FLAG_KEY != 0 else { continue }
        guard unsafe packet.pointee.pts != spool_AV_NOPTS_VALUE else { return try becomeSequential() }
        awaitsKeyframe = false
        floor = unsafe packet.pointee.pts
        keyframeIsHidden = unsafe packet.pointee.flags & AV_PKT_FLAG_DISCARD != 0
      }
      if unsafe packet.pointee.dts != spool_AV_NOPTS_VALUE { lastRead = unsafe packet.pointee.dts }
      return try unsafe decoder.send(packet)
    }
    try unsafe decoder.send(nil)
  }

  // MARK: The track's extent

  private var start: Int64 {
    let start = unsafe demuxer.stream(track.index).pointee.start_time
    return start == spool_AV_NOPTS_VALUE ? 0 : min(max(start, -Self.maxTick), Self.maxTick)
  }

  /// In ticks; nil when the file does not say.
  private func statedEnd() throws(MediaError) -> Int64? {
    guard let end = try demuxer.statedEnd(ofTrack: track.index) else { return nil }
    return try tick(of: demuxer.exact { () throws(TimeError) in try end - demuxer.origin }) { $0.floor }
  }

  /// Ticks from frame to frame on average; a second's when unknown.
  private var nominalFrame: Int64 {
    let rate = unsafe demuxer.stream(track.index).pointee.avg_frame_rate
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    guard rate.num > 0, rate.den > 0, base.num > 0 else { return ticks(1) }
    return max(1, av_rescale(Int64(rate.den), Int64(base.den), Int64(rate.num) * Int64(base.num)))
  }

  private func ticks(_ seconds: Int64) -> Int64 {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    return max(1, seconds * Int64(base.den) / Int64(max(1, base.num)))
  }

  /// A last frame is shown for ever, but not in place of frames that the file says it has.
  private func checkNotCutOff(_ last: Shown, _ goal: Int64) throws(MediaError) {
    let end = last.tick + max(min(last.duration, Self.maxTick), nominalFrame)
    guard hasEnded, next == nil, goal - end > nominalFrame, try promisesMore(than: end) else { return }
    throw MediaError(.corrupt, at: place, "the picture ends before the track does: the file is cut off or damaged")
  }

  /// By the format's index; or, for Matroska, whose index has only keyframes, by a stated end that lies later by more than
  /// its durations are careless. QuickTime's stated ends are no witness: edit lists may promise more than there is.
  private func promisesMore(than end: Int64) throws(MediaError) -> Bool {
    if demuxer.indexGoesOn(track.index, after: lastRead) { return true }
    guard demuxer.formatName.hasPrefix("matroska"), let stated = try statedEnd() else { return false }
    return stated - end > ticks(1)
  }
}

extension Demuxer {
  /// Opens the file to read one track of it.
  ///
  /// - Throws: `MediaError` also when the file is no longer what was probed, or the track was found undecodable.
  convenience init(path: String, track: TrackFacts, policy: SourcePolicy) throws(MediaError) {
    let place = "\(MediaURL.name(of: path)) track \(track.index)"
    try self.init(path: path, policy: policy)
    guard (0..<streamCount).contains(track.index),
      codecName(track.index) == track.codec
    else { throw MediaError(.unreadable, at: place, "is no longer what it was when probed") }
    if let rejection = track.rejection {
      throw MediaError(unsafe stream(track.index).isEncrypted ? .protected : .unsupported, at: place, rejection)
    }
    select(track.index)
  }
}
