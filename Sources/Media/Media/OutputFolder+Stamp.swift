internal import CLinux
internal import Glibc
internal import Linux

extension OutputFolder {
  /// The mark of a file by which it is seen whether anybody has written to it (decision 0210): its number, its size, and the times
  /// of its last write and of its last change (`st_ino`, `st_size`, `st_mtim`, `st_ctim`). The last one is the kernel's own: every
  /// write, renaming and setting of times moves it on, in steps of at most 10 ms.
  ///
  /// - Returns: nil for what is no file, and on file systems that are not known to keep such times, or that keep whole seconds.
  package func stamp(of name: String) -> String? {
    let file = open(name)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_ctim.tv_nsec != 0,
      spool_keeps_change_times(file) != 0
    else { return nil }
    let (written, changed) = (status.st_mtim, status.st_ctim)
    return "\(status.st_ino) \(status.st_size) \(written.tv_sec).\(written.tv_nsec) \(changed.tv_sec).\(changed.tv_nsec)"
  }

  /// The mark of a file that was finished. It waits until the kernel's times have gone on, so that every later write changes the mark.
  package func lastingStamp(of name: String) -> String? {
    guard let stamp = stamp(of: name) else { return nil }
    let end = MonotonicClock.nanoseconds + 20_000_000
    var step = timespec(tv_sec: 0, tv_nsec: 5_000_000)
    while MonotonicClock.nanoseconds < end { unsafe nanosleep(&step, nil) }
    return stamp
  }
}
