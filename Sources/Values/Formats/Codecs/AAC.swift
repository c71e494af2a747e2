/// AAC-LC by FFmpeg's own encoder.
package struct AAC: AudioCoder {
  /// The bits per second of all channels together.
  package var bitRate: Int

  package init(bitRate: Int = 192_000) { self.bitRate = bitRate }

  /// FFmpeg's Matroska muxer states no codec delay for AAC, so that its sound would start up to 45 ms late.
  package var fileTypes: [FileType] { [.mp4, .mov, .mpegts, .cmaf, .m4a] }
  package var sampleRates: [Int32] { Self.commonRates + [64_000, 88_200, 96_000] }
  package var bitRates: ClosedRange<Int>? { 16_000...1_536_000 }
  /// A block of 1024 samples has at most 6144 bits a channel (ISO/IEC 14496-3, 4.5.3.3). The encoder makes no more of a higher rate.
  package func bitRates(of layout: AudioCodecSettings.ChannelLayout, sampleRate: Int32) -> ClosedRange<Int>? {
    16_000...max(16_000, min(1_536_000, 6 * Int(sampleRate) * layout.channelCount))
  }
  package var mostChannels: Int { 8 }
  package var makesNearestBitRate: Bool { true }
  package var copiesPackets: Bool { true }
  package var encoderName: String { "aac" }
  package func dividedBlock(sampleRate: Int32) -> Int64? { 1024 }
}
