/// The bits that the picture of a movie gets as a whole, in place of a constant quality.
package enum RateTarget: Hashable, Sendable {
  /// The average of its bits a second.
  case bitRate(Double)
  /// The bits that sound and container leave of a file of so many bytes.
  case fileSize(Double)

  /// The key under which documents state it.
  package var key: String {
    switch self {
    case .bitRate: "bitRate"
    case .fileSize: "fileSize"
    }
  }

  /// The value that documents state.
  package var value: Double {
    switch self {
    case .bitRate(let value), .fileSize(let value): value
    }
  }

  /// The target that a value stands for under a key; nil for every other key.
  init?(_ key: String, _ value: Double) {
    switch key {
    case "bitRate": self = .bitRate(value.rounded())
    case "fileSize": self = .fileSize(value.rounded())
    default: return nil
    }
  }

  /// The share of `maxBitRate` that an average may have. Chunks leave a part of that unused, and no picture needs as much as every other.
  package static let mostOfCap = 3.0 / 4
  /// The fewest bits a second of a picture.
  package static let leastBitRate = 10_000.0
  /// The rate factors at which the first pass encodes each frame.
  package static let surveyedFactors = [22.0, 34.0]
  /// The rate factors of x264 and x265, without 0, which is lossless in x264.
  package static let usualFactors = 1.0...51
  /// The number of times that a chunk is encoded in the second pass, on average.
  private static let usualTries = 2.5
  /// The word of work that has a target: it takes longer than other work of its settings.
  static let workWord = "average"

  /// The seconds of one core that a pixel takes in both passes.
  static func seconds(encoding seconds: Double, _ surveyor: VideoCoding?) -> Double {
    usualTries * seconds + Double(surveyedFactors.count) * (surveyor?.coder.secondsPerPixel ?? 0)
  }

  /// The share of the target by which a movie may miss it.
  package static let tolerance = 0.01
}

extension CodecKey {
  /// The keys of codecs that have a target, in bits a second and in bytes.
  package static let rateTarget = [
    CodecKey(name: "bitRate", form: .number(RateTarget.leastBitRate...1_000_000_000)),
    CodecKey(name: "fileSize", form: .number(10_000...10_000_000_000_000)),
  ]
  /// The keys that say how good or how large pictures are, of which a document states one.
  package static let exclusive = ["crf", "quantizer", QualityTarget.key, "bitRate", "fileSize"]
}
