internal import CLinux
internal import Glibc

/// Gives open descriptors, each with a name, to processes of one user that connect to a socket. Such a process can then read
/// files that another process opened and that it could not open itself.
///
/// A thread of its own serves the socket, from `init` until the process ends.
package final class DescriptorHandout {
  private let folder: Descriptor
  private let name: String

  /// The number of seconds for which a client may leave a message unread. The thread serves nobody else during that time.
  private static let sendSeconds: Int32 = 10

  /// - Parameters:
  ///   - folder: the folder of the socket. Nobody else may write to it.
  ///   - user: the user who may connect, besides root.
  ///   - named: the descriptors with their names, at most 4096 bytes each. They stay open as long as the process runs.
  package init(in folder: String, as name: String, for user: UInt32, _ named: [(name: String, descriptor: Descriptor)])
    throws(SubprocessError)
  {
    self.folder = try Descriptor.folder(folder)
    self.name = name
    let listener = unsafe spool_listen(self.folder.number, name, user)
    guard listener >= 0 else { throw SubprocessError("bind", errno, "\(folder)/\(name)") }
    let handing = Handing(listener: listener, user: user, named: named.map { (Array($0.name.utf8), $0.descriptor.release()) })
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        let handing = unsafe Unmanaged<Handing>.fromOpaque(argument!).takeRetainedValue()
        while true { handing.serve() }
      }, Unmanaged.passRetained(handing).toOpaque())
    guard code == 0 else { throw SubprocessError("pthread_create", code) }
    pthread_detach(thread)
  }

  deinit { unsafe unlinkat(folder.number, name, 0) }

  /// The state that the thread uses.
  private final class Handing {
    let listener: Int32
    let user: UInt32
    let named: [(name: [UInt8], descriptor: Int32)]

    init(listener: Int32, user: UInt32, named: [(name: [UInt8], descriptor: Int32)]) {
      (self.listener, self.user, self.named) = (listener, user, named)
    }

    /// Waits for one client and sends it all descriptors.
    func serve() {
      let taken = spool_accept(listener, user, DescriptorHandout.sendSeconds)
      guard taken >= 0 else {
        // The call can fail because this process has no descriptor left, for example. Clients go on waiting meanwhile.
        if errno != EACCES { usleep(10_000) }
        return
      }
      let line = Descriptor(owning: taken)
      for entry in named {
        // A client that has closed its end needs no more.
        guard unsafe spool_send_descriptor(line.number, entry.name, entry.name.count, entry.descriptor) == 0 else { return }
      }
    }
  }

  /// Connects to the socket and takes the descriptors, by name.
  ///
  /// - Throws: `SubprocessError`, also when no message comes for half a minute.
  package static func take(from folder: String, _ name: String) throws(SubprocessError) -> [String: Descriptor] {
    let folder = try Descriptor.folder(folder)
    let number = unsafe spool_connect(folder.number, name, 30)
    guard number >= 0 else { throw SubprocessError("connect", errno, name) }
    let line = Descriptor(owning: number)
    var named: [String: Descriptor] = [:]
    var bytes = [UInt8](repeating: 0, count: 4097)
    while true {
      var descriptor: Int32 = -1
      let count = unsafe spool_receive_descriptor(line.number, &bytes, bytes.count, &descriptor)
      let received = descriptor < 0 ? nil : Descriptor(owning: descriptor)
      guard count >= 0 else { throw SubprocessError("recvmsg", errno, name) }
      guard count > 0 else { return named }
      // The kernel drops a descriptor when this process has reached its limit of open files.
      guard let received else { throw SubprocessError("recvmsg", EMFILE, name) }
      named[String(decoding: bytes.prefix(count), as: UTF8.self)] = received
    }
  }

  /// Removes the sockets of those names that killed processes left behind.
  package static func removeLeft(in folder: String, _ names: [String]) {
    guard let folder = try? Descriptor.folder(folder) else { return }  // A folder that is missing has no sockets.
    for name in names {
      let line = unsafe spool_connect(folder.number, name, 1)
      if line >= 0 {
        close(line)
      } else if errno == ECONNREFUSED {
        unsafe unlinkat(folder.number, name, 0)
      }
    }
  }
}

extension Descriptor {
  /// Opens a folder only as a place to look names up in (O_PATH).
  fileprivate static func folder(_ path: String) throws(SubprocessError) -> Descriptor {
    // The number is O_PATH, which Glibc's Swift module does not have.
    let number = unsafe open(path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | 0o10000000)
    guard number >= 0 else { throw SubprocessError("open", errno, path) }
    return Descriptor(owning: number)
  }
}
