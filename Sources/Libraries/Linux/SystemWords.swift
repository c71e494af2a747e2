internal import Glibc

/// Words for the system's error codes. The reader knows what was to be done, but not which system call failed. The C library's
/// own words are kept where they are plain. Those that speak of calls, descriptors and devices are replaced.
package enum SystemWords {
  /// The reason that stands behind what failed, as in "cannot be opened: Permission denied". It never names a C function.
  ///
  /// - Parameter code: the value of `errno`.
  package static func of(_ code: Int32) -> String {
    switch code {
    case EAGAIN: "a limit of processes, memory or locks is reached"
    case ENOMEM: "there is not enough memory"
    case EINTR: "it was interrupted"
    case EINVAL, EFAULT: "the system does not take it"
    case EIO, EREMOTEIO: "the disk, or the server behind it, fails (input/output error)"
    case ESTALE: "the file server does not know it any more (stale file handle)"
    case ELOOP: "symbolic links lead in a circle, or one stands where none may"
    case EXDEV: "it leads to another file system, or out of its folder"
    case EMFILE: "this process has as many files open as it may (ulimit -n)"
    case ENFILE: "this machine has as many files open as it may (fs.file-max)"
    case ENOSYS: "this kernel does not offer it"
    case EOPNOTSUPP: "what it lies on does not offer it"
    case ENXIO, ENODEV: "nothing is at the other end of it"
    case EOVERFLOW: "it is too large"
    case EBADF: "it is closed"
    case EPIPE: "its reader has gone"
    case ENOEXEC: "it is no program for this machine"
    case ETXTBSY: "it is being written, or run"
    case EBUSY: "something else uses it"
    case ECHILD: "it is not a process of this one"
    case EADDRNOTAVAIL: "this machine has no such address"
    case EAFNOSUPPORT, EPROTONOSUPPORT: "this machine has no network of that kind"
    default: unsafe String(cString: strerror(code))
    }
  }
}
