internal import CFFmpeg
internal import Formats
internal import MediaTime

/// Converts frames of one sample format, rate and layout into planar float of another rate and layout (libswresample).
@safe final class AudioResampler {
  /// The form of a frame's samples. One resampler serves as long as it stays the same.
  struct Input: Hashable {
    let sampleFormat: Int32
    let sampleRate: Int32
    let channelCount: Int32
    let channelMask: UInt64

    init(_ frame: OwnedFrame) {
      let raw = unsafe frame.pointer.pointee
      unsafe (sampleFormat, sampleRate, channelCount) = (raw.format, raw.sample_rate, raw.ch_layout.nb_channels)
      channelMask = unsafe raw.ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? raw.ch_layout.u.mask : 0
    }
  }

  /// The largest ratio of input to output samples, and of output to input samples. The filter's length grows with it.
  static let maxRatio: Int64 = 128
  /// The most output samples of one call, a channel.
  private static let blockSize = 4096

  let input: Input
  /// Whether a sample needs no others, no other rate and no other channels: `SampleConversion` makes the same of it.
  let isPlain: Bool
  private let context: OpaquePointer
  private let channelCount: Int
  /// The output of one call: a block for each channel, one after another.
  private let block: UnsafeMutableBufferPointer<Float>
  private let place: String

  /// - Parameters:
  ///   - rate: source seconds per output second.
  ///   - channels: the channels that are heard; nil is all, as their layout has them.
  /// - Throws: `MediaError` `unsupported` for layouts that libswresample cannot mix and rates beyond `maxRatio`.
  init(
    _ frame: OwnedFrame, rate: Rational, sampleRate: Int32, layout: AudioCodecSettings.ChannelLayout,
    channels: ChannelMap? = nil, at place: String
  ) throws(MediaError) {
    let input = Input(frame)
    if let channels, channels.neededChannels > input.channelCount {
      throw MediaError(
        .unsupported, at: place,
        "has \(input.channelCount) channels, of which number \(channels.neededChannels - 1) is to be heard")
    }
    self.input = input
    channelCount = layout.channelCount
    self.place = place
    let rates = try Self.rates(from: input.sampleRate, by: rate, to: sampleRate, at: place)
    var context: OpaquePointer?
    let stated = unsafe frame.pointer.pointee.ch_layout
    var (from, to) = unsafe (stated.placed, layout.ffmpeg)
    if channels == nil, unsafe stated.order == AV_CHANNEL_ORDER_AMBISONIC {
      throw MediaError(
        .unsupported, at: place, "has ambisonic sound, whose channels belong to no loudspeakers: choose some with \"channels\"")
    }
    let code = unsafe swr_alloc_set_opts2(
      &context, &to, AV_SAMPLE_FMT_FLTP, rates.to, &from, AVSampleFormat(rawValue: input.sampleFormat), rates.from, 0, nil)
    guard code >= 0, let context = unsafe context else { throw MediaError(code, from: "swr_alloc_set_opts2", at: place) }
    unsafe self.context = context
    unsafe block = .allocate(capacity: layout.channelCount * Self.blockSize)
    let mixed: [Double]?
    if let channels {
      mixed = channels.factors(of: Int(input.channelCount), in: layout)
    } else {
      mixed = try unsafe Self.mix(stated.order == AV_CHANNEL_ORDER_CUSTOM ? stated : from, to, layout, at: place)
    }
    isPlain = rates.from == rates.to && mixed == nil && SampleConversion.copied.contains(input.sampleFormat)
    if let mixed {
      let code = unsafe swr_set_matrix(context, mixed, input.channelCount)
      guard code >= 0 else { throw MediaError(code, from: "swr_set_matrix", at: place) }
    }
    guard unsafe swr_init(context) >= 0 else {
      throw MediaError(.unsupported, at: place, "its layout of \(input.channelCount) channels cannot become \(layout.rawValue)")
    }
  }

  deinit {
    var context: OpaquePointer? = unsafe context
    unsafe swr_free(&context)
    unsafe block.deallocate()
  }

