internal import Formats

/// A profile and a level of an encoder, by VideoToolbox' name, such as "H264_High_4_1".
struct ProfileLevel {
  /// The profile, such as "H264_High".
  let profile: String
  /// The level, such as "4.1"; nil for the least one that the pictures need.
  private let level: String?

  init(_ name: String) {
    let parts = name.split(separator: "_")
    profile = parts.prefix(2).joined(separator: "_")
    level = parts.count == 4 ? parts.suffix(2).joined(separator: ".") : nil
  }

  /// The bounds of H.264's levels: macroblocks in a picture and in a second (ITU-T H.264, table A-1).
  private static let bounds: [String: (picture: Int, second: Int)] = [
    "1.3": (396, 11_880), "3.0": (1620, 40_500), "3.1": (3600, 108_000), "3.2": (5120, 216_000), "4.0": (8192, 245_760),
    "4.1": (8192, 245_760), "4.2": (8704, 522_240), "5.0": (22_080, 589_824), "5.1": (36_864, 983_040),
    "5.2": (36_864, 2_073_600),
  ]

  /// The excess over the level, in words; nil where pictures of a size, and a rate that is known, are within it.
  func excess(_ size: PixelSize, rate: Double?) -> String? {
    guard let level, profile.hasPrefix("H264"), let bound = Self.bounds[level] else { return nil }
    let (across, down) = ((size.width + 15) / 16, (size.height + 15) / 16)
    // Neither side may be longer than the root of eight times the blocks of a picture.
    let longest = Int(Double(8 * bound.picture).squareRoot())
    if max(across, down) > longest {
      return "holds sides of \(16 * longest) pixels; there is one of \(max(size.width, size.height))"
    }
    if across * down > bound.picture {
      return "holds pictures of \(bound.picture) macroblocks; \(size.width) x \(size.height) has \(across * down)"
    }
    if let rate, Double(across * down) * rate > Double(bound.second) {
      return "holds \(bound.second) macroblocks a second; \(size.width) x \(size.height) at \(rate) has more"
    }
    return nil
  }
}
