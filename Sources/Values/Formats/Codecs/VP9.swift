package import MediaTime

/// VP9 as libvpx encodes it.
package struct VP9: VideoCoder {
  /// The speeds, by libvpx's `cpu-used`.
  package enum Speed: String, Hashable, Sendable, CaseIterable {
    case veryfast, faster, fast, medium, slow, slower

    var cpuUsed: Int {
      switch self {
      case .veryfast: 5
      case .faster: 4
      case .fast: 3
      case .medium: 2
      case .slow: 1
      case .slower: 0
      }
    }
  }

  /// The constant quality, from 0 to 63.
  package var crf: Double
  /// The bits of the whole picture; nil leaves them to the rate factor.
  package var rateTarget: RateTarget?
  /// The quality that each chunk reaches, for which the rate factor is searched; nil leaves it to the stated one.
  package var qualityTarget: QualityTarget?
  package var speed: Speed

  package init(crf: Double = 31, speed: Speed = .fast) { (self.crf, self.speed) = (crf, speed) }

  package var fileTypes: [FileType] { [.webm, .mkv, .mp4] }
  package var isLossless: Bool { false }
  package var fieldObjection: String? { "vp9 has no fields" }
  package var copiesPackets: Bool { true }
  package var needsEvenSides: Bool { true }
  /// Alpha is a second stream beside each frame, of 8 bits.
  package var alphaBitDepths: [Int] { [8] }
  /// FFmpeg writes the second stream into Matroska only.
  package var alphaFileTypes: [FileType] { [.webm, .mkv] }

  package var keys: [CodecKey] {
    [
      CodecKey(name: "crf", form: .number(0...63)),
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
      case (QualityTarget.key, .quality(let target)): (crf, rateTarget, qualityTarget) = (VP9().crf, nil, target)
      case ("bitRate", .number(let number)), ("fileSize", .number(let number)):
        (crf, rateTarget, qualityTarget) = (VP9().crf, RateTarget(key, number), nil)
      case ("speed", .word(let word)): speed = Speed(rawValue: word) ?? speed
      default: break
      }
    }
  }

  package var secondsPerPixel: Double {
    if qualityTarget != nil { return QualityTarget.seconds(encoding: secondsPerEncodedPixel) }
    return rateTarget == nil ? secondsPerEncodedPixel : RateTarget.seconds(encoding: secondsPerEncodedPixel, surveyor)
  }

  private var secondsPerEncodedPixel: Double {
    switch speed {
    case .veryfast: 79e-9
    case .faster: 85e-9
    case .fast: 90e-9
    case .medium: 126e-9
    case .slow: 150e-9
    case .slower: 450e-9
    }
  }

  package var workWords: [String] { [speed.rawValue] + targetWords }

  /// The settings of the first pass: those of the fastest encoder.
  package var surveyor: VideoCoding? { rateTarget == nil ? nil : .vp9(VP9(speed: .veryfast)) }
  package var rateFactors: ClosedRange<Double> { WholeSteps.factors(0...63) }
  package func parting(_ rateFactor: Double, frameCount: Int) -> WholeSteps.Parting? {
    WholeSteps.parting(rateFactor, frameCount: frameCount)
  }

  package var qualitySteps: [Double] { QualityTarget.wholeSteps(0...63) }
  package func rateFactor(ofCRF crf: Double) -> Double { WholeSteps.factor(crf) }
  package func objection(to size: PixelSize, lasting _: MediaTime) -> PictureObjection? {
    QualityTarget.objection(to: size, qualityTarget)
  }

  package var encoderName: String { "libvpx-vp9" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  package func keyInterval(_ frameDuration: MediaTime) -> Int64 { H264().keyInterval(frameDuration) }

  /// FFmpeg's encoder has no pictures of the future (`auto-alt-ref`) beside alpha.
  package func options(for picture: EncodedPicture) -> [String: String] {
    let crf = picture.rateFactor.map { WholeSteps.crf($0).rounded() } ?? crf
    return [
      "crf": "\(Int(crf))", "deadline": "good", "cpu-used": "\(speed.cpuUsed)", "row-mt": "0",
      "auto-alt-ref": picture.hasAlpha ? "0" : "1",
    ]
  }
}
