package import MediaTime

/// HEVC as x265 encodes it.
package struct HEVC: VideoCoder {
  package typealias Speed = H264.Speed

  /// The constant rate factor, from 0 to 51. It is the usual one, and means nothing, where there is a target.
  package var crf: Double
  /// The bits of the whole picture; nil leaves them to the rate factor.
  package var rateTarget: RateTarget?
  /// The quality that each chunk reaches, for which the rate factor is searched; nil leaves it to the stated one.
  package var qualityTarget: QualityTarget?
  package var speed: Speed
  package var chroma: ChromaSampling
  /// The bits a second with which a decoder's buffer fills; nil is any number.
  package var maxBitRate: Double?
  /// The size of that buffer in bits; nil is two seconds of `maxBitRate`.
  package var bufferSize: Double?

  package init(crf: Double = 23, speed: Speed = .medium, chroma: ChromaSampling = .yuv420) {
    (self.crf, self.speed, self.chroma) = (crf, speed, chroma)
  }

  package var fileTypes: [FileType] { [.mp4, .mov, .mkv, .mpegts, .cmaf] }
  package var isLossless: Bool { false }
  package var fieldObjection: String? { "fields of hevc are pictures of their own, which x265 does not join to frames" }
  package var copiesPackets: Bool { true }
  package var needsEvenSides: Bool { true }
  /// x265 3.5 writes outside of its memory where a picture is 48 pixels wide or less, and refuses pictures less than 16 high.
  package var leastSize: PixelSize { PixelSize(64, 16) }
  package var keys: [CodecKey] { H264().keys }
  package var rateCap: RateCap? { likeH264.rateCap }
  package var contradiction: (key: String, reason: String)? { likeH264.contradiction }

  /// The settings by which the rate is bounded, as H.264 has them. The rate factor 0 is not lossless here.
  private var likeH264: H264 {
    var other = H264(crf: max(crf, 1))
    (other.maxBitRate, other.bufferSize, other.rateTarget) = (maxBitRate, bufferSize, rateTarget)
    return other
  }

  package subscript(key: String) -> CodecKey.Value? {
    get {
      switch key {
      case "crf": rateTarget == nil && qualityTarget == nil ? .number(crf) : nil
      case QualityTarget.key: qualityTarget.map(CodecKey.Value.quality)
      case "speed": .word(speed.rawValue)
      case "chroma": .word(chroma.rawValue)
      case "maxBitRate": maxBitRate.map(CodecKey.Value.number)
      case "bufferSize": bufferSize.map(CodecKey.Value.number)
      case rateTarget?.key: rateTarget.map { .number($0.value) }
      default: nil
      }
    }
    set {
      switch (key, newValue) {
      case ("crf", .number(let number)): (crf, rateTarget, qualityTarget) = (number, nil, nil)
      case (QualityTarget.key, .quality(let target)): (crf, rateTarget, qualityTarget) = (HEVC().crf, nil, target)
      case ("bitRate", .number(let number)), ("fileSize", .number(let number)):
        (crf, rateTarget, qualityTarget) = (HEVC().crf, RateTarget(key, number), nil)
      case ("speed", .word(let word)): speed = Speed(rawValue: word) ?? speed
      case ("maxBitRate", .number(let number)): maxBitRate = number.rounded()
      case ("bufferSize", .number(let number)): bufferSize = number.rounded()
      case ("chroma", let value): chroma = ChromaSampling(value) ?? chroma
      default: break
      }
    }
  }

  /// The settings of the first pass, as of H.264.
  package var surveyor: VideoCoding? {
    let isFaster = [.ultrafast, .superfast].contains(speed)
    return rateTarget == nil ? nil : .hevc(HEVC(speed: isFaster ? speed : .veryfast, chroma: chroma))
  }

  package var secondsPerPixel: Double {
    if qualityTarget != nil { return QualityTarget.seconds(encoding: secondsPerEncodedPixel) }
    return rateTarget == nil ? secondsPerEncodedPixel : RateTarget.seconds(encoding: secondsPerEncodedPixel, surveyor)
  }

  private var secondsPerEncodedPixel: Double {
    switch speed {
    case .ultrafast: 21e-9
    case .superfast: 38e-9
    case .veryfast: 42e-9
    case .faster: 43e-9
    case .fast: 55e-9
    case .medium: 64e-9
    case .slow: 166e-9
    case .slower: 520e-9
    case .veryslow: 900e-9
    }
  }

  package var workWords: [String] {
    [speed.rawValue] + (chroma == .yuv420 ? [] : [chroma.rawValue]) + targetWords
  }

  package var qualitySteps: [Double] { QualityTarget.quarterSteps }
  package func objection(to size: PixelSize, lasting _: MediaTime) -> PictureObjection? {
    QualityTarget.objection(to: size, qualityTarget)
  }

  package var encoderName: String { "libx265" }
  /// One: `options` has x265 make no threads of its own.
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  /// x265 refers to frames of the future through a pyramid of two levels. FFmpeg 5.1 does not pass that on.
  package var reorderDepth: Int32? { 2 }
  /// Apple's players ask for this name. Parameter sets then stand in the header alone.
  package var sampleEntry: String? { "hvc1" }

  /// x265 encodes keyframes finer than other frames by `ipratio`, 1.4, but for the first one of a stream, with which each chunk begins
  /// (decision 0245). The two fastest presets take in no regions.
  package var openingSteps: Double? {
    // 6 log2 1.4: the quantizer doubles each six steps.
    rateCap == nil && ![.ultrafast, .superfast].contains(speed) ? 2.9126 : nil
  }

  package func keyInterval(_ frameDuration: MediaTime) -> Int64 { H264().keyInterval(frameDuration) }

  package func options(for picture: EncodedPicture) -> [String: String] {
    var options = [
      "preset": speed.rawValue, "forced-idr": picture.forcesKeyframes ? "1" : "0",
      // x265 tells its settings on standard error, and in each segment, unless it is told not to. Its pool of threads would have
      // the machine's number of cores.
      "x265-params": "log-level=none:info=0:open-gop=0:pools=none:frame-threads=1:wpp=0:repeat-headers=0"
        + (rateCap?.encoderWords(seconds: picture.seconds) ?? "") + (picture.hdrMetadata.map(Self.parameters) ?? "")
        + picture.wishes.orderWords,
    ]
    if picture.wishes.averageBitRate == nil {
      options["crf"] = "\(picture.rateFactor ?? min(crf + RateCap.coarserFactor * Double(picture.againCount), 51))"
    }
    return options
  }

  /// The metadata as x265 parameters. x265 puts them beside the parameter sets.
  private static func parameters(_ metadata: HDRMetadata) -> String {
    (metadata.masteringDisplay.map { ":master-display=\($0.encoderWords)" } ?? "")
      + (metadata.contentLight.map { ":max-cll=\($0.maximum),\($0.frameAverage)" } ?? "")
  }
}
