public let AVSampleRateConverterAlgorithm_Normal = "norm"
public let AVSampleRateConverterAlgorithm_Mastering = "bats"
public let AVSampleRateConverterAlgorithm_MinimumPhase = "minp"

public typealias AVAudioPacketCount = UInt32

/// The answer of who gives a converter its sound.
public enum AVAudioConverterInputStatus: Int, Sendable { case haveData = 0, noDataNow, endOfStream }

/// The end of a conversion: all that was wanted was made, the input was not enough for it, nothing more comes, or it failed.
public enum AVAudioConverterOutputStatus: Int, Sendable { case haveData = 0, inputRanDry, endOfStream, error }

/// The sound that a change of rates needs before the first and behind the last frame: of both sides, behind it alone, or none.
public enum AVAudioConverterPrimeMethod: Int, Sendable { case pre = 0, normal, none }

/// The frames before the first and behind the last one that a change of rates needs.
public struct AVAudioConverterPrimeInfo: Hashable, Sendable {
  public var leadingFrames: AVAudioFrameCount
  public var trailingFrames: AVAudioFrameCount
  public init() { (leadingFrames, trailingFrames) = (0, 0) }
  public init(leadingFrames: AVAudioFrameCount, trailingFrames: AVAudioFrameCount) {
    (self.leadingFrames, self.trailingFrames) = (leadingFrames, trailingFrames)
  }
}

/// Gives a converter its next sound: at least one frame, or nil with the status that says why there is none.
public typealias AVAudioConverterInputBlock =
  (_ inNumberOfPackets: AVAudioPacketCount, _ outStatus: UnsafeMutablePointer<AVAudioConverterInputStatus>) -> AVAudioBuffer?

