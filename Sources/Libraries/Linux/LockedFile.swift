internal import Glibc

/// An open file on which its owner may hold a lock (flock). The lock goes with the object.
///
/// Closing the file is not enough to give the lock back. A child process that another thread starts at this moment has a copy of the
/// descriptor until its exec, and the lock belongs to all copies. So the lock is given back before the file is closed.
package final class LockedFile {
  /// The descriptor's number, valid as long as this object lives.
  package let number: Int32

  /// Takes ownership of an open descriptor, locked or not.
  package init(owning number: Int32) { self.number = number }

  deinit { Self.close(number) }

  /// Gives back the lock on an open file, and closes the file.
  ///
  /// - Parameter number: the descriptor. The caller owns it, and must not use it any more.
  package static func close(_ number: Int32) {
    _ = flock(number, LOCK_UN)
    _ = Glibc.close(number)
  }
}
