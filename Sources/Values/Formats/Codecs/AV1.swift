package import MediaTime

/// AV1 as SVT-AV1 encodes it.
package struct AV1: VideoCoder {
  package typealias Speed = H264.Speed

  /// The constant rate factor, a whole number from 1 to 63.
  package var crf: Double
  /// The bits of the whole picture; nil leaves them to the rate factor.
  package var rateTarget: RateTarget?
  /// The quality that each chunk reaches, for which the rate factor is searched; nil leaves it to the stated one.
  package var qualityTarget: QualityTarget?
  package var speed: Speed

  package init(crf: Double = 32, speed: Speed = .medium) { (self.crf, self.speed) = (crf, speed) }

  package var fileTypes: [FileType] { [.mp4, .webm, .mkv, .cmaf] }
  package var isLossless: Bool { false }
  package var fieldObjection: String? { "av1 has no fields" }
  package var needsEvenSides: Bool { true }
  /// SVT-AV1's own bound.
  package var leastSize: PixelSize { PixelSize(64, 64) }

  package var keys: [CodecKey] {
    [
      CodecKey(name: "crf", form: .number(1...63)),
      CodecKey(name: "speed", form: .word(Speed.allCases.map(\.rawValue))), CodecKey.quality,
    ] + CodecKey.rateTarget
  }

  package subscript(key: String) -> CodecKey.Value? {
    get {
      switch key {
      case "crf": rateTarget == nil && qualityTarget == nil ? .number(crf) : nil
      case QualityTarget.key: qualityTarget.map(CodecKey.Value.quality)
      case "speed": .word(speed.rawValue)
      case rateTarget?.key: rateTarget.map { .number($0.value) }
      default: nil
      }
    }
    set {
      switch (key, newValue) {
      case ("crf", .number(let number)): (crf, rateTarget, qualityTarget) = (number.rounded(), nil, nil)
      case (QualityTarget.key, .quality(let target)): (crf, rateTarget, qualityTarget) = (AV1().crf, nil, target)
      case ("bitRate", .number(let number)), ("fileSize", .number(let number)):
        (crf, rateTarget, qualityTarget) = (AV1().crf, RateTarget(key, number), nil)
      case ("speed", .word(let word)): speed = Speed(rawValue: word) ?? speed
      default: break
      }
    }
  }

  /// SVT-AV1's preset.
  private var preset: Int {
    switch speed {
    case .ultrafast: 12
    case .superfast: 11
    case .veryfast: 10
    case .faster: 9
    case .fast: 8
    case .medium: 7
    case .slow: 6
    case .slower: 4
    case .veryslow: 3
    }
  }

  package var secondsPerPixel: Double {
    if qualityTarget != nil { return QualityTarget.seconds(encoding: secondsPerEncodedPixel) }
    return rateTarget == nil ? secondsPerEncodedPixel : RateTarget.seconds(encoding: secondsPerEncodedPixel, surveyor)
  }

  private var secondsPerEncodedPixel: Double {
    switch speed {
    case .ultrafast: 10e-9
    case .superfast: 16e-9
    case .veryfast: 25e-9
    case .faster: 35e-9
    case .fast: 55e-9
    case .medium: 79e-9
    case .slow: 110e-9
    case .slower: 400e-9
    case .veryslow: 800e-9
    }
  }

  package var workWords: [String] { [speed.rawValue] + targetWords }

  /// The settings of the first pass: those of the fastest encoder.
  package var surveyor: VideoCoding? { rateTarget == nil ? nil : .av1(AV1(speed: .ultrafast)) }
  package var rateFactors: ClosedRange<Double> { WholeSteps.factors(1...63) }
  package func parting(_ rateFactor: Double, frameCount: Int) -> WholeSteps.Parting? {
    WholeSteps.parting(rateFactor, frameCount: frameCount)
  }

  package var qualitySteps: [Double] { QualityTarget.wholeSteps(1...63) }
  package func rateFactor(ofCRF crf: Double) -> Double { WholeSteps.factor(crf) }
  package func objection(to size: PixelSize, lasting _: MediaTime) -> PictureObjection? {
    QualityTarget.objection(to: size, qualityTarget)
  }

  package var encoderName: String { "libsvtav1" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  package func keyInterval(_ frameDuration: MediaTime) -> Int64 { H264().keyInterval(frameDuration) }

  /// One logical processor is the least work in parallel, and so the least memory, that SVT-AV1 can be asked for.
  package func options(for picture: EncodedPicture) -> [String: String] {
    let crf = picture.rateFactor.map { WholeSteps.crf($0).rounded() } ?? crf
    return ["preset": "\(preset)", "crf": "\(Int(crf))", "svtav1-params": "lp=1"]
  }
}
