internal import Linux
internal import Messages

/// Limits progress to ten reports a second, so that a fast chunk does not flood the pipe.
struct ProgressReports {
  private static let interval: Int64 = 100_000_000

  private(set) var total: Int64
  private let report: (AttemptReport) -> Void
  private var lastNanoseconds: Int64 = .min

  init(total: Int64, _ report: @escaping (AttemptReport) -> Void) {
    (self.total, self.report) = (total, report)
  }

  mutating func advance(to done: Int64, of total: Int64? = nil) {
    self.total = total ?? self.total
    let nanoseconds = MonotonicClock.nanoseconds
    guard lastNanoseconds == .min || nanoseconds - lastNanoseconds >= Self.interval else { return }
    lastNanoseconds = nanoseconds
    report(.progress(done: done, total: self.total))
  }
}
