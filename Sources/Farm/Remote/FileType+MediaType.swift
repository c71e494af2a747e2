package import Formats

extension FileType {
  /// The media type of a file (RFC 6838), as a server states it.
  package var mediaType: String {
    switch self {
    case .mp4: "video/mp4"
    case .avi: "video/x-msvideo"
    case .mov: "video/quicktime"
    case .gif: "image/gif"
    case .apng: "image/apng"
    case .webp: "image/webp"
    // A folder is no file.
    case .cmaf, .pngSequence, .jpegSequence, .tiffSequence: "application/octet-stream"
    case .aiff: "audio/aiff"
    case .mkv: "video/x-matroska"
    case .webm: "video/webm"
    case .mxf: "application/mxf"
    case .mpegts: "video/mp2t"
    case .m4a: "audio/mp4"
    case .mp3: "audio/mpeg"
    case .wav: "audio/wav"
    case .flac: "audio/flac"
    case .ogg: "audio/ogg"
    }
  }
}
