/// The part of an asset that is damaged and was replaced, with its place in the movie.
package struct Concealment: Hashable, Sendable, Codable {
  /// A half-open range of the movie, in frames or in samples.
  package struct Span: Hashable, Sendable, Codable {
    package var first: Int64
    package var end: Int64

    package init(_ range: Range<Int64>) { (first, end) = (range.lowerBound, range.upperBound) }

    /// The shortest span that holds both spans.
    static func around(_ a: Span?, _ b: Span?) -> Span? {
      guard let a, let b else { return a ?? b }
      return Span(min(a.first, b.first)..<max(a.end, b.end))
    }

    /// The span in words, such as `30 to 59` or `30`.
    fileprivate var words: String { end - first > 1 ? "\(first) to \(end - 1)" : "\(first)" }
  }

  /// The asset's name in the document.
  package var asset: String
  /// The number of the movie's frames that show a stand-in.
  package var frames: Int
  /// The number of the movie's samples in each channel that are silence instead.
  package var samples: Int64
  /// The span from the first of these frames to the last; nil when there are none, and in proofs of earlier versions.
  package var frameSpan: Span?
  /// The span around these samples. It is as coarse as the blocks in which sound is mixed.
  package var sampleSpan: Span?

  package init(
    asset: String, frames: Int = 0, samples: Int64 = 0, frameSpan: Range<Int64>? = nil, sampleSpan: Range<Int64>? = nil
  ) {
    (self.asset, self.frames, self.samples) = (asset, frames, samples)
    (self.frameSpan, self.sampleSpan) = (frameSpan.map(Span.init), sampleSpan.map(Span.init))
  }

  /// The concealment of a single frame of the movie.
  package init(asset: String, inFrame index: Int) {
    self.init(asset: asset, frames: 1, frameSpan: Int64(index)..<Int64(index) + 1)
  }

  /// The concealment of the same frames, which stand `count` frames later in the movie.
  package func moved(byFrames count: Int) -> Concealment {
    var moved = self
    moved.frameSpan = frameSpan.map { Span($0.first + Int64(count)..<$0.end + Int64(count)) }
    return moved
  }

  /// The concealment as a job's status shows it, such as `12 frames (frame 30 to 59) and 4096 samples (sample 9600 to 19199) of
  /// asset 'a'`.
  package var words: String {
    func part(_ count: Int64, _ unit: String, _ span: Span?) -> [String] {
      count == 0 ? [] : ["\(count) \(unit)\(count == 1 ? "" : "s")" + (span.map { " (\(unit) \($0.words))" } ?? "")]
    }
    let parts = part(Int64(frames), "frame", frameSpan) + part(samples, "sample", sampleSpan)
    return parts.joined(separator: " and ") + " of asset '\(asset)'"
  }
}

extension [Concealment] {
  /// The sums for each asset, in the order of their names. They do not depend on how a movie was divided.
  package static func sum(_ parts: some Sequence<Concealment>) -> [Concealment] {
    var sums: [String: Concealment] = [:]
    for part in parts {
      var sum = sums[part.asset] ?? Concealment(asset: part.asset)
      (sum.frames, sum.samples) = (sum.frames + part.frames, sum.samples + part.samples)
      (sum.frameSpan, sum.sampleSpan) = (.around(sum.frameSpan, part.frameSpan), .around(sum.sampleSpan, part.sampleSpan))
      sums[part.asset] = sum
    }
    return sums.values.filter { $0.frames > 0 || $0.samples > 0 }.sorted { $0.asset < $1.asset }
  }

  /// A sentence for the movie's metadata; nil when nothing was replaced.
  package var sentence: String? {
    guard !isEmpty else { return nil }
    let parts = map { part in
      let frames = part.frames > 0 ? ["\(part.frames) frame\(part.frames == 1 ? "" : "s")"] : []
      let samples = part.samples > 0 ? ["\(part.samples) sample\(part.samples == 1 ? "" : "s")"] : []
      return "\((frames + samples).joined(separator: " and ")) of asset '\(part.asset)'"
    }
    return "Damaged media were replaced in " + parts.joined(separator: ", ")
  }
}
