internal import CLinux
internal import Glibc

/// The descriptors of the thread that serves, kept apart from those of libzmq's threads.
///
/// All threads of a process have one table of descriptors, with one limit. Connections of strangers can fill it, and then neither the
/// list of keys could be read nor the database be reached. So the thread that reads them takes a copy of the table, without connections.
package struct OwnDescriptors {
  /// Those that the thread had before there were connections.
  private let numbers: Set<Int32>

  /// To be made before anything is bound, when all sockets have been made.
  package init() throws(ZeroMQError) { numbers = Set(try Self.open()) }

  /// Gives this thread a table of its own, with the descriptors that were there before. To be called once everything is bound: no socket that is
  /// made later works, since libzmq's threads do not have its descriptors.
  ///
  /// - Throws: where the kernel does not do that: Linux 5.9 does.
  package func separate() throws(ZeroMQError) {
    guard spool_separate_descriptors((numbers.max() ?? 2) + 1) == 0 else {
      throw ZeroMQError("close_range", "the open files of ZeroMQ")
    }
    // Connections that took numbers which were free below.
    for number in try Self.open() where !numbers.contains(number) { close(number) }
  }

  private static func open() throws(ZeroMQError) -> [Int32] {
    let path = "/proc/thread-self/fd"
    guard let folder = unsafe opendir(path) else { throw ZeroMQError("opendir", path) }
    defer { unsafe closedir(folder) }
    let own = unsafe dirfd(folder)
    var numbers: [Int32] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let number = Int32(name), number != own { numbers.append(number) }
    }
    return numbers
  }
}
