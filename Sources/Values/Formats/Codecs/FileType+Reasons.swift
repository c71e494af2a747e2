/// The reasons for which pairs of a file type and a codec are not made, although their specifications allow them, or files of them are seen.
extension FileType {
  /// The reason for which sound of a codec is not written into it; nil where the type has no such sound, or holds it.
  package func reason(against codec: AudioCodec) -> String? {
    guard !codec.fileTypes.contains(self) else { return nil }
    return switch (self, codec) {
    case (.mkv, .aac), (.mkv, .mp3), (.mkv, .ac3), (.mkv, .eac3):
      "FFmpeg does not write there how much of the sound is priming, so it would start late"
    case (.avi, .aac), (.avi, .mp3), (.avi, .ac3): "it does not say how much of the sound is priming"
    case (.mp4, .flac): "few players play it there"
    case (.m4a, .eac3): "FFmpeg has no name for it there"
    default: nil
    }
  }

  /// The reason for which pictures of a codec are not written into it; nil where the type has no such pictures, or holds them.
  package func reason(against codec: VideoCodec) -> String? {
    guard !codec.fileTypes.contains(self) else { return nil }
    return switch (self, codec) {
    case (.avi, .h264): "it keeps no times, so pictures that come in another order than they are shown would stand at wrong ones"
    case (.avi, .ffv1): "neither says which colours its codes are"
    case (.mxf, .h264): "FFmpeg does not write there in which order its pictures are shown"
    default: nil
    }
  }
}
