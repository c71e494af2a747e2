internal import CFFmpeg
internal import Formats

/// The mix of source channels into output channels, where the two layouts differ.
///
/// | from | to | output |
/// |---|---|---|
/// | mono | stereo | both at unity |
/// | mono | 5.1 | centre at unity |
/// | stereo | mono | 1/2 (L + R) |
/// | stereo | 5.1 | L and R at unity, the rest silent |
/// | 5.1 and the like | stereo | L + 0.7071 C + 0.7071 Ls, R + 0.7071 C + 0.7071 Rs (ITU-R BS.775); no LFE |
///
/// libswresample's own matrix serves for all other pairs of layouts. Nothing is scaled down against overload: samples are float,
/// and levels are decided when tracks are mixed.
enum ChannelMatrix {
  /// The coefficients for each output channel, one row after another, where libswresample's own matrix differs from the table
  /// above; nil where it does not.
  static func coefficients(from channelCount: Int, to layout: AudioCodecSettings.ChannelLayout) -> [Double]? {
    switch (channelCount, layout) {
    case (1, .mono): nil
    case (1, .stereo): [1, 1]
    case (1, .surround51): [0, 0, 1, 0, 0, 0]
    case (2, .mono): [0.5, 0.5]
    default: nil
    }
  }
}

extension AudioCodecSettings.ChannelLayout {
  /// FFmpeg's layout. For 5.1 its channels are L, R, C, LFE, back left, back right, as encoders expect.
  var ffmpeg: AVChannelLayout {
    var layout = unsafe AVChannelLayout()
    // This fails only for channel counts without a standard layout.
    unsafe av_channel_layout_default(&layout, Int32(channelCount))
    return unsafe layout
  }
}
