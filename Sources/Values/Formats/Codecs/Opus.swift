/// Opus by libopus, at 48 kHz, the only rate at which its files count.
package struct Opus: AudioCoder {
  /// The bits per second of all channels together.
  package var bitRate: Int

  package init(bitRate: Int = 192_000) { self.bitRate = bitRate }

  package var fileTypes: [FileType] { [.webm, .mkv, .mp4, .ogg] }
  package var sampleRates: [Int32] { [48_000] }
  package var bitRates: ClosedRange<Int>? { 6_000...510_000 }
  /// libopus takes at most 256 kbit/s a channel.
  package func bitRates(of layout: AudioCodecSettings.ChannelLayout, sampleRate: Int32) -> ClosedRange<Int>? {
    6_000...min(510_000, 256_000 * layout.channelCount)
  }
  package var mostChannels: Int { 2 }
  package var encoderName: String { "libopus" }
  package var sampleForm: SampleForm { .floats(isPlanar: false) }
  package func dividedBlock(sampleRate: Int32) -> Int64? { 960 }
}
