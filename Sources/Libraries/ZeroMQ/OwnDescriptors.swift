internal import CLinux
internal import Glibc

/// The descriptors of the thread that serves, kept apart from those of libzmq's threads.
///
/// All threads of a process share one table of descriptors with one limit. Connections of strangers can fill it. Then neither the
/// list of keys could be read nor the database reached. So the serving thread takes a copy of the table without the connections.
package struct OwnDescriptors {
  /// The descriptors that the thread had before there were connections.
  private let numbers: Set<Int32>

  /// Notes the open descriptors. Call it when all sockets have been made, and before any is bound.
  package init() throws(ZeroMQError) { numbers = Set(try Self.open()) }

  /// Gives this thread a descriptor table of its own, with the descriptors that were noted. Call it once everything is bound.
  /// Sockets that are made later do not work, because libzmq's threads do not have their descriptors.
  ///
  /// - Throws: when the kernel cannot do it; Linux can from 5.9 on.
  package func separate() throws(ZeroMQError) {
    guard spool_separate_descriptors((numbers.max() ?? 2) + 1) == 0 else {
      throw ZeroMQError("close_range", "the open files of ZeroMQ")
    }
    // Connections may have taken free numbers below the highest noted one.
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
