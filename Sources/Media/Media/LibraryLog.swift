internal import CFFmpeg
internal import Glibc
internal import Linux
internal import Synchronization

/// FFmpeg's own warnings and errors, for who wants to read them.
package enum MediaWarnings {
  /// Writes warnings of decoders, encoders and file formats to standard error from now on, a line each. Of each kind of message the
  /// first three are written, then the tenth, the hundredth and so on with their number, so a damaged medium cannot fill a disk.
  package static func tell() { LibraryLog.tells.store(true, ordering: .relaxed) }
}

/// Takes FFmpeg's own messages.
enum LibraryLog {
  /// Whether messages are written to standard error.
  static let tells = Atomic<Bool>(false)
  /// The messages of each kind so far. A kind is known by the address of its format, a constant of FFmpeg.
  private static let counts = Mutex<[UInt: Int]>([:])

  /// Keeps FFmpeg's messages off standard error, unless somebody wants them. The first use, before a file or a codec is opened, does it
  /// once for the process. Errors come back from the calls. But a fault that a decoder or demuxer passes over is told only by a message,
  /// so messages of level "error" are counted.
  static let isQuiet: Bool = {
    // SVT-AV1 tells its settings on standard error unless this variable of its own asks for errors alone.
    unsafe setenv("SVT_LOG", "1", 0)
    unsafe av_log_set_callback { object, level, format, arguments in
      guard level <= AV_LOG_WARNING, let object = unsafe object else { return }
      if level <= AV_LOG_ERROR { unsafe FaultCount.of(object)?.note() }
      if LibraryLog.tells.load(ordering: .relaxed) {
        unsafe LibraryLog.tell(of: object, level: level, format: format, arguments: arguments)
      }
    }
    return true
  }()

  private static func tell(
    of object: UnsafeMutableRawPointer, level: Int32, format: UnsafePointer<CChar>?, arguments: CVaListPointer?
  ) {
    guard let format = unsafe format, let arguments = unsafe arguments else { return }
    let kindOfMessage = UInt(bitPattern: format)
    let count = counts.withLock { counts in
      counts[kindOfMessage, default: 0] += 1
      return counts[kindOfMessage, default: 0]
    }
    guard count <= 3 || isPowerOfTen(count) else { return }
    var (line, prefix) = ([CChar](repeating: 0, count: 1024), Int32(0))
    unsafe av_log_format_line2(object, level, format, arguments, &line, Int32(line.count), &prefix)
    let kind = unsafe object.load(as: UnsafePointer<AVClass>?.self)
    let name =
      unsafe kind?.pointee.item_name.flatMap { name in unsafe name(object) }.map { unsafe String(cString: $0) } ?? "media"
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let words = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    let times = count > 3 ? " (the \(count)th time)" : ""
    // Nobody is left to tell where standard error is closed.
    _ = SystemCall.write(Array("\(name): \(words)\(times)\n".utf8), to: 2)
  }

  private static func isPowerOfTen(_ number: Int) -> Bool {
    var number = number
    while number > 1, number % 10 == 0 { number /= 10 }
    return number == 1
  }
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
