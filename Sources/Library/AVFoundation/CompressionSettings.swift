internal import Formats
internal import SampleStream

/// The properties with which an encoder compresses. Each is kept, or refused by its name; those that only help an encoder to plan are
/// taken without effect.
struct CompressionSettings {
  private let properties: [String: Any]
  private let codec: String

  /// Properties that VideoToolbox names alone. Its constants have the same values.
  private static let dataRateLimits = "DataRateLimits"
  private static let allowTemporalCompression = "AllowTemporalCompression"

  /// The properties that change nothing of what a movie shows, or say what is always so.
  private static let hints: Set<String> = [
    AVVideoExpectedSourceFrameRateKey, AVVideoAverageNonDroppableFrameRateKey, AVVideoPixelAspectRatioKey,
    AVVideoCleanApertureKey,
    "RealTime", "ExpectedDuration", "AllowOpenGOP", "PrioritizeEncodingSpeedOverQuality", "NumberOfPendingFrames",
    "MaxFrameDelayCount", "MaximizePowerEfficiency", "HDRMetadataInsertionMode", "PreserveDynamicHDRMetadata",
  ]
  private static let ofH264AndHEVC: Set<String> = [
    AVVideoAverageBitRateKey, AVVideoQualityKey, AVVideoMaxKeyFrameIntervalKey, AVVideoMaxKeyFrameIntervalDurationKey,
    AVVideoAllowFrameReorderingKey, AVVideoProfileLevelKey, AVVideoH264EntropyModeKey, dataRateLimits, allowTemporalCompression,
  ]

  /// - Throws: an error for a property that the codec does not have here.
  init(_ properties: [String: Any], _ codec: String) throws(AVError) {
    (self.properties, self.codec) = (properties, codec)
    if let layers = properties.keys.filter({ $0.hasPrefix("MVHEVC") || $0.hasSuffix("StereoEyeView") }).min() {
      throw Self.severalLayers(layers)
    }
    let known = Self.isSteered(codec) ? Self.hints.union(Self.ofH264AndHEVC) : Self.hints
    if let stranger = properties.keys.filter({ !known.contains($0) }).min() {
      throw WritingSettings.fault(stranger, "\(codec) has no such property here")
    }
  }

  private static func isSteered(_ codec: String) -> Bool { ["h264", "hevc"].contains(codec) }

  func apply(to coding: inout WritingOrder.PictureCoding) throws(AVError) {
    guard Self.isSteered(codec) else { return }
    if let quality = try number(AVVideoQualityKey) { coding.numbers["crf"] = (38 - 24 * min(max(quality, 0), 1)).rounded() }
    if let rate = try number(AVVideoAverageBitRateKey) {
      guard (RateTarget.leastBitRate...1_000_000_000).contains(rate) else {
        throw WritingSettings.fault(AVVideoAverageBitRateKey, "\(rate) is not in 10000...1000000000 bits a second")
      }
      coding.wishes.averageBitRate = rate
    }
    try boundRate(&coding)
    try setKeyframes(&coding.wishes)
    try setProfile(&coding)
  }

  /// Takes the bounds of the rate: pairs of bytes and the seconds in which no more of them may come.
  private func boundRate(_ coding: inout WritingOrder.PictureCoding) throws(AVError) {
    guard let given = properties[Self.dataRateLimits] else { return }
    let values = (given as? [Any] ?? []).compactMap { AnyNumber.real($0) }
    guard values.count == 2, values[0] > 0, values[1] > 0 else {
      throw WritingSettings.fault(Self.dataRateLimits, "is no list of bytes and seconds; one pair is kept")
    }
    // A buffer of less than a quarter of a second holds no keyframe.
    coding.numbers["maxBitRate"] = values[0] * 8 / values[1]
    coding.numbers["bufferSize"] = max(values[0] * 8, values[0] * 2 / values[1])
  }

  private func setKeyframes(_ wishes: inout StreamWishes) throws(AVError) {
    if let frames = try number(AVVideoMaxKeyFrameIntervalKey), frames > 0 { wishes.keyInterval = Int(min(frames, 1e9)) }
    if let seconds = try number(AVVideoMaxKeyFrameIntervalDurationKey), seconds > 0 { wishes.keyDuration = seconds }
    if AnyNumber.truth(properties[Self.allowTemporalCompression]) == false { wishes.keyInterval = 1 }
    if AnyNumber.truth(properties[AVVideoAllowFrameReorderingKey]) == false { wishes.reordersFrames = false }
  }

