internal import CEbur128
package import Formats

/// Measures the integrated loudness of sound by EBU R128 and ITU-R BS.1770-4, with libebur128. It keeps 16 bytes or so for each
/// tenth of a second, and 8 more where these are asked for. One owner, one thread.
@safe package final class LoudnessMeter {
  private var state: UnsafeMutablePointer<ebur128_state>?
  private let channelCount: Int
  /// The samples of a block, those of all channels one after another.
  private var interleaved: [Float] = []
  /// The loudness of each whole tenth of a second in LUFS, -infinity where it is silent; empty where it was not asked for.
  package private(set) var tenths: [Double] = []
  /// The samples of a tenth, and those of the last one so far; nil where tenths are not asked for.
  private let tenthLength: Int?
  private var filledLength = 0

  /// - Throws: `MediaError` `outOfMemory`.
  package init(
    sampleRate: Int32, layout: AudioCodecSettings.ChannelLayout, keepsTenths: Bool = false
  ) throws(MediaError) {
    channelCount = layout.channelCount
    tenthLength = keepsTenths ? Int(sampleRate) / 10 : nil
    unsafe state = ebur128_init(UInt32(layout.channelCount), UInt(sampleRate), Int32(EBUR128_MODE_I.rawValue))
    guard let state = unsafe state else {
      throw MediaError(.outOfMemory, at: "loudness", "there is not enough memory for its measurement")
    }
    for (index, place) in layout.measured.enumerated() {
      try check(unsafe ebur128_set_channel(state, UInt32(index), Int32(place.rawValue)))
    }
  }

  deinit { unsafe ebur128_destroy(&state) }

  /// Measures the next samples.
  ///
  /// - Parameter channels: one buffer for each channel, equally long, in the layout's order.
  package func add(_ channels: [UnsafeBufferPointer<Float>]) throws(MediaError) {
    precondition(unsafe channels.count == channelCount)
    let count = unsafe channels[0].count
    if interleaved.count < count * channelCount { interleaved = [Float](repeating: 0, count: count * channelCount) }
    for channel in 0..<channelCount {
      let samples = unsafe channels[channel]
      for index in 0..<count { interleaved[index * channelCount + channel] = unsafe samples[index] }
    }
    var start = 0
    while start < count {
      let length = min(count - start, tenthLength.map { $0 - filledLength } ?? count)
      let state = unsafe state
      let first = start * channelCount
      let code = unsafe interleaved.withUnsafeBufferPointer {
        unsafe ebur128_add_frames_float(state, $0.baseAddress! + first, length)
      }
      try check(code)
      start += length
      filledLength += length
      if filledLength == tenthLength { try endTenth() }
    }
  }

  private func endTenth() throws(MediaError) {
    filledLength = 0
    var loudness = 0.0
    try check(unsafe ebur128_loudness_window(state, 100, &loudness))
    tenths.append(loudness)
  }

  /// The integrated loudness in LUFS; nil where there is no block of 400 ms above -70 LUFS: silence, and sound that is too short.
  package var integrated: Double? {
    get throws(MediaError) {
      var loudness = 0.0
      try check(unsafe ebur128_loudness_global(state, &loudness))
      return loudness.isFinite ? loudness : nil
    }
  }

  private func check(_ code: Int32) throws(MediaError) {
    guard code == Int32(EBUR128_SUCCESS.rawValue) else {
      let isMemory = code == Int32(EBUR128_ERROR_NOMEM.rawValue)
      throw MediaError(isMemory ? .outOfMemory : .internal, at: "loudness", "libebur128 gave error \(code)")
    }
  }
}

extension AudioCodecSettings.ChannelLayout {
  /// The channels' places in BS.1770-4, by which they weigh: 1, surround channels 1.41, the LFE nothing.
  fileprivate var measured: [channel] {
    // The surround channels of 5.1 lie at 110 degrees. Beside channels at the sides they lie at 135, where BS.1770-4 weighs by 1.
    let hasSides = places.contains(.sideLeft)
    return places.map { place in
      switch place {
      case .frontLeft: EBUR128_LEFT
      case .frontRight: EBUR128_RIGHT
      case .frontCenter: EBUR128_CENTER
      case .backLeft: hasSides ? EBUR128_Mp135 : EBUR128_LEFT_SURROUND
      case .backRight: hasSides ? EBUR128_Mm135 : EBUR128_RIGHT_SURROUND
      case .sideLeft: EBUR128_Mp090
      case .sideRight: EBUR128_Mm090
      case .topFrontLeft: EBUR128_Up045
      case .topFrontRight: EBUR128_Um045
      case .topBackLeft: EBUR128_Up135
      case .topBackRight: EBUR128_Um135
      default: EBUR128_UNUSED
      }
    }
  }
}
