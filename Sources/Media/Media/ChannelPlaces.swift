internal import CFFmpeg
internal import Formats

extension AudioCodecSettings.ChannelLayout {
  /// FFmpeg's layout. It owns no memory.
  var ffmpeg: AVChannelLayout {
    var layout = unsafe AVChannelLayout()
    // This fails only for an empty mask.
    unsafe av_channel_layout_from_mask(&layout, places.reduce(0) { $0 | 1 << UInt64($1.rawValue) })
    return unsafe layout
  }

  /// Completes the layout of a file that states the number of its channels only.
  static func complete(_ layout: inout AVChannelLayout) {
    let count = unsafe layout.nb_channels
    guard let known = allCases.first(where: { $0.channelCount == count }) else {
      // A count without a usual layout leaves the places open.
      unsafe av_channel_layout_default(&layout, count)
      return
    }
    unsafe av_channel_layout_uninit(&layout)
    unsafe layout = known.ffmpeg
  }
}

extension AVChannelLayout {
  /// The layout itself where it states the places of its channels, or the usual one of so many. It owns no memory; the caller keeps this one.
  var placed: AVChannelLayout {
    if unsafe order == AV_CHANNEL_ORDER_NATIVE { return unsafe self }
    var layout = unsafe AVChannelLayout()
    unsafe layout.nb_channels = nb_channels
    unsafe AudioCodecSettings.ChannelLayout.complete(&layout)
    return unsafe layout
  }

  /// The places of the channels, in their order; nil where one of them is not stated, or no loudspeaker's.
  var places: [ChannelPlace]? {
    var layout = unsafe self
    let found = unsafe (0..<nb_channels).compactMap { index in
      ChannelPlace(rawValue: Int(unsafe av_channel_layout_channel_from_index(&layout, UInt32(index)).rawValue))
    }
    return unsafe found.count == Int(nb_channels) ? found : nil
  }
}
