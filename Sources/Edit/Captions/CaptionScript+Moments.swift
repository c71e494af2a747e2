package import MediaTime

extension CaptionScript {
  /// The events that libass draws at one time, and those that it must have drawn before to place them as it does when a movie is played.
  ///
  /// libass moves an event that would lie on others, and lets it stay there as long as it is shown. So the place of an event depends on
  /// those that were there when it came. They are drawn first, at the times of the frames in which events come. So the picture is that
  /// of the movie played from its beginning, and depends on nothing but the time (decision 0198).
  package struct Moment: Hashable, Sendable {
    /// The numbers of the events that are drawn, now or before, in the file's order.
    package let events: [Int]
    /// The milliseconds at which frames before are drawn, rising.
    package let before: [Int64]
    /// The milliseconds at which the picture is drawn. They are the same for all frames of one picture.
    package let time: Int64
  }

  /// The times of frames on the script's own clock.
  package struct Frames: Sendable {
    /// The time of the script's zero on the edit's clock.
    package let offset: MediaTime
    package let duration: MediaTime

    package init(offset: MediaTime, duration: MediaTime) { (self.offset, self.duration) = (offset, duration) }

    /// The milliseconds of a time of the edit, rounded down.
    package func milliseconds(at time: MediaTime) throws(TimeError) -> Int64 {
      let scaled = try (Rational(time) - Rational(offset)) * Rational(1000)
      guard let narrow = Int64(exactly: scaled.floor) else { throw .overflow("\(scaled.floor) ms") }
      return narrow
    }

    /// The milliseconds of the first frame that shows what begins at `start`.
    func first(showing start: Int64) throws(TimeError) -> Int64 {
      let edit = try max(MediaTime(milliseconds: start) + offset, .zero)
      return try milliseconds(at: duration * edit.coveringUnits(of: duration))
    }
  }

  /// The moment of a time of the edit; nil where no event is shown.
  package func moment(at time: MediaTime, _ frames: Frames) throws(TimeError) -> Moment? {
    let now = try frames.milliseconds(at: time)
    let shown = self.shown(at: now)
    guard !shown.isEmpty else { return nil }
    var (drawn, before): (Set<Int>, Set<Int64>) = (Set(shown), [])
    for layer in Set(shown.map { events[$0].layer }) {
      let placed = try placing(shown.filter { events[$0].layer == layer && !events[$0].isPlaced }, frames)
      drawn.formUnion(placed.events)
      before.formUnion(placed.times.filter { $0 < now })
    }
    let time = shown.contains { isChanging($0, at: now) } ? now : drawn.flatMap(borders).filter { $0 <= now }.max() ?? now
    return Moment(
      events: drawn.sorted(), before: Array(before.filter { $0 < time }.sorted().suffix(CaptionLimits.placedBefore)),
      time: time)
  }

  /// The numbers of the events that are shown, in the file's order.
  private func shown(at time: Int64) -> [Int] {
    let first = reach.partitioningIndex { $0 > time }
    let end = order.partitioningIndex { events[$0].start > time }
    guard first < end else { return [] }
    return order[first..<end].filter { events[$0].end > time }.sorted()
  }

  /// The events that decide where events of one layer stand, with these, and the times at which they come.
  private func placing(_ shown: [Int], _ frames: Frames) throws(TimeError) -> (events: Set<Int>, times: Set<Int64>) {
    var (found, waiting): (Set<Int>, [Int]) = (Set(shown), shown.sorted { events[$0].start > events[$1].start })
    var times: Set<Int64> = []
    let most = shown.count + CaptionLimits.placedBefore
    var index = 0
    while index < waiting.count, found.count < most {
      let event = events[waiting[index]]
      index += 1
      let time = try frames.first(showing: event.start)
      guard times.insert(time).inserted else { continue }
      for other in self.shown(at: time) where events[other].layer == event.layer && !events[other].isPlaced {
        if found.count < most, found.insert(other).inserted { waiting.append(other) }
      }
    }
    for number in found { times.insert(try frames.first(showing: events[number].start)) }
    return found.count > 1 ? (found, times) : (found, [])
  }

  private func isChanging(_ number: Int, at time: Int64) -> Bool {
    let event = events[number]
    switch event.change {
    case .never: return false
    case .always: return true
    case .fades(let first, let last): return time < event.start + first || time >= event.end - last
    }
  }

  /// The times between which an event's picture stays as it is, where it does.
  private func borders(_ number: Int) -> [Int64] {
    let event = events[number]
    guard case .fades(let first, let last) = event.change else { return [event.start, event.end] }
    return [event.start, event.start + first, event.end - last, event.end]
  }
}
