internal import CLinux

/// The turn of this process among all that want a processor.
package enum ProcessorTurn {
  /// Has this process, and all threads that it makes from here on, run where nothing else wants to (SCHED_IDLE of sched(7)). A processor on which
  /// only such threads run is a free one to the kernel, which puts threads of others there. Where it is refused, they run as before.
  package static func comesLast() { spool_run_when_idle() }
}
