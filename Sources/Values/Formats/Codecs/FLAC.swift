/// FLAC of 24 bits, which is lossless.
package struct FLAC: AudioCoder {
  package init() {}

  package var fileTypes: [FileType] { [.mkv, .flac] }
  package var sampleRates: [Int32] { Self.commonRates + [88_200, 96_000, 176_400, 192_000] }
  package var bitRates: ClosedRange<Int>? { nil }
  package var mostChannels: Int { 8 }
  package var encoderName: String { "flac" }
  /// The longest block length of FLAC's table that lasts at most 105 ms, as FFmpeg's encoder chooses it.
  package func dividedBlock(sampleRate: Int32) -> Int64? {
    let most = Int64(sampleRate) * 105 / 1000
    return [16_384, 8192, 4608, 4096, 2304, 2048, 1152, 1024, 576, 512, 256].first { $0 <= most } ?? 192
  }
}
