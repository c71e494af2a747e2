internal import CFFmpeg
package import MediaTime
package import Timeline

/// The pictures of one track by time: at any time, the last frame whose presentation time is not later.
///
/// Pictures that are damaged, or may refer to damaged ones, are left out: where one is asked for, the answer is an error or the
/// last whole picture before it, by the asset's treatment.
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
  static let maxTick = Demuxer.maxTick

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
  let track: TrackFacts
  private let threads: Int
  let treatment: AssetTreatment
  let place: String
  /// Whether the picture that was asked for last stands in for one that is damaged.
  package internal(set) var isStandIn = false
  /// Of the frame that the picture is made of which was asked for last.
  var shownTick = Int64.min

  var demuxer: Demuxer
  var decoder: Decoder
  var current: Shown?
  /// The frame that was asked for last, in planes.
  private var answer: (tick: Int64, frame: OwnedFrame, picture: PixelBuffer)?
  var passed = PassedFrames()
  var next: Shown?
  /// The frame before `current`; nil where decoding began with that.
  var previous: Shown?
  var hasEnded = false
  /// Nothing was read since the file was opened.
  private var isFresh = true
  /// Decoding began with the track.
  private var startsTrack = true
  /// Timestamps come from the decoder's guesses, which depend on all frames before: decode from the start only.
  private(set) var isSequential = false
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
  var lastRead = Int64.min
  var damage = StreamDamage(isProvisional: false)
  /// Of a track that is a still picture.
  var stillVerdict = StillVerdict()
  /// The number of the packet that is sent next, since decoding began.
  var number: Int64 = 0
  /// When the packet sent last is shown, the latest such time so far, and the latest before that.
  var (sentTick, latestSent, earlierSent) = (Int64.min, Int64.min, Int64.min)
  /// What the packet sent last is at fault for does not count: it may refer to what comes before the first keyframe.
  var leadsIn = false
  /// Keyframes sent since decoding began, and when the first is shown.
  private var (keyframes, firstKeyframe) = (0, Int64.min)
  /// A keyframe after damage, which waits until what was decoded before it has come out.
  private var repair: OwnedPacket?
  /// The packet whose picture is the first whole one again, where the decoder has to go on.
  var repairNumber: Int64?
  let deinterlacer: Deinterlacer?
  /// Film that is to be given its frames back.
  let film: FilmReader?

  /// - Parameter track: as `AssetProbe` found it.
  /// - Parameter threads: of the decoder; the frames do not depend on it.
  /// - Throws: `MediaError` when the file changed since it was probed, the track cannot be decoded, or carries no film where film is asked for.
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
    demuxer = try Demuxer(path: path, track: track, policy: policy)
    decoder = try unsafe Decoder(demuxer.stream(track.index), threads: threads, at: place)
  }

  /// The picture at `time` in the asset's clock: before the first frame the first, after the last the last.
  ///
  /// - Throws: `MediaError`, naming path, track and time, when nothing can be decoded, when the file ends before the
  ///   track's stated end by more than a frame and the missing part is asked for, for damage that is to be refused, and for
  ///   I/O errors.
  package func frame(at time: Rational) throws(MediaError) -> PixelBuffer {
    try frame(time, orJustBefore: false)
  }

  /// The picture just before `time`: the last whose presentation time is earlier; else as `frame(at:)`.
  package func frame(before time: Rational) throws(MediaError) -> PixelBuffer {
    try frame(time, orJustBefore: true)
  }

  private func frame(_ time: Rational, orJustBefore isBefore: Bool) throws(MediaError) -> PixelBuffer {
    do throws(MediaError) {
      let goal = try tick(of: time) { isBefore ? $0.ceiling - 1 : $0.floor }
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

  /// A frame passed on the way to the one that was asked for last.
  private func known(at goal: Int64) -> Shown? {
    guard let known = passed.frame(at: goal), lost(for: known, goal)?.isCertain ?? true else { return nil }
    return known
  }

  /// The frame that the track shows at `goal`, which becomes `current`; before the track's first frame that.
  ///
  /// - Parameter keepsPassed: whether the frames on the way to it are kept; nil where a small step back says so.
  func decoded(at goal: Int64, keepsPassed: Bool? = nil) throws(MediaError) -> Shown {
    let isStepBack = keepsPassed ?? answer.map { goal < $0.tick && $0.tick - goal <= ticks(Self.nearSeconds) } ?? false
    passed.removeAll()
    if !isReachedByDecodingOn(goal) { try jump(to: goal) }
    try decode(upTo: goal, keepsPassed: isStepBack)
    // What looks like damage may only be for want of what was not decoded: it must show after a group without any, too.
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

  /// Makes `current` a frame that is not after `goal`, decoded from a keyframe; at the start of the track, its first.
  ///
  /// - Parameter limit: where decoding began is to lie before it.
  private func jump(to goal: Int64, from limit: Int64? = nil) throws(MediaError) {
    let end = try statedEnd() ?? Self.maxTick
    if firstPacket == nil, try demuxer.nextPacket(of: track.index) { firstPacket = try OwnedPacket(sharing: demuxer.packet) }
    var back = limit.map { max(min(goal, end) - $0 + 1, 0) } ?? 0
    // Formats find keyframes by decode time or by guess, so the first one found may be shown after the goal. And where the
    // keyframe itself is not shown, it is damaged or only begins a gradual refresh: what follows may not be as it should.
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
    (previous, current, next, hasEnded) = (nil, nil, nil, false)
    (isFresh, startsTrack, awaitsKeyframe) = (!afterSeek, !afterSeek, afterSeek)
    (floor, latest, lastRead) = (.min, .min, .min)
    damage = StreamDamage(isProvisional: afterSeek)
    (number, sentTick, latestSent, earlierSent, leadsIn) = (0, .min, .min, .min, false)
    (keyframes, firstKeyframe, repair, repairNumber) = (0, .min, nil, nil)
  }

  // MARK: Decoding

  private func decode(upTo goal: Int64, keepsPassed: Bool) throws(MediaError) {
    if keepsPassed, let current { passed.add(current) }
    while true {
      if next == nil { next = try decodeNext() }
      // It had to start again.
      if current == nil { passed.removeAll() }
      // Of the frames of one time the last is shown, before the track's first, too.
      guard let found = next, current.map({ found.tick <= max(goal, $0.tick) }) ?? true else { break }
      show(found)
      if keepsPassed { passed.add(found) }
    }
    if keepsPassed { passed.close(at: goal) }
  }

  private func show(_ frame: Shown) { (previous, current, next) = (current, frame, nil) }

  /// The next whole frame in order of presentation; nil at the end.
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

  /// The frame with its time; nil for one that is not to be shown.
  private func shown(_ frame: OwnedFrame) throws(MediaError) -> Shown? {
    guard let tick = try tick(of: frame), tick >= floor, tick >= latest else { return nil }
    // Codecs that do not tell the packet have no B-frames.
    let number = frame.packetNumber ?? self.number - 1
    if frame.isFaulty, isJudged, !isLeadIn(tick) { damage.begin(at: number) }
    if number == repairNumber, !frame.isFaulty { damage.repair() }
    if damage.covers(number) {
      damage.lose(tick, of: number)
      return nil
    }
    // A keyframe that only begins a gradual refresh.
    if keyframes > 1, latest < floor, tick > floor { damage.lose(floor, of: number) }
    let isFirst = latest == .min && startsTrack
    latest = tick
    return unsafe Shown(
      tick: tick, duration: max(0, frame.pointer.pointee.pkt_duration), isFirstOfTrack: isFirst, frame: frame)
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
      let isKeyframe = unsafe packet.pointee.flags & AV_PKT_FLAG_KEY != 0
      if awaitsKeyframe, !isKeyframe { continue }
      if awaitsKeyframe {
        guard unsafe packet.pointee.pts != spool_AV_NOPTS_VALUE else { return try becomeSequential() }
        awaitsKeyframe = false
        unsafe begin(at: packet)
      } else {
        if demuxer.isAtFault, isJudged, keyframes > 0 { noteGap() }
        if isKeyframe, damage.first != nil, !isSequential, !isDescribedAnew, unsafe packet.pointee.pts != spool_AV_NOPTS_VALUE {
          // What follows must be as if decoding had begun here: so it is after a seek.
          repair = try OwnedPacket(sharing: demuxer.packet)
          return try unsafe decoder.send(nil)
        }
      }
      return try unsafe send(packet, isKeyframe: isKeyframe)
    }
    if number > 0 { damage.last = number - 1 }
    try unsafe decoder.send(nil)
  }

  /// - Parameter isRepair: decoding begins anew at the packet.
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

  /// Frames that are shown before the first keyframe, or the one from which decoding goes on, may lack what they refer to.
  private func isLeadIn(_ tick: Int64) -> Bool { keyframes == 0 || tick < max(floor, firstKeyframe) }

  /// Frames from the keyframe's time on are shown.
  private func begin(at keyframe: UnsafeMutablePointer<AVPacket>) {
    floor = unsafe keyframe.pointee.pts
    keyframeIsHidden = unsafe keyframe.pointee.flags & AV_PKT_FLAG_DISCARD != 0
  }

  /// Begins anew at a keyframe after damage.
  private func goOn(from keyframe: OwnedPacket) throws(MediaError) {
    repair = nil
    decoder = try unsafe Decoder(demuxer.stream(track.index), threads: threads, at: place)
    if let firstPacket { try decoder.learn(from: firstPacket) }
    damage.repair()
    unsafe begin(at: keyframe.pointer)
    try unsafe send(keyframe.pointer, isKeyframe: true, isRepair: true)
  }

  /// Between the packet sent last and this one something is missing: pictures that nothing tells of, and what refers to them.
  private func noteGap() {
    damage.begin(at: number)
    // What is shown between the last two that were the latest is decoded after them. No codec has more than 16 there.
    let first = max(earlierSent, latestSent - 16 * nominalFrame) + nominalFrame
    for tick in stride(from: first, through: latestSent + nominalFrame, by: Int(nominalFrame)) { damage.lose(tick, of: number) }
  }
}
