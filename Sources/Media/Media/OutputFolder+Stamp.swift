internal import CLinux
internal import Glibc
internal import Linux

extension OutputFolder {
  /// The mark of a file by which it is seen whether anybody has written to it (decision 0210): its number, its size, and the times
  /// of its last write and of its last change (`st_ino`, `st_size`, `st_mtim`, `st_ctim`). The last one is the kernel's own: every
  /// write, renaming and setting of times moves it on, in steps of at most 10 ms.
  ///
  /// - Returns: nil for what is no file, and on file systems that are not known to keep such times, or that keep whole seconds.
  package func stamp(of name: String) -> String? { mark(of: name)?.stamp }

  /// The mark of a file that was finished. It waits until the clock from which the kernel takes a file's times has gone on, so that every later
  /// write changes the mark: for one step, of 4 or 10 ms; for two of them where another machine has that clock.
  package func lastingStamp(of name: String) -> String? {
    guard let (stamp, changed, isFar) = mark(of: name) else { return nil }
    // The time of a file may lie ahead, as after the clock was set back. The steps of every kernel are shorter than this.
    let end = MonotonicClock.nanoseconds + 20_000_000
    var (now, pause) = (timespec(), timespec(tv_sec: 0, tv_nsec: 1_000_000))
    while MonotonicClock.nanoseconds < end {
      let isKnown = unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0
      if isKnown, !isFar, (now.tv_sec, now.tv_nsec) > (changed.tv_sec, changed.tv_nsec) { break }
      unsafe nanosleep(&pause, nil)
    }
    return stamp
  }

  /// A file's mark, the time of its last change in it, and whether another machine's clock set that.
  private func mark(of name: String) -> (stamp: String, changed: timespec, isFar: Bool)? {
    let file = open(name)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_ctim.tv_nsec != 0 else { return nil }
    let keeping = spool_keeps_change_times(file)
    guard keeping != 0 else { return nil }
    let (written, changed) = (status.st_mtim, status.st_ctim)
    let stamp = "\(status.st_ino) \(status.st_size) \(written.tv_sec).\(written.tv_nsec) \(changed.tv_sec).\(changed.tv_nsec)"
    return (stamp, changed, keeping == 2)
  }
}
