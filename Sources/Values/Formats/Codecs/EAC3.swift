/// E-AC-3 (Dolby Digital Plus) by FFmpeg's own encoder.
package struct EAC3: AudioCoder {
  /// The bits per second of all channels together.
  package var bitRate: Int

  package init(bitRate: Int = 192_000) { self.bitRate = bitRate }

  /// Matroska has no codec delay for it, and FFmpeg's `ipod` muxer has no name for it.
  package var fileTypes: [FileType] { [.mp4, .mov, .mpegts] }
  package var sampleRates: [Int32] { [32_000, 44_100, 48_000] }
  /// Above, at 32 kHz, it would make shorter blocks.
  package var bitRates: ClosedRange<Int>? { 48_000...640_000 }
  package func bitRates(of layout: AudioCodecSettings.ChannelLayout, sampleRate: Int32) -> ClosedRange<Int>? {
    max(48_000, AC3.leastBitRate(of: layout))...640_000
  }
  package var encoderName: String { "eac3" }
  package func dividedBlock(sampleRate: Int32) -> Int64? { 1536 }
}
