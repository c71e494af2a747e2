internal import Messages

/// The process of an attempt on virtual time: it goes through its frames one by one, and looks at its order before each.
struct SimulatedProcess {
  enum Step {
    case report
    /// It looks at its order, where that was appended.
    case look(before: Int)
    /// It comes to the end before that frame, unless it ends elsewhere by now.
    case finish(before: Int)
  }

  let order: AttemptOrder
  /// What is no chunk has five units.
  private let frames: FrameRange
  private let started: Duration
  /// Of each frame.
  private let length: Duration
  /// Whether it crashes at its end.
  let crashes: Bool
  /// Planted: whether it goes on beyond what it promised.
  let breaksPromises: Bool
  private(set) var end: Int

  init(_ order: AttemptOrder, now: Duration, length: Duration, crashes: Bool, breaksPromises: Bool) {
    frames = if case .picture(let frames) = order.work { frames } else { FrameRange(first: 0, count: 5) }
    (self.order, started, self.length) = (order, now, length / frames.count)
    (self.crashes, self.breaksPromises, end) = (crashes, breaksPromises, frames.indices.upperBound)
  }

  func progress(at now: Duration) -> AttemptReport {
    .progress(done: min(Int64((now - started) / length), Int64(end - frames.first)), total: Int64(end - frames.first))
  }

  /// When it looks at its order next.
  func nextLook(after now: Duration) -> Duration { started + length * (Int((now - started) / length) + 1) }

  var endTime: Duration { started + length * (end - frames.first) }

  /// - Returns: whether it promises to end there.
  mutating func shorten(before frame: Int, now: Duration) -> Bool {
    let next = frames.first + Int(((now - started) / length).rounded())
    guard order.work.kind == .picture, next < frame, frame < end else { return false }
    if !breaksPromises { end = frame }
    return true
  }

  var proof: Proof {
    let made = FrameRange(first: frames.first, count: end - frames.first)
    return Proof(
      file: "\(order.job)/\(order.key)", byteCount: 1, byteDigest: "\(order.key)",
      frames: order.work.kind == .picture ? made : nil)
  }
}
