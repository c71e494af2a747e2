internal import Glibc

/// Threads that share the processor with others, whatever a codec's library wants.
///
/// SVT-AV1 gives the thread that opens it, and its own threads, the highest real-time priority where the user is root. All processes that the
/// thread starts inherit it. They then keep every other process of the machine from running.
enum OrdinaryPriority {
  /// Opens a codec. Threads of this process that have a real-time priority since then are given the ordinary one again.
  ///
  /// A process that was started with such a priority keeps it.
  static func keep(while open: () -> Int32) -> Int32 {
    let before = sched_getscheduler(0)
    let code = open()
    guard before == SCHED_OTHER, sched_getscheduler(0) != SCHED_OTHER else { return code }
    guard let folder = unsafe opendir("/proc/self/task") else { return code }
    defer { unsafe closedir(folder) }
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let thread = pid_t(name), sched_getscheduler(thread) == SCHED_FIFO else { continue }
      var ordinary = sched_param()
      _ = unsafe sched_setscheduler(thread, SCHED_OTHER, &ordinary)
    }
    return code
  }
}
