internal import CLinux
internal import Glibc

/// Makes the kernel end this process when its parent dies, however it dies. A leash does so, too (`Leash`).
///
/// Called by the child first of all. `parent` is the process id that the parent gave it: when the parent died before
/// the call, the process ends at once.
package func endWithParent(_ parent: Int32, signal: Int32 = SIGKILL) throws(SubprocessError) {
  guard spool_set_parent_death_signal(signal) == 0 else { throw SubprocessError("prctl", errno) }
  if getppid() != parent { kill(getpid(), signal) }
}
