package import MediaTime

/// H.264 as x264 encodes it.
package struct H264: VideoCoder {
  /// x264's presets.
  package enum Speed: String, Hashable, Sendable, CaseIterable {
    case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow
  }

  /// The constant rate factor, from 0 (lossless) to 51. It is the usual one, and means nothing, where there is a target.
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

  package init(crf: Double = 20, speed: Speed = .medium, chroma: ChromaSampling = .yuv420) {
    (self.crf, self.speed, self.chroma) = (crf, speed, chroma)
  }

  package var fileTypes: [FileType] { [.mp4, .mov, .mkv, .mpegts, .cmaf] }
  package var isLossless: Bool { false }
  package var fieldObjection: String? { nil }
  package var isSteered: Bool { true }
  package var copiesPackets: Bool { true }
  package var needsEvenSides: Bool { true }

  package var keys: [CodecKey] {
    [
      CodecKey(name: "crf", form: .number(0...51)),
      CodecKey(name: "speed", form: .word(Speed.allCases.map(\.rawValue))),
      ChromaSampling.key, CodecKey.quality,
    ] + CodecKey.rateTarget + CodecKey.rateCap
  }

  package var rateCap: RateCap? {
    maxBitRate.map { RateCap(maxBitRate: $0, bufferSize: bufferSize ?? 2 * $0) }
  }

  package var contradiction: (key: String, reason: String)? {
    guard let maxBitRate else { return bufferSize == nil ? nil : ("bufferSize", "is the buffer of maxBitRate, which is missing") }
    if crf == 0 { return ("maxBitRate", "crf 0 is lossless, at any bit rate") }
    if case .bitRate(let bitRate)? = rateTarget, bitRate > RateTarget.mostOfCap * maxBitRate {
      return ("bitRate", "is more than 3/4 of maxBitRate, which leaves the average no room: raise maxBitRate")
    }
    guard let bufferSize, bufferSize < maxBitRate / 4 else { return nil }
    return ("bufferSize", "holds less than a quarter of a second of maxBitRate")
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
      case (QualityTarget.key, .quality(let target)): (crf, rateTarget, qualityTarget) = (H264().crf, nil, target)
      case ("bitRate", .number(let number)), ("fileSize", .number(let number)):
        (crf, rateTarget, qualityTarget) = (H264().crf, RateTarget(key, number), nil)
      case ("speed", .word(let word)): speed = Speed(rawValue: word) ?? speed
      case ("maxBitRate", .number(let number)): maxBitRate = number.rounded()
      case ("bufferSize", .number(let number)): bufferSize = number.rounded()
      case ("chroma", let value): chroma = ChromaSampling(value) ?? chroma
      default: break
      }
    }
  }

  /// The settings of the first pass over a movie with a target: those of a fast encoder of the same structure.
  package var surveyor: VideoCoding? {
    let isFaster = [.ultrafast, .superfast].contains(speed)
    return rateTarget == nil ? nil : .h264(H264(speed: isFaster ? speed : .veryfast, chroma: chroma))
  }

  package var secondsPerPixel: Double {
    if qualityTarget != nil { return QualityTarget.seconds(encoding: secondsPerEncodedPixel) }
    return rateTarget == nil ? secondsPerEncodedPixel : RateTarget.seconds(encoding: secondsPerEncodedPixel, surveyor)
  }

  private var secondsPerEncodedPixel: Double {
    switch speed {
    case .ultrafast: 5.5e-9
    case .superfast: 10e-9
    case .veryfast: 18e-9
    case .faster: 24e-9
    case .fast: 29e-9
    case .medium: 33e-9
    case .slow: 50e-9
    case .slower: 100e-9
    case .veryslow: 190e-9
    }
  }

  package var workWords: [String] {
    [speed.rawValue] + (chroma == .yuv420 ? [] : [chroma.rawValue]) + targetWords
  }

  package var qualitySteps: [Double] { QualityTarget.quarterSteps }
  package func objection(to size: PixelSize, lasting _: MediaTime) -> PictureObjection? {
    QualityTarget.objection(to: size, qualityTarget)
  }

  package var encoderName: String { "libx264" }
  /// Each thread encodes a frame. With a fixed number the bytes depend on the frames alone. Two threads take no more processor
  /// time than one, and a job's last chunk still uses two cores. Three gain nothing more.
  /// What threads do at the same time cannot be counted on while the rate is bounded.
  package var threads: Int32? { maxBitRate == nil ? 2 : 1 }
  package var level: Int32? { nil }

  /// x264's own choice is 250 frames. At low frame rates 10 seconds are the longest that a seek should reach back.
  package func keyInterval(_ frameDuration: MediaTime) -> Int64 {
    min(250, max(1, 10 * Int64(frameDuration.timescale) / frameDuration.value))
  }

  package func options(for picture: EncodedPicture) -> [String: String] {
    var own = picture.forcesKeyframes ? ["forced-idr": "1"] : [:]
    own["profile"] = picture.wishes.profile?.rawValue
    let crf = picture.rateFactor ?? min(crf + RateCap.coarserFactor * Double(picture.againCount), max(crf, 51))
    // The quantiser 0 is lossless at every bit depth; the rate factor 0 is so only at 8 bits. An average takes the place of both.
    if picture.wishes.averageBitRate == nil { own[crf == 0 ? "qp" : "crf"] = crf == 0 ? "0" : "\(crf)" }
    let options = [
      "preset": speed.rawValue,
      // Every frame lasts equally long. So the rate control need not look at times, and the stream states a constant rate.
      "x264-params": "force-cfr=1" + Self.instructionSets(picture) + rateWords(picture)
        + (rateCap == nil && own["crf"] != nil ? Self.fineOpening : "")
        + (picture.hdrMetadata?.x264Parameters ?? "")
        + (picture.parameterSetID.map { ":sps-id=\($0)" } ?? "") + picture.wishes.orderWords
        + (picture.fieldOrder.map { $0 == .topFirst ? ":tff=1" : ":bff=1" } ?? "")
        + (picture.wishes.usesCAVLC ? ":cabac=0" : ""),
    ]
    return options.merging(own) { _, own in own }
  }

  /// The parameter that gives the first frame the bits of other keyframes. By a rate factor, x264 encodes keyframes finer than other
  /// frames by `ipratio`, 1.4, but for the first one of a stream, with which each chunk begins (decision 0245).
  private static let fineOpening = ":zones=0,0,b=1.4"

  /// The control of the rate, with parameter sets that do not depend on the chunk.
  private func rateWords(_ picture: EncodedPicture) -> String {
    let cap = rateCap.map { $0.encoderWords(seconds: picture.seconds) } ?? ""
    // x264 would write the rate factor, which is each chunk's own, into the parameter sets.
    return rateCap != nil || picture.rateFactor != nil ? cap + ":stitchable=1" : cap
  }

  /// The `asm` parameter that avoids a fault of x264 r3095. Where a row is no multiple of eight macroblocks, its macroblock tree
  /// in AVX-512 reads memory behind the row, so the same frames may give other bytes. AVX2 takes about 7 % more time.
  private static func instructionSets(_ picture: EncodedPicture) -> String {
    let hasWholeGroups = (picture.size.width + 15) / 16 % 8 == 0
    guard picture.hasAVX512, !hasWholeGroups else { return "" }
    // Every processor with AVX-512 has these instruction sets.
    return ":asm=LZCNT,BMI1,BMI2,FMA3,AVX2"
  }
}

extension HDRMetadata {
  /// The metadata as x264 parameters. x264 writes them in front of every keyframe.
  fileprivate var x264Parameters: String {
    (masteringDisplay.map { ":mastering-display=\($0.encoderWords)" } ?? "")
      + (contentLight.map { ":cll=\($0.maximum),\($0.frameAverage)" } ?? "")
  }
}

extension MasteringDisplay {
  /// The display as x264 and x265 are told it.
  var encoderWords: String {
    func point(_ point: SIMD2<Double>) -> String {
      let units = point * Self.chromaticityUnits
      return "(\(Int(units.x.rounded())),\(Int(units.y.rounded())))"
    }
    func light(_ value: Double) -> Int { Int((value * Self.luminanceUnits).rounded()) }
    return "G\(point(green))B\(point(blue))R\(point(red))WP\(point(white))"
      + "L(\(light(luminance.upperBound)),\(light(luminance.lowerBound)))"
  }
}
