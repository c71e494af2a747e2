internal import MediaTime
internal import Timeline

/// A volume envelope on the sample clock: each keyframe stands at the nearest sample, ramps are linear from sample to sample.
struct GainCurve {
  private struct Point {
    let sample: Int64
    let gain: Double
    let holds: Bool
  }

  private let points: [Point]

  /// - Parameters:
  ///   - origin: the time of sample zero on the envelope's clock.
  ///   - sampleRate: samples per second.
  init(_ envelope: Envelope<Double>, origin: MediaTime, sampleRate: Int32) throws(TimeError) {
    var points: [Point] = []
    for keyframe in envelope.keyframes {
      let sample = try (keyframe.time - origin).samples(at: sampleRate)
      points.append(Point(sample: sample, gain: keyframe.value, holds: keyframe.holds))
    }
    self.points = points
  }

  /// Calls `body(index, gain)` for the samples `first + index`, `index` in `0..<count`.
  func apply(from first: Int64, count: Int, _ body: (Int, Float) -> Void) {
    var index = 0
    while index < count {
      let sample = first + Int64(index)
      let following = points.firstIndex { $0.sample > sample } ?? points.endIndex
      let end = following < points.endIndex ? min(count, Int(points[following].sample - first)) : count
      let here = following > 0 ? points[following - 1] : Point(sample: sample, gain: 1, holds: true)
      if here.holds || following == points.endIndex {
        for sample in index..<end { body(sample, Float(here.gain)) }
      } else {
        let slope = (points[following].gain - here.gain) / Double(points[following].sample - here.sample)
        for sample in index..<end {
          body(sample, Float(here.gain + slope * Double(first + Int64(sample) - here.sample)))
        }
      }
      index = end
    }
  }
}
