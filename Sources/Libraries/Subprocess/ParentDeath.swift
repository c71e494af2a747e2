internal import CLinux
internal import Glibc

/// Asks the kernel to send this process a signal when its parent dies, in whatever way. A `Leash` has the same purpose.
///
/// The child calls it before anything else. `parent` is the process ID that the parent gave to the child. When the parent died
/// before the call, the process gets the signal at once.
package func endWithParent(_ parent: Int32, signal: Int32 = SIGKILL) throws(SubprocessError) {
  guard spool_set_parent_death_signal(signal) == 0 else { throw SubprocessError("prctl", errno) }
  if getppid() != parent { kill(getpid(), signal) }
}
