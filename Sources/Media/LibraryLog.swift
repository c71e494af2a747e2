internal import CFFmpeg

/// FFmpeg's own messages on stderr.
enum LibraryLog {
  /// Silenced once for the process, by whoever first opens a file or a codec: what matters comes back as an error.
  static let isQuiet: Bool = {
    av_log_set_level(AV_LOG_QUIET)
    return true
  }()
}
