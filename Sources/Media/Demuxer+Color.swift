internal import CFFmpeg
internal import Timeline

extension Demuxer {
  /// As the stream's parameters tag it; what they leave unknown of a still picture or of motion JPEG is filled in, since
  /// all of a kind have the same colours, whatever their size.
  func colorTags(ofTrack index: Int) -> ColorTags {
    let parameters = unsafe stream(index).pointee.codecpar.pointee
    let layout = unsafe PixelFormat(holding: AVPixelFormat(rawValue: parameters.format))?.layout
    var tags = unsafe ColorTags(
      parameters.color_primaries, parameters.color_trc, parameters.color_space, parameters.color_range, isRGB: layout == .gbr)
    // RGB is known by its samples, wherever it comes from.
    guard layout != .gbr else { return tags }
    if AssetFacts.isStillPicture(formatName) {
      if unsafe parameters.color_range == AVCOL_RANGE_UNSPECIFIED { tags.range = .full }
      return tags.filled(from: .still)
    }
    return unsafe parameters.codec_id == AV_CODEC_ID_MJPEG ? tags.filled(from: .motionJPEG) : tags
  }
}
