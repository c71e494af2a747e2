internal import CFFmpeg
internal import Glibc
internal import Synchronization

/// Takes FFmpeg's own messages.
enum LibraryLog {
  /// Keeps FFmpeg's messages off standard error. The first use, before a file or a codec is opened, does it once for the process.
  /// Errors come back from the calls. But a fault that a decoder or demuxer passes over is told only by a message, so messages of
  /// level "error" are counted.
  static let isQuiet: Bool = {
    // SVT-AV1 tells its settings on standard error unless this variable of its own asks for errors alone.
    unsafe setenv("SVT_LOG", "1", 0)
    unsafe av_log_set_callback { object, level, _, _ in
      guard level <= AV_LOG_ERROR, let object = unsafe object else { return }
      unsafe FaultCount.of(object)?.note()
    }
    return true
  }()
}

/// Counts the faults that one decoder or demuxer found in its input. FFmpeg's own threads may use it too.
final class FaultCount: Sendable {
  private let count = Atomic<Int>(0)

  func note() { count.add(1, ordering: .relaxed) }

  /// Whether there was a fault since the last call.
  func take() -> Bool { count.exchange(0, ordering: .relaxed) > 0 }

  /// The value for a context's `opaque`. The context must not live longer than this object.
  var reference: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// The count of a context that this project made; nil for any other object of FFmpeg. Every FFmpeg object that logs begins with
  /// a pointer to its class.
  fileprivate static func of(_ object: UnsafeMutableRawPointer) -> FaultCount? {
    let kind = unsafe object.load(as: UnsafePointer<AVClass>?.self)
    let reference =
      if unsafe kind == avcodec_get_class() {
        unsafe object.assumingMemoryBound(to: AVCodecContext.self).pointee.opaque
      } else if unsafe kind == avformat_get_class() {
        unsafe object.assumingMemoryBound(to: AVFormatContext.self).pointee.opaque
      } else {
        unsafe UnsafeMutableRawPointer?.none
      }
    return unsafe reference.map { unsafe Unmanaged<FaultCount>.fromOpaque($0).takeUnretainedValue() }
  }
}
