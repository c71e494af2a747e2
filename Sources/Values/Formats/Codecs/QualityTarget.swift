/// The quality that each chunk of a movie's picture is to reach, as it is measured against the composited frames. The encoder's setting is
/// searched for, in place of one that is stated (decision 0258).
package struct QualityTarget: Hashable, Sendable, Codable {
  /// A way to measure a quality.
  package enum Measure: String, Hashable, Sendable, Codable, CaseIterable {
    /// The structural similarity of Wang et al. (2004), from below 0 to 1, as FFmpeg's filter `ssim` has it: the mean over frames of all
    /// planes, each by its number of samples.
    case ssim
    /// The peak signal-to-noise ratio of Helmrich et al. (2020) in dB, where errors count by what is seen of them. It is that of the plane
    /// that has the least, which FFmpeg's filter `xpsnr` names `minimum`.
    case xpsnr

    /// The values that can be asked for.
    package var range: ClosedRange<Double> {
      switch self {
      case .ssim: 0.5...0.9999
      case .xpsnr: 20...70
      }
    }

    /// A value in words, such as `0.9812` or `41.3 dB`.
    package func words(_ value: Double) -> String {
      switch self {
      case .ssim: "\((value * 10_000).rounded() / 10_000)"
      case .xpsnr: "\((value * 100).rounded() / 100) dB"
      }
    }

    /// The distortion of a value: 0 for equal pictures, and larger the more they differ. Its logarithm grows about as a rate factor does.
    package func distortion(_ value: Double) -> Double {
      switch self {
      case .ssim: 1 - value
      case .xpsnr: Exponential.gain(decibels: -value)
      }
    }

    /// The value of a distortion. Pictures that are equal have 100 dB, for numbers in JSON are finite.
    package func value(_ distortion: Double) -> Double {
      switch self {
      case .ssim: 1 - distortion
      case .xpsnr: distortion > 1e-5 ? -Logarithm.decibels(distortion) : 100
      }
    }
  }

  package let measure: Measure
  /// The value to be reached, within `measure.range`.
  package let value: Double

  package init(_ measure: Measure, _ value: Double) { (self.measure, self.value) = (measure, value) }

  /// The key under which documents state it.
  package static let key = "quality"
  /// The reason why a measure that people ask for is not made; nil for a name that is none of these.
  package static func objection(to name: String) -> String? {
    switch name.lowercased() {
    case "vmaf", "vmafneg", "vmaf_neg":
      "VMAF is not measured, because Debian 12 has no libvmaf to build with: use xpsnr, which follows what people see about as well, or ssim"
    case "psnr": "PSNR says little of what people see, so it is not searched for: use xpsnr, which weighs errors by that"
    default: nil
    }
  }

  /// The seconds that measuring a pixel takes, with its decoding.
  private static let secondsPerPixel = 8e-9
  /// The number of times that a chunk is encoded, on average.
  private static let usualTries = 5.0
  /// The word of work that has such a target: it takes longer than other work of its settings.
  static let workWord = "measured"
  /// The smallest side of pictures that are measured: their halved chroma has one window of 8x8 samples.
  private static let leastSide = 16

  /// The seconds of one core that a pixel takes in all tries.
  static func seconds(encoding seconds: Double) -> Double { usualTries * (seconds + secondsPerPixel) }

  /// The rate factors of x264 and x265 among which it is searched: quarters of a step.
  static let quarterSteps = Array(stride(from: 1.0, through: 51, by: 0.25))

  static func wholeSteps(_ crfs: ClosedRange<Double>) -> [Double] {
    Array(stride(from: crfs.lowerBound, through: crfs.upperBound, by: 1))
  }

  /// The reason why pictures of a size cannot be measured; nil where they can.
  static func objection(to size: PixelSize, _ target: QualityTarget?) -> PictureObjection? {
    guard target != nil, min(size.width, size.height) < leastSide else { return nil }
    return .setting(
      key, "is not measured in pictures of \(size.width)x\(size.height), but from \(leastSide)x\(leastSide) on: use crf")
  }
}

extension CodecKey {
  /// The key of codecs whose setting can be searched for.
  package static let quality = CodecKey(name: QualityTarget.key, form: .quality)
}
