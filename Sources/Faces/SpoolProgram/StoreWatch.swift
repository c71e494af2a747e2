import Console
import Glibc
import Linux
import Operations
import Scheduling
import Subprocess

/// Looks again and again whether the segment store can be used, and tells that. A store that hangs, as one of a lost network may, keeps only
/// this thread waiting: what it told is believed no longer then.
struct StoreWatch: Sendable {
  private let store: Store
  /// The seconds between two looks. Each look at a place in S3 is a request that may cost.
  private let pause: UInt32

  init(_ store: Store) {
    self.store = store
    if case .s3 = store { pause = 60 } else { pause = 5 }
  }

  /// Looks until the process ends.
  func start(telling health: HealthServer) {
    withoutSignals { _ = JoinableThread { look(telling: health) } }
  }

  private func look(telling health: HealthServer) -> Never {
    var wasUsable = true
    while true {
      let trouble = trouble
      health.tell([HealthFact("store", trouble == nil)], by: .store, for: Int64(pause) * 3000)
      if let trouble, wasUsable { writeLog("event=store_unusable reason=\"\(trouble)\"") }
      if trouble == nil, !wasUsable { writeLog("event=store_usable") }
      wasUsable = trouble == nil
      sleep(pause)
    }
  }

  /// The reason why the store cannot be used; nil when it can.
  private var trouble: String? {
    do {
      try store.requireUsable()
      guard case .directory(let path) = store else { return nil }
      var facts = statvfs()
      guard unsafe statvfs(path, &facts) == 0 else { return "\(path): \(SystemWords.of(errno))" }
      return facts.f_bavail == 0 ? "\(path): is full" : nil
    } catch { return Complaint(about: error).description }
  }
}
