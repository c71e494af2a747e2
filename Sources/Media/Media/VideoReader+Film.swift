internal import CFFmpeg
internal import Formats
internal import MediaTime

extension VideoReader {
  /// The picture of film at `time`, or just before it. Before the first picture it is the first one, after the last it is the
  /// last one.
  ///
  /// - Parameter goal: the tick of `time`.
  func picture(
    of film: FilmReader, at time: Rational, orJustBefore isBefore: Bool, _ goal: Int64
  ) throws(MediaError) -> PixelBuffer {
    let elapsed = try demuxer.exact { () throws(TimeError) in
      try time + demuxer.origin - moment(of: start)
    }
    var group = try self.group(
      demuxer.exact { () throws(TimeError) in try film.group(at: elapsed, orJustBefore: isBefore) }, of: film)
    try judge(group, at: goal)
    while true {
      if let found = group.pictures.last(where: { isBefore ? $0.time < elapsed : $0.time <= elapsed }) { return show(found) }
      // No picture of the group comes early enough. Then the last picture before the group is shown.
      guard let before = group.stretch.frames.last(where: { $0.tick < group.stretch.ticks.lowerBound }) else { break }
      let index = try index(of: before, in: film)
      guard index < group.index else { break }
      group = try self.group(index, of: film)
    }
    // The time lies before the track's first frame.
    if let first = group.pictures.first { return show(first) }
    guard let following = group.stretch.frames.last else { throw MediaError(.corrupt, at: place, "no picture can be decoded") }
    guard let first = try self.group(index(of: following, in: film), of: film).pictures.first else {
      throw MediaError(.internal, at: place, "a group of frames without its frame")
    }
    return show(first)
  }

  /// Notes the tick of the picture, which is the answer.
  private func show(_ picture: FilmGroup.Picture) -> PixelBuffer {
    shownTick = picture.tick
    return picture.picture
  }

  /// Throws the error for `goal` where the group's frames are damaged or cut off there.
  private func judge(_ group: FilmGroup, at goal: Int64) throws(MediaError) {
    guard let shown = group.stretch.shown(at: goal) else { return }
    if let limit = group.stretch.limit, goal > limit { throw cutOff }
    try judge(shown, at: goal, before: group.stretch.after(shown)?.tick ?? .max, by: group.stretch.damage)
  }

  /// The group of a number, read anew if it is not one of the last two.
  private func group(_ index: Int64, of film: FilmReader) throws(MediaError) -> FilmGroup {
    if let known = film.known(index) { return known }
    let zero = start
    let ticks = try tick(startOf: index, in: film)..<tick(startOf: index + 1, in: film)
    let frames = try frames(around: ticks, of: film)
    let isLast = frames.last.map { $0.tick < ticks.upperBound } ?? true
    let stretch = FilmStretch(
      ticks: ticks, frames: frames, damage: damage,
      limit: try isLast ? frames.last.flatMap { (last) throws(MediaError) in try limit(after: last) } : nil)
    do {
      let times = try stretch.frames.map { try moment(of: $0.tick) - moment(of: zero) }
      return try film.group(index, of: stretch, times: times, at: place) { (frame) throws(MediaError) in try picture(frame) }
    } catch let error as MediaError {
      throw error
    } catch {
      throw MediaError(.corrupt, at: place, "\(error)")
    }
  }

  // MARK: Times

  /// The number of the group that a frame belongs to.
  private func index(of frame: Shown, in film: FilmReader) throws(MediaError) -> Int64 {
    try demuxer.exact { () throws(TimeError) in try film.group(ofFrameAt: moment(of: frame.tick) - moment(of: start)) }
  }

  /// The first tick that belongs to a group.
  private func tick(startOf group: Int64, in film: FilmReader) throws(MediaError) -> Int64 {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    let ticks = try demuxer.exact { () throws(TimeError) in
      try (film.start(of: group) + moment(of: start)) / Rational(Int128(base.num), over: Int128(base.den))
    }
    return min(max(Int64(clamping: ticks.ceiling), -Self.maxTick), Self.maxTick)
  }

  // MARK: Reading

  /// The last two frames before `ticks`, those in it, and one after it, as far as there are any. They do not depend on where
  /// decoding began.
  private func frames(around ticks: Range<Int64>, of film: FilmReader) throws(MediaError) -> [Shown] {
    let (latest, wasSequential) = (film.latest?.stretch, isSequential)
    var found: [Shown] = []
    if let latest, latest.ticks.upperBound == ticks.lowerBound {
      found = latest.frames.filter { $0.tick < ticks.lowerBound }.suffix(2)
    } else if let latest, ticks.upperBound == latest.ticks.lowerBound {
      // When film is read backwards, each group would be decoded from its keyframe again. So the frames on the way are kept for
      // the groups before.
      if let known = kept(ticks) { return known }
      if let last = latest.frames.last, last.tick >= ticks.upperBound {
        try decodeAnew(from: ticks.lowerBound - 1 - 2 * nominalFrame, to: last.tick)
        if let known = kept(ticks) { return known }
      }
    }
    if found.isEmpty { found = try lead(to: ticks.lowerBound) }
    if let last = found.last { _ = try decoded(at: last.tick) }
    while let last = found.last, last.tick < ticks.upperBound, let next = try following(last.tick) {
      // The last of several frames with the same time is shown.
      found.append(next.tick < ticks.upperBound ? try decoded(at: next.tick) : next)
    }
    guard isSequential == wasSequential else {
      film.forget()
      return try frames(around: ticks, of: film)
    }
    return found
  }

  /// The frames for `ticks` among those that were passed; nil where some are not there, or it is not certain yet which of them
  /// damage has spoiled.
  private func kept(_ ticks: Range<Int64>) -> [Shown]? {
    guard let found = passed.stretch(around: ticks), let first = found.first, let last = found.last,
      damage.losses(after: first.tick, upTo: last.tick)?.isCertain ?? true
    else { return nil }
    return found
  }

  /// The last two frames before `tick`, or the only one there. Where the track begins at `tick` or later, its first frame.
  private func lead(to tick: Int64) throws(MediaError) -> [Shown] {
    let last = try decoded(at: tick - 1)
    guard last.tick < tick, !last.isFirstOfTrack else { return [last] }
    let before = if let previous, current?.frame === last.frame { previous } else { try decoded(at: last.tick - 1) }
    return before.tick < last.tick ? [before, last] : [last]
  }

  /// The frame after `current`, whose tick is `tick`; nil at the end.
  private func following(_ tick: Int64) throws(MediaError) -> Shown? {
    var settled = Int64.min
    while let current, current.tick <= tick {
      // After a seek, frames may seem lost only because frames that they refer to were not decoded.
      guard let lost = lost(for: current, (next?.tick ?? .max) - 1), !lost.isCertain, lost.first > settled else { return next }
      settled = lost.first
      _ = try decoded(at: settled)
    }
    return current
  }
}
