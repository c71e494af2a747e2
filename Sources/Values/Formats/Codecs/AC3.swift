/// AC-3 (Dolby Digital) by FFmpeg's own encoder.
package struct AC3: AudioCoder {
  /// The bits per second of all channels together.
  package var bitRate: Int

  package init(bitRate: Int = 192_000) { self.bitRate = bitRate }

  /// Matroska has no codec delay for it.
  package var fileTypes: [FileType] { [.mp4, .mov, .mpegts, .m4a] }
  package var sampleRates: [Int32] { [32_000, 44_100, 48_000] }
  package var bitRates: ClosedRange<Int>? { 32_000...640_000 }
  package var encoderName: String { "ac3" }
  package func dividedBlock(sampleRate: Int32) -> Int64? { 1536 }
}
