internal import CFFmpeg
internal import Timeline

/// How source channels become output channels, when they differ.
///
/// | from | to | output |
/// |---|---|---|
/// | mono | stereo | both at unity |
/// | mono | 5.1 | centre at unity |
/// | stereo | mono | 1/2 (L + R) |
/// | stereo | 5.1 | L and R at unity, the rest silent |
/// | 5.1 and the like | stereo | L + 0.7071 C + 0.7071 Ls, R + 0.7071 C + 0.7071 Rs (ITU-R BS.775); no LFE |
///
/// Everything else is libswresample's own matrix for the two layouts. Nothing is scaled down against overload: samples are
/// float, and the mix decides about levels.
enum ChannelMatrix {
  /// Output rows of input coefficients where libswresample's own matrix is not the one above; nil where it is.
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
  /// FFmpeg's layout; 5.1 is L, R, C, LFE, back left, back right, as encoders have it.
  var ffmpeg: AVChannelLayout {
    var layout = unsafe AVChannelLayout()
    // Fails only for counts without a standard layout.
    unsafe av_channel_layout_default(&layout, Int32(channelCount))
    return unsafe layout
  }
}
