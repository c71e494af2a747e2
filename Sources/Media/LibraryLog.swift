internal import CFFmpeg
internal import Synchronization

/// FFmpeg's own messages.
enum LibraryLog {
  /// Kept off standard error once for the process, by whoever first opens a file or a codec: what matters comes back as an error.
  /// But what a decoder or demuxer finds wrong and yet passes over, it tells in this way alone: such messages are counted.
  static let isQuiet: Bool = {
    unsafe av_log_set_callback { object, level, _, _ in
      guard level <= AV_LOG_ERROR, let object = unsafe object else { return }
      unsafe FaultCount.of(object)?.note()
    }
    return true
  }()
}

/// How often one decoder or demuxer found its input at fault. Shared with the threads that FFmpeg may run for it.
final class FaultCount: Sendable {
  private let count = Atomic<Int>(0)

  func note() { count.add(1, ordering: .relaxed) }

  /// Whether there was any since this was asked last.
  func take() -> Bool { count.exchange(0, ordering: .relaxed) > 0 }

  /// What a context's `opaque` is to hold; it must not outlive this object.
  var reference: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  /// That of a context of ours; nil for any other object of FFmpeg, all of which begin with their class.
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
