/// MP3 by LAME.
package struct MP3: AudioCoder {
  /// The bits per second of all channels together.
  package var bitRate: Int

  package init(bitRate: Int = 192_000) { self.bitRate = bitRate }

  /// FFmpeg's Matroska muxer states no codec delay for MP3, so that its sound would start late.
  package var fileTypes: [FileType] { [.mov, .mpegts, .mp3] }
  package var sampleRates: [Int32] { Self.commonRates }
  package var bitRates: ClosedRange<Int>? { 8_000...320_000 }
  /// The bit rates are those of MPEG-1, of MPEG-2's half rates, and of the quarter rates that are called MPEG-2.5. Of all others LAME
  /// makes the nearest one.
  package func bitRates(of layout: AudioCodecSettings.ChannelLayout, sampleRate: Int32) -> ClosedRange<Int>? {
    sampleRate >= 32_000 ? 32_000...320_000 : sampleRate >= 16_000 ? 8_000...160_000 : 8_000...64_000
  }
  package var mostChannels: Int { 2 }
  package var makesNearestBitRate: Bool { true }
  package var encoderName: String { "libmp3lame" }
  /// A block uses bits that the blocks before it have left, so none stands by itself.
  package func dividedBlock(sampleRate: Int32) -> Int64? { nil }
}
