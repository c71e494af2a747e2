internal import Glibc

/// The time since an unsaid start, for measuring durations (CLOCK_MONOTONIC). No change of the wall clock moves it. Reading it
/// cannot fail.
package enum MonotonicClock {
  package static var nanoseconds: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  package static var milliseconds: Int64 { nanoseconds / 1_000_000 }

  package static var seconds: Double { Double(nanoseconds) / 1e9 }
}
