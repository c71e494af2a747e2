/// AAC-LC by FFmpeg's own encoder.
package struct AAC: AudioCoder {
  /// The bits per second of all channels together.
  package var bitRate: Int

  package init(bitRate: Int = 192_000) { self.bitRate = bitRate }

  /// FFmpeg's Matroska muxer states no codec delay for AAC, so that its sound would start up to 45 ms late.
  package var fileTypes: [FileType] { [.mp4, .mov, .mpegts, .cmaf, .m4a] }
  package var sampleRates: [Int32] { Self.commonRates + [64_000, 88_200, 96_000] }
  package var bitRates: ClosedRange<Int>? { 16_000...1_536_000 }
  package var mostChannels: Int { 8 }
  package var encoderName: String { "aac" }
  package func dividedBlock(sampleRate: Int32) -> Int64? { 1024 }
}
