/// Names container formats as people call them.
enum FormatName {
  /// - Parameter name: FFmpeg's name (`AVInputFormat.name`): one or more format names with commas between them, or a codec's name
  ///   with "_pipe".
  static func words(_ name: String) -> String {
    switch name {
    case "mov,mp4,m4a,3gp,3g2,mj2": "mp4 or mov"
    case "matroska,webm": "mkv or webm"
    case "mpegts": "an MPEG transport stream"
    case "mpeg": "an MPEG program stream"
    default: name.replacing("_pipe", with: "").replacing(",", with: " or ")
    }
  }
}
