/// Samples of 24 bits as they are, little-endian.
package struct PCM: AudioCoder {
  package init() {}

  package var fileTypes: [FileType] { [.mov, .mkv] }
  package var sampleRates: [Int32] { Self.commonRates + [88_200, 96_000, 176_400, 192_000] }
  package var bitRates: ClosedRange<Int>? { nil }
  package var encoderName: String { "pcm_s24le" }
}
