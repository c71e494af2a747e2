internal import Formats
internal import Glibc
internal import Linux
internal import Media
internal import Messages
internal import Scenes
internal import Timeline

extension ChunkRenderer {
  /// Encodes the chunk with the coarsest setting that reaches a quality, which is found by trying (decision 0258). Its end does not move: the
  /// quality is of all its frames.
  ///
  /// The best try so far lies at `path`, so nothing is encoded again at the end.
  ///
  /// - Throws: the first error of a try; no file is left then. A `Failure` where no setting keeps within the bound of the rate.
  func render(
    to path: String, reaching target: QualityTarget, progress: (_ done: Int, _ vain: Int) -> Void
  ) throws -> Rendered {
    let attempt = "\(path).try"
    do {
      return try search(target, at: attempt, for: path, progress: progress)
    } catch {
      _ = unsafe (unlink(attempt), unlink(path))
      throw error
    }
  }

  private func search(
    _ target: QualityTarget, at attempt: String, for path: String, progress: (_ done: Int, _ vain: Int) -> Void
  ) throws -> Rendered {
    var search = QualitySearch(target, for: edit.timeline.export.video.coding.coder)
    var best: Rendered?
    var spent = RenderingTimes(opening: 0, reading: 0, compositing: 0, encoding: 0)
    var (renderer, tries) = (self, 0)
    while true {
      let vain = tries * frames.count
      let conditions = ChunkEncoder.Conditions(
        first: frames.first, frameCount: frames.count, againCounts: [0], rateFactor: search.rateFactor, measure: target.measure)
      let (rendered, sizes) = try renderer.render(
        to: attempt, conditions, end: { _ in frames.indices.upperBound }, progress: { progress(vain + $0, vain) })
      guard let distortion = sizes[0].distortion else { preconditionFailure("the main picture is measured") }
      tries += 1
      spent.add(rendered.times)
      renderer.began = MonotonicClock.nanoseconds
      let verdict = search.judge(distortion: distortion, keepsCap: sizes[0].keepsCap)
      if verdict.keeps {
        guard unsafe rename(attempt, path) == 0 else { throw MediaError(-errno, from: "rename", at: path, while: .writing) }
        best = rendered
      }
      switch verdict {
      case .again: continue
      case .tooLarge:
        throw Failure(.content, at: "frames \(frames.first)..<\(frames.indices.upperBound)", objection(toRateOf: 0))
      case .done:
        guard var best, let found = search.best else { preconditionFailure("a search that is over has a best try") }
        _ = unsafe unlink(attempt)
        best.times = spent
        best.quality = ReachedQuality(
          target, reached: target.measure.value(found.distortion), crf: found.crf, tries: tries)
        return best
      }
    }
  }
}

extension QualitySearch.Verdict {
  /// Whether the try is the best so far.
  fileprivate var keeps: Bool {
    switch self {
    case .again(let keeps), .done(let keeps): keeps
    case .tooLarge: false
    }
  }
}

extension RenderingTimes {
  fileprivate mutating func add(_ other: RenderingTimes) {
    opening += other.opening
    reading += other.reading
    compositing += other.compositing
    encoding += other.encoding
  }
}
