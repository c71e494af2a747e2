internal import CFFmpeg
package import Formats
package import MediaTime

/// Reads the pictures of one track: the picture at a time is the last frame that is not shown later, as far as the container knows.
///
/// The answer depends on file and time alone, not on earlier requests (docs/decisions/0020-frames-by-time-alone.md). Requests
/// that go forward decode on; others seek to the nearest keyframe before. Tracks without presentation times (AVI with B-frames)
/// are always decoded from their start. Pictures that are damaged, or may refer to damaged ones, are lost: in their place comes
/// an error or the last whole picture, by the asset's treatment. A reader that goes backwards in small steps keeps the frames
/// that it passes. One thread at a time.
@safe package final class VideoReader {
  /// The distance, in seconds, up to which decoding on is as fast as a seek.
  private static let nearSeconds: Int64 = 1
  /// The distance, in seconds, beyond which a seek is tried without an index. Keyframes are seldom further apart.
  private static let farSeconds: Int64 = 10
  static let maxTick = Demuxer.maxTick

  /// A decoded frame and its presentation time, in the stream's ticks.
  struct Shown {
    let tick: Int64
    /// The duration in ticks; 0 when unknown.
    let duration: Int64
    let isFirstOfTrack: Bool
    let frame: OwnedFrame

    /// The approximate size of the samples.
    var byteCount: Int {
      let raw = unsafe frame.pointer.pointee
      return unsafe max(Int(raw.linesize.0.magnitude) * Int(raw.height) * 3 / 2, 1)
    }
  }

  private let path: String
  private let policy: SourcePolicy
  let track: TrackFacts
  private let rounding: FrameRounding
  private let threads: Int
  let treatment: AssetTreatment
  let place: String
  /// Whether the last answer stands in for a damaged picture.
  package internal(set) var isStandIn = false
  /// The tick of the frame that the last answer was made of.
  var shownTick = Int64.min

  var demuxer: Demuxer
  var decoder: Decoder
  var current: Shown?
  /// The last answer: the frame, and its picture in planes.
  private var answer: (tick: Int64, frame: OwnedFrame, picture: PixelBuffer)?
  var passed = PassedFrames()
  var next: Shown?
  /// The frame before `current`; nil where decoding began with `current`.
  var previous: Shown?
  var hasEnded = false
  /// Whether nothing was read since the file was opened.
  private var isFresh = true
  /// Whether decoding began with the track.
  private var startsTrack = true
  /// Whether timestamps are the decoder's guesses. These depend on all frames before, so decoding begins at the start.
  private(set) var isSequential = false
  /// The track's first packet, in the order of the file.
  private var firstPacket: OwnedPacket?
  /// Whether a new description of the track's samples came into force since the file was opened.
  private var isDescribedAnew = false
  /// Whether packets are passed over until the first keyframe after a seek.
  private var awaitsKeyframe = false
  /// The time of the keyframe from which decoding began, or went on after damage. Earlier frames are dropped, since they may
  /// refer to frames that were not decoded (open GOP).
  private var floor = Int64.min
  /// Whether that keyframe lies before an edit, and only serves to decode what the edit shows.
  private var keyframeIsHidden = false
  /// The latest frame's tick. Frames that go back in time are dropped.
  private var latest = Int64.min
  /// The decode time of the last packet that was read.
  var lastRead = Int64.min
  var damage = StreamDamage(isProvisional: false)
  /// The verdict on a track that is a still picture.
  var stillVerdict = StillVerdict()
  /// The number of the next packet that is sent, counted from where decoding began.
  var number: Int64 = 0
  /// The presentation times of the packet sent last, of the latest one so far, and of the latest one before that.
  var (sentTick, latestSent, earlierSent) = (Int64.min, Int64.min, Int64.min)
  /// Whether faults of the packet sent last are ignored, since it may refer to packets before the first keyframe.
  var leadsIn = false
  /// The number of keyframes sent since decoding began, and the presentation time of the first.
  private var (keyframes, firstKeyframe) = (0, Int64.min)
  /// A keyframe after damage. It waits until all frames that were decoded before it have come out.
  private var repair: OwnedPacket?
  /// The number of a keyframe after damage that the same decoder had to go on with. Its picture, if whole, ends the damage.
  var repairNumber: Int64?
  let deinterlacer: Deinterlacer?
  /// Inverse telecine; nil where it is not asked for.
  let film: FilmReader?

  /// - Parameter track: the track as `AssetProbe` found it.
  /// - Parameter threads: the decoder's threads. The frames do not depend on their number.
  /// - Throws: `MediaError` when the file changed, cannot be decoded, or is to be read as film but its rate is not film's, or has alpha.
  package init(
    path: String, track: TrackFacts, policy: SourcePolicy, threads: Int = 1, treatment: AssetTreatment = AssetTreatment()
  ) throws(MediaError) {
    (self.path, self.policy, self.track, self.threads, self.treatment) = (path, policy, track, threads, treatment)
    deinterlacer = treatment.interlace == .deinterlace ? Deinterlacer(track) : nil
    film = treatment.interlace == .inverseTelecine ? FilmReader(track) : nil
    place = "\(MediaURL.name(of: path)) track \(track.index)"
    guard treatment.interlace != .inverseTelecine || film != nil else {
      throw MediaError(.unsupported, at: place, "carries no film: that takes 30000/1001, 30 or 25 frames a second")
    }
    if film != nil, case .video(let video) = track.detail, video.alpha != nil {
      throw MediaError(.unsupported, at: place, "has alpha, which inverse telecine cannot keep")
    }
    demuxer = try Demuxer(path: path, track: track, policy: policy)
    rounding = unsafe FrameRounding(of: track, base: demuxer.stream(track.index).pointee.time_base)
    decoder = try unsafe Decoder(demuxer.stream(track.index), threads: threads, at: place)
  }

  /// The picture at `time` on the asset's clock: before the first frame the first one, after the last the last one.
  ///
  /// - Throws: `MediaError`, naming path, track and time, when nothing can be decoded, for damage that is to be refused, when the
  ///   missing part of a file that was cut off is asked for, and for I/O errors.
  package func frame(at time: Rational) throws(MediaError) -> PixelBuffer { try frame(time, orJustBefore: false) }

  /// The picture just before `time`: the last one whose presentation time is earlier; else as `frame(at:)`.
  package func frame(before time: Rational) throws(MediaError) -> PixelBuffer { try frame(time, orJustBefore: true) }

  private func frame(_ time: Rational, orJustBefore isBefore: Bool) throws(MediaError) -> PixelBuffer {
    do throws(MediaError) {
      let goal = try tick(of: time) { ticks throws(TimeError) in try rounding.lastTick(at: ticks, orJustBefore: isBefore) }
      if let film { return try picture(of: film, at: time, orJustBefore: isBefore, goal) }
      let shown = if let known = known(at: goal) { known } else { try decoded(at: goal) }
      try judge(shown, at: goal)
      shownTick = shown.tick
      if let answer, answer.frame === shown.frame { return answer.picture }
      let picture = try madeWhole(shown, at: goal)
      answer = (shown.tick, shown.frame, picture)
      return picture
    } catch {
      throw error.at("\(place) at \(time.approximation) s")
    }
  }

  /// A frame that was passed on the way to an earlier answer; nil where none can be used.
  private func known(at goal: Int64) -> Shown? {
    guard let known = passed.frame(at: goal), lost(for: known, goal)?.isCertain ?? true else { return nil }
    return known
  }

  /// Makes the frame that the track shows at `goal` the `current` one. Before the track's first frame that is the first frame.
  ///
  /// - Parameter keepsPassed: whether to keep the frames on the way; nil to keep them where the request is a small step back.
  func decoded(at goal: Int64, keepsPassed: Bool? = nil) throws(MediaError) -> Shown {
    let isStepBack = keepsPassed ?? answer.map { goal < $0.tick && $0.tick - goal <= ticks(Self.nearSeconds) } ?? false
    passed.removeAll()
    if !isReachedByDecodingOn(goal) { try jump(to: goal) }
    try decode(upTo: goal, keepsPassed: isStepBack)
    // After a seek, faults may only come from what was not decoded before. So decoding begins earlier until they are certain.
    while let current, let lost = lost(for: current, goal), !lost.isCertain {
      passed.removeAll()
      try jump(to: goal, from: firstKeyframe)
      try decode(upTo: goal, keepsPassed: isStepBack)
    }
    guard let current else { throw MediaError(.corrupt, at: place, "no picture can be decoded") }
    try checkNotCutOff(current, goal)
    return current
  }

  /// Decodes from a keyframe that is not after `first`, and keeps the frames on the way to `goal`.
  func decodeAnew(from first: Int64, to goal: Int64) throws(MediaError) {
    passed.removeAll()
    try jump(to: first)
    _ = try decoded(at: goal, keepsPassed: true)
  }

  // MARK: Where to decode from

  private func isReachedByDecodingOn(_ goal: Int64) -> Bool {
    if let current, goal < current.tick {
      return current.isFirstOfTrack || previous?.isFirstOfTrack == true && previous?.tick == current.tick
    }
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

  /// Makes a frame that is not after `goal` the `current` one, decoded from a keyframe. Failing that, it is the track's first
  /// frame.
  ///
  /// - Parameter limit: the tick before which decoding must begin.
  private func jump(to goal: Int64, from limit: Int64? = nil) throws(MediaError) {
    let end = try statedEnd() ?? Self.maxTick
    if firstPacket == nil, try demuxer.nextPacket(of: track.index) { firstPacket = try OwnedPacket(sharing: demuxer.packet) }
    var back = limit.map { max(min(goal, end) - $0 + 1, 0) } ?? 0
    // Formats find keyframes by decode time or by guess, so the one found may be shown after the goal. A keyframe that is not
    // shown is damaged, or only begins a gradual refresh: the frames after it may be wrong.
    while !isSequential, case let aim = min(goal, end) - back, aim > start, try seek(to: aim) {
      try beginDecoding(afterSeek: true)
      if let first = try decodeNext(), isSequential || (first.tick <= goal && (first.tick == floor || keyframeIsHidden)),
        limit.map({ firstKeyframe < $0 }) ?? true
      {
        show(first)
        return
      }
      back = back == 0 ? ticks(1) / 2 + 1 : back * 2
    }
    try restart()
  }

  /// Reopens the file where its sample description changed. QuickTime's demuxer reports a change only once, so a new decoder
  /// needs a new demuxer to learn of it.
  private func seek(to tick: Int64) throws(MediaError) -> Bool {
    if isDescribedAnew { demuxer = try Demuxer(path: path, track: track, policy: policy) }
    isDescribedAnew = false
    return demuxer.seek(track.index, to: tick)
  }

  /// Begins at the start of the file, in the state of a new reader.
  private func restart() throws(MediaError) {
    demuxer = try Demuxer(path: path, track: track, policy: policy)
    try beginDecoding(afterSeek: false)
  }

  /// Makes a new decoder, since a flushed one keeps some state. It is shown the track's first packet. There encoders (x264, Xvid)
  /// name their version, so that the decoder allows for their known faults.
  private func beginDecoding(afterSeek: Bool) throws(MediaError) {
    (previous, current, next, hasEnded) = (nil, nil, nil, false)
    try renewDecoder()
    if afterSeek, let firstPacket { try decoder.learn(from: firstPacket) }
    (isFresh, startsTrack, awaitsKeyframe) = (!afterSeek, !afterSeek, afterSeek)
    (floor, latest, lastRead) = (.min, .min, .min)
    damage = StreamDamage(isProvisional: afterSeek)
    (number, sentTick, latestSent, earlierSent, leadsIn) = (0, .min, .min, .min, false)
    (keyframes, firstKeyframe, repair, repairNumber) = (0, .min, nil, nil)
  }

  /// Makes a new decoder. The old one is freed before, so that there never are the pictures of two.
  private func renewDecoder() throws(MediaError) {
    decoder.close()
    decoder = try unsafe Decoder(demuxer.stream(track.index), threads: threads, at: place)
  }

  // MARK: Decoding

  private func decode(upTo goal: Int64, keepsPassed: Bool) throws(MediaError) {
    if keepsPassed, let current { passed.add(current) }
    while true {
      if next == nil { next = try decodeNext() }
      // Decoding had to begin again from the start.
      if current == nil { passed.removeAll() }
      // The last of several frames with the same time is shown. That holds before the track's first frame, too.
      guard let found = next, current.map({ found.tick <= max(goal, $0.tick) }) ?? true else { break }
      show(found)
      if keepsPassed { passed.add(found) }
    }
    if keepsPassed { passed.close(at: goal) }
  }

  private func show(_ frame: Shown) { (previous, current, next) = (current, frame, nil) }

  /// The next frame in order of presentation that is not lost; nil at the end.
  private func decodeNext() throws(MediaError) -> Shown? {
    while !hasEnded {
      let output = try decoder.receive()
      noteFault()
      switch output {
      case .ended:
        if let repair { try goOn(from: repair) } else { hasEnded = true }
      case .needsPacket: try sendPacket()
      case .frame(let frame): if let shown = try shown(frame) { return shown }
      }
    }
    return nil
  }

  /// The frame with its time; nil for a frame that is not to be shown.
  private func shown(_ frame: OwnedFrame) throws(MediaError) -> Shown? {
    guard let tick = try tick(of: frame), tick >= floor, tick >= latest else { return nil }
    // A codec that does not tell the packet has no B-frames.
    let number = frame.packetNumber ?? self.number - 1
    if frame.isFaulty, isJudged, !isLeadIn(tick) { damage.begin(at: number) }
    if number == repairNumber, !frame.isFaulty { damage.repair() }
    if damage.covers(number) {
      damage.lose(tick, of: number)
      return nil
    }
    // The keyframe only began a gradual refresh, and gave no picture of its own.
    if keyframes > 1, latest < floor, tick > floor { damage.lose(floor, of: number) }
    let isFirst = latest == .min && startsTrack
    latest = tick
    return unsafe Shown(
      tick: tick, duration: max(0, frame.pointer.pointee.pkt_duration), isFirstOfTrack: isFirst, frame: frame)
  }

  /// The presentation time that the file states; nil when the reader had to start again to guess times.
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
    // The last frames come out after the last packet, so there is none to guess their times from.
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
      let isKeyframe = unsafe packet.pointee.flags & AV_PKT_FLAG_KEY != 0
      if awaitsKeyframe, !isKeyframe { continue }
      if awaitsKeyframe {
        guard unsafe packet.pointee.pts != spool_AV_NOPTS_VALUE else { return try becomeSequential() }
        awaitsKeyframe = false
        unsafe begin(at: packet)
      } else {
        if demuxer.isAtFault || demuxer.followsGap, isJudged, keyframes > 0 { noteGap() }
        if isKeyframe, damage.first != nil, !isSequential, !isDescribedAnew, unsafe packet.pointee.pts != spool_AV_NOPTS_VALUE {
          // Packets from here on must be decoded as after a seek to this keyframe.
          repair = try OwnedPacket(sharing: demuxer.packet)
          return try unsafe decoder.send(nil)
        }
      }
      return try unsafe send(packet, isKeyframe: isKeyframe)
    }
    if number > 0 { damage.last = number - 1 }
    try unsafe decoder.send(nil)
  }

  /// - Parameter isRepair: whether decoding begins anew at the packet.
  private func send(
    _ packet: UnsafeMutablePointer<AVPacket>, isKeyframe: Bool, isRepair: Bool = false
  ) throws(MediaError) {
    let (pts, dts) = unsafe (packet.pointee.pts, packet.pointee.dts)
    if dts != spool_AV_NOPTS_VALUE { lastRead = dts }
    sentTick = pts != spool_AV_NOPTS_VALUE ? pts : latest == .min ? start : latest + nominalFrame
    if sentTick > latestSent { (earlierSent, latestSent) = (latestSent, sentTick) }
    if isKeyframe {
      if damage.first != nil { repairNumber = number } else if keyframes > 0, !isRepair { damage.reachKeyframe() }
      if keyframes == 0 { firstKeyframe = sentTick }
      keyframes += 1
    }
    leadsIn = isLeadIn(sentTick)
    let parameters = unsafe demuxer.stream(track.index).pointee.codecpar!
    if !isJudged {
      unsafe stillVerdict.hear(of: packet, parameters)
    } else if !leadsIn, unsafe BrokenPacket.matches(packet, parameters) {
      damage.begin(at: number)
    }
    if damage.covers(number) || leadsIn && keyframes > 1 { damage.lose(sentTick, of: number) }
    number += 1
    try unsafe decoder.send(packet, number: number - 1)
  }

  /// Whether the frame is shown before the keyframe from which decoding began, or went on after damage. Frames to which it
  /// refers may then be missing.
  private func isLeadIn(_ tick: Int64) -> Bool { keyframes == 0 || tick < max(floor, firstKeyframe) }

  /// Sets the time from which frames are shown to that of the keyframe.
  private func begin(at keyframe: UnsafeMutablePointer<AVPacket>) {
    floor = unsafe keyframe.pointee.pts
    keyframeIsHidden = unsafe keyframe.pointee.flags & AV_PKT_FLAG_DISCARD != 0
  }

  /// Begins anew at a keyframe after damage, with a new decoder.
  private func goOn(from keyframe: OwnedPacket) throws(MediaError) {
    repair = nil
    try renewDecoder()
    if let firstPacket { try decoder.learn(from: firstPacket) }
    damage.repair()
    unsafe begin(at: keyframe.pointer)
    try unsafe send(keyframe.pointer, isKeyframe: true, isRepair: true)
  }
}