  /// Takes the profile. The level is the least one that the pictures need. One that is named must be enough for them.
  private func setProfile(_ coding: inout WritingOrder.PictureCoding) throws(AVError) {
    if let mode = properties[AVVideoH264EntropyModeKey] {
      switch (codec, mode as? String) {
      case ("h264", AVVideoH264EntropyModeCAVLC): coding.wishes.usesCAVLC = true
      case ("h264", AVVideoH264EntropyModeCABAC): coding.wishes.usesCAVLC = false
      default: throw WritingSettings.fault(AVVideoH264EntropyModeKey, "\(mode) is no mode of \(codec)")
      }
    }
    guard let given = properties[AVVideoProfileLevelKey] else { return }
    let level = ProfileLevel(given as? String ?? "")
    switch (codec, level.profile) {
    case ("h264", "H264_Baseline"), ("h264", "H264_ConstrainedBaseline"): coding.wishes.profile = .baseline
    case ("h264", "H264_Main"): coding.wishes.profile = .main
    case ("h264", "H264_High"), ("h264", "H264_ConstrainedHigh"): coding.wishes.profile = .high
    case ("hevc", "HEVC_Main"): coding.bitDepth = 8
    case ("hevc", "HEVC_Main10"): coding.bitDepth = 10
    case ("hevc", "HEVC_Main42210"): (coding.bitDepth, coding.words["chroma"]) = (10, ChromaSampling.yuv422.rawValue)
    case ("h264", "H264_Extended"), ("hevc", "HEVC_Monochrome"), ("hevc", "HEVC_Monochrome10"):
      throw WritingSettings.fault(AVVideoProfileLevelKey, "\(given) has no encoder here")
    default: throw WritingSettings.fault(AVVideoProfileLevelKey, "\(given) is no profile of \(codec)")
    }
    if let size = coding.size, let words = level.excess(size, rate: try number(AVVideoExpectedSourceFrameRateKey)) {
      throw WritingSettings.fault(AVVideoProfileLevelKey, "\(given) \(words)")
    }
    if coding.wishes.profile == .baseline, (properties[AVVideoH264EntropyModeKey] as? String) == AVVideoH264EntropyModeCABAC {
      throw WritingSettings.fault(AVVideoH264EntropyModeKey, "the baseline profile has no CABAC")
    }
  }

  private func number(_ key: String) throws(AVError) -> Double? {
    guard let value = properties[key] else { return nil }
    guard let number = AnyNumber.real(value), number.isFinite, number >= 0 else {
      throw WritingSettings.fault(key, "\(value) is no number from 0 on")
    }
    return number
  }

  private static func numbers(_ settings: [String: Any], _ key: String, _ names: [String]) throws(AVError) -> [Double]? {
    guard let value = settings[key] else { return nil }
    let found = names.map { AnyNumber.real((value as? [String: Any])?[$0]) }
    guard let whole = found as? [Double] else {
      throw WritingSettings.fault(key, "has not all of \(names.joined(separator: ", "))")
    }
    return whole
  }

  /// The shape of the movie's pixels; nil where the settings do not say it.
  static func pixelAspect(_ settings: [String: Any]) throws(AVError) -> PixelSize? {
    let names = [AVVideoPixelAspectRatioHorizontalSpacingKey, AVVideoPixelAspectRatioVerticalSpacingKey]
    guard let given = try numbers(settings, AVVideoPixelAspectRatioKey, names) else { return nil }
    let sides = given.compactMap(Int.init(exactly:))
    guard sides.count == 2, sides.allSatisfy({ (1...10_000).contains($0) }) else {
      throw WritingSettings.fault(AVVideoPixelAspectRatioKey, "has whole numbers in 1...10000")
    }
    return PixelSize(sides[0], sides[1])
  }

  /// The part of the picture that is shown; nil for all of it.
  static func aperture(_ settings: [String: Any], _ size: PixelSize?, in fileType: FileType) throws(AVError) -> Rect? {
    let aperture = try numbers(
      settings, AVVideoCleanApertureKey,
      [
        AVVideoCleanApertureWidthKey, AVVideoCleanApertureHeightKey, AVVideoCleanApertureHorizontalOffsetKey,
        AVVideoCleanApertureVerticalOffsetKey,
      ])
    guard let aperture else { return nil }
    guard let size else {
      throw WritingSettings.fault(AVVideoCleanApertureKey, "needs \(AVVideoWidthKey) and \(AVVideoHeightKey) beside it")
    }
    // The offsets are those of the aperture's middle from the picture's.
    let part = Rect(
      (Double(size.width) - aperture[0]) / 2 + aperture[2], (Double(size.height) - aperture[1]) / 2 + aperture[3], aperture[0],
      aperture[1])
    guard part != Rect(size) else { return nil }
    guard fileType.holdsCleanAperture else {
      throw WritingSettings.fault(AVVideoCleanApertureKey, "\(fileType.rawValue) does not say which part of a picture is shown")
    }
    let terms = [part.width, part.height, 2 * part.x, 2 * part.y]
    guard terms.allSatisfy({ $0 == $0.rounded() && $0 >= 0 }), part.width > 0, part.height > 0, part.maxX <= Double(size.width),
      part.maxY <= Double(size.height)
    else { throw WritingSettings.fault(AVVideoCleanApertureKey, "has whole pixels, and lies in the picture") }
    return part
  }
}
