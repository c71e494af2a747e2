internal import Messages

/// The process of an attempt on virtual time. It goes through its frames one by one, and looks at its order before each.
struct SimulatedProcess {
  enum Step {
    case report
    /// The process looks at its order, to which a wish was appended.
    case look(before: Int)
    /// The process comes to the end before this frame, unless its end has changed.
    case finish(before: Int)
  }

  let order: AttemptOrder
  /// The chunk's frames; other tasks count as five units.
  private let frames: FrameRange
  private let started: Duration
  /// The time that each frame takes.
  private let length: Duration
  /// Whether it crashes at its end.
  let crashes: Bool
  /// A planted bug: whether it renders frames that it promised to leave to others.
  let breaksPromises: Bool
  /// Whether its segment was made before.
  private let isFound: Bool
  private(set) var end: Int

  init(
    _ order: AttemptOrder, now: Duration, length: Duration, crashes: Bool = false, breaksPromises: Bool = false,
    isFound: Bool = false
  ) {
    frames = if case .picture(let frames) = order.work { frames } else { FrameRange(first: 0, count: 5) }
    (self.order, started, self.length) = (order, now, length / frames.count)
    (self.crashes, self.breaksPromises, self.isFound) = (crashes, breaksPromises, isFound)
    end = frames.indices.upperBound
  }

  func progress(at now: Duration) -> AttemptReport {
    .progress(done: min(Int64((now - started) / length), Int64(end - frames.first)), total: Int64(end - frames.first))
  }

  /// The time at which it next looks at its order.
  func nextLook(after now: Duration) -> Duration { started + length * (Int((now - started) / length) + 1) }

  var endTime: Duration { started + length * (end - frames.first) }

  /// Handles a wish to end the chunk earlier.
  ///
  /// - Returns: whether it promises to end before `frame`.
  mutating func shorten(before frame: Int, now: Duration) -> Bool {
    let next = frames.first + Int(((now - started) / length).rounded())
    guard order.work.kind == .picture, next < frame, frame < end else { return false }
    if !breaksPromises { end = frame }
    return true
  }

  var proof: Proof {
    let proof = Proof.sample(of: order.work, end: end, file: "\(order.job)/\(order.key)", byteDigest: "\(order.key)")
    return isFound ? proof.asFound : proof
  }
}
