internal import CFFmpeg
internal import Formats

extension Demuxer {
  /// The colour tags in the stream's parameters. For still pictures and motion JPEG, missing tags are filled in, since all files
  /// of these kinds have the same colours, whatever their size (docs/decisions/0029-pictures-have-the-colours-of-their-kind.md).
  func colorTags(ofTrack index: Int) -> ColorTags {
    let parameters = unsafe stream(index).pointee.codecpar.pointee
    let layout = unsafe PixelFormat(holding: AVPixelFormat(rawValue: parameters.format))?.layout
    var tags = unsafe ColorTags(
      primaries: parameters.color_primaries, transfer: parameters.color_trc, matrix: parameters.color_space,
      range: parameters.color_range, isRGB: layout == .gbr)
    // RGB samples need no such tags, wherever they come from.
    guard layout != .gbr else { return tags }
    if AssetFacts.isStillPicture(formatName) {
      if unsafe parameters.color_range == AVCOL_RANGE_UNSPECIFIED { tags.range = .full }
      return tags.filled(from: .still)
    }
    return unsafe parameters.codec_id == AV_CODEC_ID_MJPEG ? tags.filled(from: .motionJPEG) : tags
  }
}
