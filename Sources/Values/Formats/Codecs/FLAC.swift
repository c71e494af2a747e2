/// FLAC of 24 bits, which is lossless.
package struct FLAC: AudioCoder {
  package init() {}

  package var fileTypes: [FileType] { [.mkv, .flac] }
  package var sampleRates: [Int32] { Self.commonRates + [88_200, 96_000, 176_400, 192_000] }
  package var bitRates: ClosedRange<Int>? { nil }
  package var encoderName: String { "flac" }
}
