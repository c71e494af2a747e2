internal import Glibc

/// What the system says of a call that failed, in words for whoever only knows what was to be done. The C library's own words stay where
/// they are plain; those that speak of calls, descriptors and devices are said in everyday ones.
package enum SystemWords {
  /// Never a function's name. It follows what could not be done: "cannot be opened: Permission denied".
  ///
  /// - Parameter code: `errno`.
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
