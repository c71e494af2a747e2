/// AC-3 (Dolby Digital) by FFmpeg's own encoder.
package struct AC3: AudioCoder {
  /// The bits per second of all channels together.
  package var bitRate: Int

  package init(bitRate: Int = 192_000) { self.bitRate = bitRate }

  /// Matroska has no codec delay for it.
  package var fileTypes: [FileType] { [.mp4, .mov, .mpegts, .m4a] }
  package var sampleRates: [Int32] { [32_000, 44_100, 48_000] }
  package var bitRates: ClosedRange<Int>? { 32_000...640_000 }
  package func bitRates(of layout: AudioCodecSettings.ChannelLayout, sampleRate: Int32) -> ClosedRange<Int>? {
    Self.leastBitRate(of: layout)...640_000
  }
  /// The least bit rate at which the encoder has room in every frame. Below, it fails where sound changes much from one sixth of a frame to the
  /// next: stereo was seen to fail at 36 kbit/s, and 5.1 at 76.
  static func leastBitRate(of layout: AudioCodecSettings.ChannelLayout) -> Int {
    switch layout {
    case .mono: 32_000
    case .stereo: 48_000
    case .surround51, .surround71, .surround714: 96_000
    }
  }
  package var encoderName: String { "ac3" }
  package func dividedBlock(sampleRate: Int32) -> Int64? { 1536 }
}
