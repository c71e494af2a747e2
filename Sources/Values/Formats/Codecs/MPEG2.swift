package import MediaTime

/// MPEG-2 video (ISO/IEC 13818-2) as FFmpeg encodes it: whole frames of 8 bits in limited range, in the Main profile (4:2:0) or the
/// 4:2:2 profile.
///
/// A stream states a level, which bounds its pictures, its bit rate and a decoder's buffer. A chunk whose bits do not keep within
/// the bound is encoded again, more coarsely, as with a bound that the document states.
package struct MPEG2: VideoCoder {
  /// The quantizer, a whole number from 2 (best) to 31. It is the usual one, and means nothing, where there is a target.
  package var quantizer: Double
  /// The bits of the whole picture; nil leaves them to the quantizer.
  package var rateTarget: RateTarget?
  package var chroma: ChromaSampling
  /// The bits a second with which a decoder's buffer fills; nil is what the level allows.
  package var maxBitRate: Double?
  /// The size of that buffer in bits; nil is two seconds of `maxBitRate`, at most what the level allows.
  package var bufferSize: Double?

  package init(quantizer: Double = 4, chroma: ChromaSampling = .yuv420) { (self.quantizer, self.chroma) = (quantizer, chroma) }

  package var fileTypes: [FileType] { [.mov, .mkv, .mxf, .mpegts] }
  package var isLossless: Bool { false }
  package var fieldObjection: String? { nil }
  package var needsEvenSides: Bool { true }
  package var bitDepths: [Int] { [8] }
  /// The stream has no field for a full range, and decoders take it for limited.
  package func color(_ tags: ColorTags) -> ColorTags { ColorTags(tags.primaries, tags.transfer, tags.matrix, .limited) }

  package var keys: [CodecKey] {
    [
      CodecKey(name: "quantizer", form: .number(2...31)),
      CodecKey(name: "chroma", form: .word([ChromaSampling.yuv420, .yuv422].map(\.rawValue))),
    ] + CodecKey.rateTarget + CodecKey.rateCap
  }

  package subscript(key: String) -> CodecKey.Value? {
    get {
      switch key {
      case "quantizer": .number(quantizer)
      case "chroma": .word(chroma.rawValue)
      case "maxBitRate": maxBitRate.map(CodecKey.Value.number)
      case "bufferSize": bufferSize.map(CodecKey.Value.number)
      case rateTarget?.key: rateTarget.map { .number($0.value) }
      default: nil
      }
    }
    set {
      switch (key, newValue) {
      case ("quantizer", .number(let number)): (quantizer, rateTarget) = (number.rounded(), nil)
      case ("bitRate", .number(let number)), ("fileSize", .number(let number)):
        (quantizer, rateTarget) = (MPEG2().quantizer, RateTarget(key, number))
      case ("chroma", let value): chroma = ChromaSampling(value) ?? chroma
      case ("maxBitRate", .number(let number)): maxBitRate = number.rounded()
      case ("bufferSize", .number(let number)): bufferSize = number.rounded()
      default: break
      }
    }
  }

  /// The settings of the first pass: the same without the target, which is fast.
  package var surveyor: VideoCoding? { rateTarget == nil ? nil : .mpeg2(MPEG2(chroma: chroma)) }

  package var secondsPerPixel: Double {
    let seconds = chroma == .yuv420 ? 5e-9 : 7e-9
    return rateTarget == nil ? seconds : RateTarget.seconds(encoding: seconds, surveyor)
  }
  package var workWords: [String] {
    (chroma == .yuv420 ? [] : [chroma.rawValue]) + targetWords
  }

  package var encoderName: String { "mpeg2video" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  package var sampleEntry: String? { "m2v1" }

  /// Half a second, as broadcasters have it: 12 pictures at up to 25 a second, and 15 at more.
  package func keyInterval(_ frameDuration: MediaTime) -> Int64 {
    Int64(frameDuration.timescale) <= 25 * frameDuration.value ? 12 : 15
  }

  /// Two pictures are predicted from both sides between two that are not (M = 3). Groups are closed, and never begin at a cut, so that
  /// the same frames give the same groups. Subtitles that a source's picture carries are not the movie's.
  package func options(for picture: EncodedPicture) -> [String: String] {
    var options = ["bf": "2", "mpv_flags": "strict_gop", "sc_threshold": "1000000000", "a53cc": "0", "b": "0"]
    if let level = Level.of(picture.size, picture.frameDuration, chroma) {
      (options["profile"], options["level"]) = (chroma == .yuv420 ? "4" : "0", "\(level.code)")
    }
    // Without a bound that was asked for, the quantizer alone decides, until the level's bound turns out to be missed.
    guard let cap = rateCap(for: picture), maxBitRate != nil || picture.againCount > 0 else { return options }
    (options["maxrate"], options["bufsize"]) = ("\(Int(cap.encoderRate))", "\(Int(cap.encoderBuffer))")
    options["rc_init_occupancy"] = "\(max(1, Int(cap.encoderBuffer * cap.encoderFullness(seconds: picture.seconds))))"
    return options
  }

  /// The quantizer, which is coarser by a factor each time that the bound was missed. That of a rate factor is no whole number.
  package func quantizer(for picture: EncodedPicture) -> Double? {
    if let rateFactor = picture.rateFactor {
      let found = Self.unit * Exponential.power(Self.slope * (rateFactor - Self.unitFactor))
      return min(max(found, Self.quantizers.lowerBound), Self.quantizers.upperBound)
    }
    let factor = (0..<picture.againCount).reduce(1.0) { product, _ in product * Self.coarserFactor }
    return min(Self.quantizers.upperBound, (quantizer * factor).rounded(.up))
  }

  private static let coarserFactor = 1.5
  private static let quantizers = 2.0...31
  /// The quantizer doubles with six more of the rate factor, and is 0.85 at 12, as x264 has it.
  private static let (unit, unitFactor, slope) = (0.85, 12.0, Logarithm.natural(2) / 6)

  /// The rate factors of the quantizers that there are.
  package var rateFactors: ClosedRange<Double> {
    func factor(_ quantizer: Double) -> Double { Self.unitFactor + Logarithm.natural(quantizer / Self.unit) / Self.slope }
    return factor(Self.quantizers.lowerBound)...factor(Self.quantizers.upperBound)
  }
}

// MARK: - What the standard allows

extension MPEG2 {
  package var rateCap: RateCap? { maxBitRate.map { RateCap(maxBitRate: $0, bufferSize: bufferSize ?? 2 * $0) } }

  package func rateCap(for picture: EncodedPicture) -> RateCap? {
    guard let level = Level.of(picture.size, picture.frameDuration, chroma) else { return rateCap }
    guard let maxBitRate else { return RateCap(maxBitRate: level.bitRate, bufferSize: level.buffer) }
    return RateCap(maxBitRate: maxBitRate, bufferSize: bufferSize ?? min(2 * maxBitRate, level.buffer))
  }

  package var contradiction: (key: String, reason: String)? {
    guard let maxBitRate else { return bufferSize == nil ? nil : ("bufferSize", "is the buffer of maxBitRate, which is missing") }
    if case .bitRate(let bitRate)? = rateTarget, bitRate > RateTarget.mostOfCap * maxBitRate {
      return ("bitRate", "is more than 3/4 of maxBitRate, which leaves the average no room: raise maxBitRate")
    }
    guard let bufferSize, bufferSize < maxBitRate / 4 else { return nil }
    return ("bufferSize", "holds less than a quarter of a second of maxBitRate")
  }

  /// The rates that a stream can state, as durations of a frame with their usual names.
  private static let rates: [(words: String, value: Int64, timescale: Int32)] = [
    ("23.976", 1001, 24_000), ("24", 1, 24), ("25", 1, 25), ("29.97", 1001, 30_000), ("30", 1, 30), ("50", 1, 50),
    ("59.94", 1001, 60_000), ("60", 1, 60),
  ]

  package func objection(to size: PixelSize, lasting frameDuration: MediaTime) -> PictureObjection? {
    let isRate = Self.rates.contains { frameDuration.value * Int64($0.timescale) == $0.value * Int64(frameDuration.timescale) }
    guard isRate else {
      let durations = Self.rates.map { "\($0.value)/\($0.timescale)" }
      return .rate(
        "mpeg2 has \(Self.rates.dropLast().map(\.words).joined(separator: ", ")) or 60 frames a second, which last "
          + "\(durations.dropLast().joined(separator: ", ")) or 1/60, not \(frameDuration)")
    }
    let most = Level.high(chroma)
    guard size.width <= most.size.width, size.height <= most.size.height else {
      return .size("mpeg2 is made up to \(most.size.width)x\(most.size.height), not of \(size.width)x\(size.height)")
    }
    guard let level = Level.of(size, frameDuration, chroma) else {
      return .rate(
        "mpeg2 shows no pictures of \(size.width)x\(size.height) so often: it has 1920x1080 up to 30 times a second, and 1280x720 up "
          + "to 60 times")
    }
    if let maxBitRate, maxBitRate > level.bitRate {
      return .setting("maxBitRate", "mpeg2 of this size has at most \(Int(level.bitRate)) bits a second")
    }
    if case .bitRate(let bitRate)? = rateTarget, bitRate > RateTarget.mostOfCap * level.bitRate {
      let most = Int(RateTarget.mostOfCap * level.bitRate)
      return .setting("bitRate", "mpeg2 of this size has at most \(most) bits a second on average")
    }
    if let bufferSize, bufferSize > level.buffer {
      return .setting("bufferSize", "mpeg2 of this size has a buffer of at most \(Int(level.buffer)) bits")
    }
    return nil
  }

  /// A level of the standard (tables 8-10 to 8-14), which bounds what a decoder must be able to do.
  private struct Level {
    let code: Int
    let size: PixelSize
    /// The pixels in a second, in whole macroblocks of 16x16.
    let pixelRate: Double
    /// Bits a second.
    let bitRate: Double
    /// Bits.
    let buffer: Double

    private static let main = [
      Level(code: 8, size: PixelSize(720, 576), pixelRate: 10_368_000, bitRate: 15_000_000, buffer: 1_835_008),
      Level(code: 6, size: PixelSize(1440, 1152), pixelRate: 47_001_600, bitRate: 60_000_000, buffer: 7_340_032),
      Level(code: 4, size: PixelSize(1920, 1152), pixelRate: 62_668_800, bitRate: 80_000_000, buffer: 9_781_248),
    ]
    private static let p422 = [
      Level(code: 5, size: PixelSize(720, 608), pixelRate: 11_059_200, bitRate: 50_000_000, buffer: 9_437_184),
      Level(code: 2, size: PixelSize(1920, 1088), pixelRate: 62_668_800, bitRate: 300_000_000, buffer: 47_185_920),
    ]

    private static func all(_ chroma: ChromaSampling) -> [Level] { chroma == .yuv420 ? main : p422 }

    /// The highest level.
    static func high(_ chroma: ChromaSampling) -> Level { all(chroma).last ?? main[2] }

    /// The lowest level that has such pictures; nil where none has.
    static func of(_ size: PixelSize, _ frameDuration: MediaTime, _ chroma: ChromaSampling) -> Level? {
      let pixels = Double((size.width + 15) / 16 * 16 * ((size.height + 15) / 16 * 16))
      return all(chroma).first {
        size.width <= $0.size.width && size.height <= $0.size.height
          && pixels <= $0.pixelRate * frameDuration.seconds * (1 + 1e-9)
      }
    }
  }
}