  /// The factors of the channels of `from` for those of `to`, one row after another; nil where the two layouts are alike.
  private static func mix(
    _ from: AVChannelLayout, _ to: AVChannelLayout, _ layout: AudioCodecSettings.ChannelLayout, at place: String
  ) throws(MediaError) -> [Double]? {
    guard let places = unsafe from.places else {
      throw MediaError(
        .unsupported, at: place,
        "does not say which loudspeakers its \(unsafe from.nb_channels) channels are for: choose some with \"channels\"")
    }
    if unsafe from.order == AV_CHANNEL_ORDER_NATIVE, unsafe from.u.mask == to.u.mask { return nil }
    return ChannelMatrix.rows(from: places, to: layout).flatMap(\.self)
  }

  /// Appends to `output` the samples that result from the samples `range` of `frame`.
  func convert(_ frame: OwnedFrame, _ range: Range<Int>, into output: inout SampleQueue) throws(MediaError) {
    var source = unsafe Self.planes(frame, from: range.lowerBound, channelCount: Int(input.channelCount))
    var count = Int32(range.count)
    while true {
      let made = try unsafe convertBlock(&source, count, &output)
      if made < Self.blockSize { return }
      // The first call took the whole input. Later calls only fetch output that did not fit into the block.
      count = 0
    }
  }

  /// Appends the samples that are still in the filter. Nothing may be converted after that.
  func finish(into output: inout SampleQueue) throws(MediaError) {
    while try unsafe convertBlock(nil, 0, &output) > 0 {}
  }

  private func convertBlock(
    _ source: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: Int32, _ output: inout SampleQueue
  ) throws(MediaError) -> Int {
    var planes: [UnsafeMutablePointer<UInt8>?] = unsafe (0..<channelCount).map { channel in
      unsafe UnsafeMutableRawPointer(block.baseAddress! + channel * Self.blockSize).assumingMemoryBound(to: UInt8.self)
    }
    let made = unsafe swr_convert(context, &planes, Int32(Self.blockSize), source, count)
    guard made >= 0 else { throw MediaError(made, from: "swr_convert", at: place) }
    for channel in 0..<channelCount {
      let start = channel * Self.blockSize
      unsafe output.append(UnsafeBufferPointer(rebasing: block[start..<start + Int(made)]), toChannel: channel)
    }
    return Int(made)
  }

  /// Pointers to sample `first` of each plane; packed formats have one plane.
  private static func planes(
    _ frame: OwnedFrame, from first: Int, channelCount: Int
  ) -> [UnsafePointer<UInt8>?] {
    let raw = unsafe frame.pointer.pointee
    let format = unsafe AVSampleFormat(rawValue: raw.format)
    let size = Int(av_get_bytes_per_sample(format))
    let isPlanar = av_sample_fmt_is_planar(format) != 0
    return unsafe (0..<(isPlanar ? channelCount : 1)).map { plane in
      unsafe raw.extended_data[plane].map { unsafe UnsafePointer($0 + first * size * (isPlanar ? 1 : channelCount)) }
    }
  }

  /// A pair of sample rates in the exact ratio of the conversion. Where that needs more than 30 bits it is the nearest pair,
  /// which is off by less than a sample in an hour.
  static func rates(
    from source: Int32, by rate: Rational, to sampleRate: Int32, at place: String
  ) throws(MediaError) -> (from: Int32, to: Int32) {
    guard source > 0, sampleRate > 0, rate > Rational(0) else { throw MediaError(.unsupported, at: place, "has no sample rate") }
    let ratio: Rational
    do { ratio = try Rational(Int64(source)) * rate / Rational(Int64(sampleRate)) } catch {
      throw MediaError(.unsupported, at: place, "\(error)")
    }
    // A fraction of two small positive integers always exists. Without one the guard would fail, which refuses the rate.
    guard ratio <= Rational(maxRatio), let lowest = try? Rational(1, over: Int128(maxRatio)), ratio >= lowest,
      let numerator = Int64(exactly: ratio.numerator), let denominator = Int64(exactly: ratio.denominator)
    else { throw MediaError(.unsupported, at: place, "cannot be played \(rate.approximation) times as fast") }
    var (from, to): (Int32, Int32) = (0, 0)
    _ = unsafe av_reduce(&from, &to, numerator, denominator, 1 << 30)
    return (from, to)
  }
}
