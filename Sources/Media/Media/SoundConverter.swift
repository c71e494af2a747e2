internal import CFFmpeg
package import Formats
internal import MediaTime

/// Converts planar floats of one rate and layout to another one, as sound of media is. One owner, one thread.
@safe package final class SoundConverter {
  private let frame: OwnedFrame
  private let resampler: AudioResampler
  private var queue: SampleQueue
  private let channelCount: Int
  /// The most samples of one call.
  package static let blockLength = 4096

  /// - Throws: `MediaError` `unsupported` for rates too far apart; `outOfMemory`.
  package init(
    from sourceRate: Int32, _ source: AudioCodecSettings.ChannelLayout, to sampleRate: Int32,
    _ layout: AudioCodecSettings.ChannelLayout
  ) throws(MediaError) {
    frame = try OwnedFrame()
    let raw = unsafe frame.pointer
    unsafe (raw.pointee.format, raw.pointee.nb_samples) = (AV_SAMPLE_FMT_FLTP.rawValue, Int32(Self.blockLength))
    unsafe raw.pointee.sample_rate = sourceRate
    unsafe raw.pointee.ch_layout = source.ffmpeg
    let room = unsafe av_frame_get_buffer(raw, 0)
    guard room >= 0 else { throw MediaError(room, from: "av_frame_get_buffer", at: "sound") }
    resampler = try AudioResampler(frame, rate: Rational(1), sampleRate: sampleRate, layout: layout, at: "sound")
    queue = SampleQueue(channelCount: layout.channelCount)
    channelCount = source.channelCount
  }

  /// Takes the next samples.
  ///
  /// - Precondition: there are as many channels as the source's layout has, with at most `blockLength` samples each.
  package func take(_ channels: [UnsafeBufferPointer<Float>]) throws(MediaError) {
    let count = unsafe channels[0].count
    precondition(unsafe channels.count == channelCount && count <= Self.blockLength)
    for unsafe(index, samples) in unsafe channels.enumerated() {
      // A planar frame has a plane for each channel, with room for a block.
      let plane = unsafe UnsafeMutableRawPointer(frame.pointer.pointee.extended_data[index]!)
      unsafe plane.copyMemory(from: samples.baseAddress!, byteCount: count * MemoryLayout<Float>.size)
    }
    try resampler.convert(frame, 0..<count, into: &queue)
  }

  /// Takes the end. Nothing may be taken after that.
  package func finish() throws(MediaError) { try resampler.finish(into: &queue) }

  /// Moves at most `count` samples that are ready to the start of `planes`.
  ///
  /// - Returns: their number.
  package func give(_ count: Int, into planes: [UnsafeMutableBufferPointer<Float>]) -> Int {
    unsafe queue.read(count, into: planes, at: 0)
  }
}