/// Turns sound in memory into another form: other samples, another rate, other channels.
// It is its owner's, who must not use it on several threads at once.
/// - Partly: linear PCM. There is no converter, as for any that is not possible, to or from sound that is encoded: `AVAudioFile` and
///   `AVAssetWriter` encode and decode. `downmix` mixes 5.1 to stereo, and any channels to one
open class AVAudioConverter: NSObject {
  public let inputFormat: AVAudioFormat
  public let outputFormat: AVAudioFormat
  /// The channel of the input that is each channel of the output, from 0 on; -1 for silence. Without a map each is itself, and
  /// further ones are silent.
  open var channelMap: [NSNumber] { didSet { isMapped = true } }
  private var isMapped = false
  /// Whether channels are mixed where their numbers differ: several to one by their mean, one to all, and 5.1 to stereo with the middle
  /// and the surrounds 3 dB softer. Others follow the map.
  open var downmix = false
  /// Whether noise of the last bit is added before samples lose bits. It is the same in each run.
  open var dither = false
  /// The care with which rates are changed: an `AVAudioQuality`.
  open var sampleRateConverterQuality = AVAudioQuality.high.rawValue { didSet { reset() } }
  /// - Partly: each is done by the best of them, whose phase is linear
  open var sampleRateConverterAlgorithm: String? = AVSampleRateConverterAlgorithm_Normal
  open var primeMethod = AVAudioConverterPrimeMethod.normal { didSet { reset() } }
  /// Nil, since linear PCM needs none.
  open var magicCookie: Data?
  private var conversion: SampleRateConversion
  private var noise: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// - Returns: nil where a form is not linear PCM of a common kind. The standard error says so.
  public init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) {
    let all = [fromFormat, toFormat]
    guard all.allSatisfy({ $0.commonFormat != .otherFormat && $0.sampleRate > 0 && $0.channelCount > 0 }) else {
      let words = "AVAudioConverter: \(fromFormat.settings) is not converted to \(toFormat.settings): linear PCM alone is\n"
      FileHandle.standardError.write(Data(words.utf8))
      return nil
    }
    (inputFormat, outputFormat) = (fromFormat, toFormat)
    channelMap = (0..<Int32(toFormat.channelCount)).map { NSNumber(value: $0 < fromFormat.channelCount ? $0 : -1) }
    conversion = SampleRateConversion(
      from: fromFormat.sampleRate, to: toFormat.sampleRate, channels: Int(toFormat.channelCount))
    super.init()
  }

  /// The frames that the method of priming needs. They are the converter's own.
  open var primeInfo: AVAudioConverterPrimeInfo {
    let reach = AVAudioFrameCount(conversion.reach)
    return switch primeMethod {
    case .pre: AVAudioConverterPrimeInfo(leadingFrames: reach, trailingFrames: reach)
    case .normal: AVAudioConverterPrimeInfo(leadingFrames: 0, trailingFrames: reach)
    case .none: AVAudioConverterPrimeInfo()
    }
  }

  /// Forgets what was put in, so that another stream can come.
  open func reset() {
    let quality: SampleRateConversion.Quality =
      switch sampleRateConverterQuality {
      case ..<AVAudioQuality.low.rawValue: .lowest
      case ..<AVAudioQuality.medium.rawValue: .low
      case ..<AVAudioQuality.high.rawValue: .medium
      case ..<AVAudioQuality.max.rawValue: .high
      default: .highest
      }
    let priming: SampleRateConversion.Priming =
      switch primeMethod {
      case .pre: .led
      case .normal: .aligned
      case .none: .late
      }
    conversion = SampleRateConversion(
      from: inputFormat.sampleRate, to: outputFormat.sampleRate, channels: Int(outputFormat.channelCount), quality: quality,
      priming: priming)
  }

  /// Converts a buffer whose rate stays as it is.
  ///
  /// - Throws: an `AVError` where a buffer has another form than the converter, the rates differ, or the output is too small.
  open func convert(to outputBuffer: AVAudioPCMBuffer, from inputBuffer: AVAudioPCMBuffer) throws {
    guard inputFormat.sampleRate == outputFormat.sampleRate else {
      throw AVError(
        .operationNotAllowed, "convert(to:from:): changes no rates; convert(to:error:withInputFrom:) does", property: "sampleRate"
      )
    }
    try check(outputBuffer, outputFormat, "the output buffer's")
    try check(inputBuffer, inputFormat, "the input buffer's")
    guard outputBuffer.frameCapacity >= inputBuffer.frameLength else {
      throw AVError(
        .operationNotAllowed,
        "convert(to:from:): \(inputBuffer.frameLength) frames do not fit into \(outputBuffer.frameCapacity)",
        property: "frameCapacity")
    }
    outputBuffer.frameLength = 0
    put(mixed(inputBuffer.planes), into: outputBuffer)
  }

  /// Fills a buffer with converted sound. The block is called on this thread, until there is enough.
  ///
  /// - Returns: `inputRanDry` where the block had nothing, with what could be made; `endOfStream` when all was given before.
  open func convert(
    to outputBuffer: AVAudioBuffer, error outError: AutoreleasingUnsafeMutablePointer<NSError?>?,
    withInputFrom inputBlock: AVAudioConverterInputBlock
  ) -> AVAudioConverterOutputStatus {
    do {
      let output = try pcm(outputBuffer, outputFormat, "the output buffer's")
      output.frameLength = 0
      return try unsafe fill(output, inputBlock)
    } catch {
      unsafe outError?.pointee = error as NSError
      return .error
    }
  }

  private func fill(
    _ output: AVAudioPCMBuffer, _ inputBlock: AVAudioConverterInputBlock
  ) throws -> AVAudioConverterOutputStatus {
    while true {
      put(conversion.take(Int(output.frameCapacity - output.frameLength)), into: output)
      if output.frameLength == output.frameCapacity { return .haveData }
      if conversion.isEnded { return output.frameLength > 0 ? .haveData : .endOfStream }
      var status = AVAudioConverterInputStatus.haveData
      let wanted = conversion.needed(for: Int(output.frameCapacity - output.frameLength))
      let given = unsafe inputBlock(AVAudioPacketCount(clamping: wanted), &status)
      switch status {
      case .noDataNow: return .inputRanDry
      case .endOfStream: conversion.end()
      case .haveData:
        guard let given else { return .inputRanDry }
        let input = try pcm(given, inputFormat, "the input buffer's")
        guard input.frameLength > 0 else { return .inputRanDry }
        conversion.put(mixed(input.planes))
      }
    }
  }

  private func pcm(_ buffer: AVAudioBuffer, _ format: AVAudioFormat, _ whose: String) throws -> AVAudioPCMBuffer {
    try check(buffer, format, whose)
    guard let buffer = buffer as? AVAudioPCMBuffer else {
      throw AVError(.unsupportedOutputSettings, "AVAudioConverter: \(whose) sound is encoded", property: "format")
    }
    return buffer
  }

  private func check(_ buffer: AVAudioBuffer, _ format: AVAudioFormat, _ whose: String) throws {
    guard buffer.format == format else {
      throw AVError(
        .unsupportedOutputSettings, "AVAudioConverter: \(whose) format is not the converter's: \(buffer.format.settings)",
        property: "format")
    }
  }

  /// The channels of the output, of those of the input.
  private func mixed(_ channels: [[Double]]) -> [[Double]] {
    let count = Int(outputFormat.channelCount)
    if downmix, !isMapped, channels.count != count {
      if channels.count == 1 { return Array(repeating: channels[0], count: count) }
      if count == 1 { return [Self.mean(channels)] }
      if (channels.count, count) == (6, 2) { return [0, 1].map { Self.side(channels, $0) } }
    }
    let silence = Array(repeating: 0.0, count: channels.first?.count ?? 0)
    return (0..<count).map { channel in
      let source = channel < channelMap.count ? channelMap[channel].intValue : -1
      return channels.indices.contains(source) ? channels[source] : silence
    }
  }

  private static func mean(_ channels: [[Double]]) -> [Double] {
    channels[0].indices.map { frame in channels.reduce(0) { $0 + $1[frame] } / Double(channels.count) }
  }

  /// A side of stereo, of the front, the middle and the surround of 5.1. The whole is as much softer as it takes to clip nothing.
  private static func side(_ channels: [[Double]], _ side: Int) -> [Double] {
    let part = 0.5.squareRoot()
    let scale = 1 / (1 + 2 * part)
    return channels[side].indices.map { frame in
      scale * (channels[side][frame] + part * (channels[2][frame] + channels[4 + side][frame]))
    }
  }

  private func put(_ planes: [[Double]], into buffer: AVAudioPCMBuffer) {
    let bits = outputFormat.commonFormat == .pcmFormatInt16 ? 15.0 : 31.0
    guard dither, [.pcmFormatInt16, .pcmFormatInt32].contains(outputFormat.commonFormat) else {
      buffer.append(planes: planes)
      return
    }
    let bit = exp2(-bits)
    buffer.append(planes: planes.map { $0.map { $0 + (random() - random()) * bit } })
  }

  /// A number from 0 to below 1.
  private func random() -> Double {
    noise ^= noise << 13
    noise ^= noise >> 7
    noise ^= noise << 17
    return Double(noise >> 11) * 0x1p-53
  }

  // MARK: - Encoding

  /// - Refused: 0 and nil, since nothing is encoded
  open var bitRate: Int {
    get { 0 }
    set { refuse("bitRate") }
  }
  /// - Refused: 0 and nil, since nothing is encoded
  open var bitRateStrategy: String? {
    get { nil }
    set { refuse("bitRateStrategy") }
  }
  /// The most bytes of a frame of the output.
  open var maximumOutputPacketSize: Int { Int(unsafe outputFormat.streamDescription.pointee.mBytesPerPacket) }
  open var availableEncodeBitRates: [NSNumber]? { nil }
  open var applicableEncodeBitRates: [NSNumber]? { nil }
  open var availableEncodeSampleRates: [NSNumber]? { nil }
  open var applicableEncodeSampleRates: [NSNumber]? { nil }
  open var availableEncodeChannelLayoutTags: [NSNumber]? { nil }

  private func refuse(_ property: String) {
    FileHandle.standardError.write(Data("AVAudioConverter.\(property): linear PCM is not encoded\n".utf8))
  }
}
