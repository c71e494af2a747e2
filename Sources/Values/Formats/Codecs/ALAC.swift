/// Apple Lossless of 24 bits.
package struct ALAC: AudioCoder {
  package init() {}

  package var fileTypes: [FileType] { [.mp4, .mov, .m4a] }
  package var sampleRates: [Int32] { Self.commonRates + [88_200, 96_000, 176_400, 192_000] }
  package var bitRates: ClosedRange<Int>? { nil }
  package var encoderName: String { "alac" }
  package var sampleForm: SampleForm { .integers(bits: 24, isPlanar: true) }
  package func dividedBlock(sampleRate: Int32) -> Int64? { 4096 }
}
