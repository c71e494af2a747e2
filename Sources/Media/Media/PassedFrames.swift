/// The last frames that a reader passed on its way to another one. A reader that goes backwards is asked for them next.
///
/// Without them each step back would decode from the keyframe again, and the cost of a group of pictures would grow with the
/// square of its length. With room for `k` frames a group of `n` is decoded n / k times, on average half of it each time.
struct PassedFrames {
  /// The memory for frames, in bytes: 30 frames of 1080p, 8 bit 4:2:0.
  private static let memory = 96 << 20
  /// The least number of frames that are kept, whatever their size: a step back then seldom decodes more than twice.
  private static let fewest = 4

  private var frames: [VideoReader.Shown] = []
  /// The latest tick at which the last frame is still the one that is shown.
  private var end = Int64.min

  /// Adds the next frame in order of presentation.
  mutating func add(_ frame: VideoReader.Shown) {
    frames.append(frame)
    if frames.count > max(Self.memory / frame.byteCount, Self.fewest) { frames.removeFirst() }
  }

  /// Notes that no frame comes between the last one and `goal`.
  mutating func close(at goal: Int64) { end = goal }

  mutating func removeAll() { (frames, end) = ([], .min) }

  /// The frames before and after `frame`, which is one of these; nil where they are not known to be among these.
  func neighbours(of frame: VideoReader.Shown) -> (VideoReader.Shown?, VideoReader.Shown?)? {
    guard let index = frames.firstIndex(where: { $0.frame === frame.frame }), index + 1 < frames.count,
      index > 0 || frame.isFirstOfTrack
    else { return nil }
    return (index > 0 ? frames[index - 1] : nil, frames[index + 1])
  }

  /// The frame that is shown at `goal`; nil where it is not known to be among these.
  func frame(at goal: Int64) -> VideoReader.Shown? {
    guard let first = frames.first, goal <= end else { return nil }
    guard goal >= first.tick || first.isFirstOfTrack else { return nil }
    return frames.last { $0.tick <= max(goal, first.tick) }
  }

  /// The two frames before `ticks`, those within, and one after; nil where they are not known to be among these.
  func stretch(around ticks: Range<Int64>) -> [VideoReader.Shown]? {
    guard let first = frames.firstIndex(where: { $0.tick >= ticks.lowerBound }),
      let after = frames.firstIndex(where: { $0.tick >= ticks.upperBound }), first >= 2 || frames[0].isFirstOfTrack
    else { return nil }
    let found = frames[max(first - 2, 0)...after]
    // If two frames have the same time, only the last one is shown, so the stretch cannot be used.
    return zip(found, found.dropFirst()).allSatisfy { $0.tick < $1.tick } ? Array(found) : nil
  }
}
