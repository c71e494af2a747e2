/// The last frames that a reader passed on its way to another: what it is asked for next when it is read backwards.
///
/// Without them each step back would decode from the keyframe again, and a group of pictures cost the square of its
/// length. With room for `k` frames a group of `n` is decoded n / k times, half of it each time.
struct PassedFrames {
  /// 30 frames of 1080p, 8 bit 4:2:0.
  private static let memory = 96 << 20
  /// So that a step back seldom decodes more than twice, whatever a frame takes.
  private static let fewest = 4

  private var frames: [VideoReader.Shown] = []
  /// The tick that the last frame answers for, beyond its own.
  private var end = Int64.min

  /// In order of presentation.
  mutating func add(_ frame: VideoReader.Shown) {
    frames.append(frame)
    if frames.count > max(Self.memory / frame.byteCount, Self.fewest) { frames.removeFirst() }
  }

  /// Nothing comes between the last frame and `goal`.
  mutating func close(at goal: Int64) { end = goal }

  mutating func removeAll() { (frames, end) = ([], .min) }

  /// The frames before and after one of them; nil when they may be others than those here.
  func neighbours(of frame: VideoReader.Shown) -> (VideoReader.Shown?, VideoReader.Shown?)? {
    guard let index = frames.firstIndex(where: { $0.frame === frame.frame }), index + 1 < frames.count,
      index > 0 || frame.isFirstOfTrack
    else { return nil }
    return (index > 0 ? frames[index - 1] : nil, frames[index + 1])
  }

  /// The frame of `goal`; nil when it may be another than those here.
  func frame(at goal: Int64) -> VideoReader.Shown? {
    guard let first = frames.first, goal <= end else { return nil }
    guard goal >= first.tick || first.isFirstOfTrack else { return nil }
    return frames.last { $0.tick <= max(goal, first.tick) }
  }

  /// Two frames before `ticks`, those in it, and one after it; nil when they may be others than those here.
  func stretch(around ticks: Range<Int64>) -> [VideoReader.Shown]? {
    guard let first = frames.firstIndex(where: { $0.tick >= ticks.lowerBound }),
      let after = frames.firstIndex(where: { $0.tick >= ticks.upperBound }), first >= 2 || frames[0].isFirstOfTrack
    else { return nil }
    let found = frames[max(first - 2, 0)...after]
    // Of frames of one time only the last is shown.
    return zip(found, found.dropFirst()).allSatisfy { $0.tick < $1.tick } ? Array(found) : nil
  }
}
