/// A container format as people call it.
enum FormatName {
  /// - Parameter name: FFmpeg's (`AVInputFormat.name`): the names of all formats that it reads alike, or of a codec and how it comes.
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
