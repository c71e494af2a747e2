/// Opus by libopus, at 48 kHz, the only rate at which its files count.
package struct Opus: AudioCoder {
  /// The bits per second of all channels together.
  package var bitRate: Int

  package init(bitRate: Int = 192_000) { self.bitRate = bitRate }

  package var fileTypes: [FileType] { [.webm, .mkv, .mp4, .ogg] }
  package var sampleRates: [Int32] { [48_000] }
  package var bitRates: ClosedRange<Int>? { 6_000...1_536_000 }
  /// FFmpeg takes at most 256 kbit/s a channel, and a stream of one or two channels holds 510. More channels are several streams, of which
  /// each needs as much as mono.
  package func bitRates(of layout: AudioCodecSettings.ChannelLayout, sampleRate: Int32) -> ClosedRange<Int>? {
    let count = layout.channelCount
    return count > 2 ? 6_000 * count...min(1_536_000, 256_000 * count) : 6_000...min(510_000, 256_000 * count)
  }
  /// Its header names the loudspeakers of up to eight channels (RFC 7845, 5.1.1.2).
  package var mostChannels: Int { 8 }
  package var encoderName: String { "libopus" }
  package var sampleForm: SampleForm { .floats(isPlanar: false) }
  package func dividedBlock(sampleRate: Int32) -> Int64? { 960 }
}
