/// How much of an asset is damaged and was replaced, and where in the movie.
package struct Concealment: Hashable, Sendable, Codable {
  /// A half-open part of the movie, in frames or in samples.
  package struct Span: Hashable, Sendable, Codable {
    package var first: Int64
    package var end: Int64

    package init(_ range: Range<Int64>) { (first, end) = (range.lowerBound, range.upperBound) }

    /// The shortest span that holds both.
    static func around(_ a: Span?, _ b: Span?) -> Span? {
      guard let a, let b else { return a ?? b }
      return Span(min(a.first, b.first)..<max(a.end, b.end))
    }

    /// `30 to 59`, `30`.
    fileprivate var words: String { end - first > 1 ? "\(first) to \(end - 1)" : "\(first)" }
  }

  /// The asset's name in the document.
  package var asset: String
  /// Frames of the movie that show a stand-in.
  package var frames: Int
  /// Samples of the movie, of each channel, that are silence instead.
  package var samples: Int64
  /// From the first of the frames to the last; nil where there are none, and in proofs of earlier versions.
  package var frameSpan: Span?
  /// Samples around those that are silence: as many as are mixed together.
  package var sampleSpan: Span?

  package init(
    asset: String, frames: Int = 0, samples: Int64 = 0, frameSpan: Range<Int64>? = nil, sampleSpan: Range<Int64>? = nil
  ) {
    (self.asset, self.frames, self.samples) = (asset, frames, samples)
    (self.frameSpan, self.sampleSpan) = (frameSpan.map(Span.init), sampleSpan.map(Span.init))
  }

  /// One frame of the movie shows a stand-in.
  package init(asset: String, inFrame index: Int) {
    self.init(asset: asset, frames: 1, frameSpan: Int64(index)..<Int64(index) + 1)
  }

  /// As the status of a job says it: `12 frames (frame 30 to 59) and 4096 samples (sample 9600 to 19199) of asset 'a'`.
  package var words: String {
    func part(_ count: Int64, _ unit: String, _ span: Span?) -> [String] {
      count == 0 ? [] : ["\(count) \(unit)\(count == 1 ? "" : "s")" + (span.map { " (\(unit) \($0.words))" } ?? "")]
    }
    let parts = part(Int64(frames), "frame", frameSpan) + part(samples, "sample", sampleSpan)
    return parts.joined(separator: " and ") + " of asset '\(asset)'"
  }
}

extension [Concealment] {
  /// All of them, one for each asset, in the order of their names: the same however a movie was divided.
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

  /// In words, as the movie itself says it; nil where nothing was replaced.
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
