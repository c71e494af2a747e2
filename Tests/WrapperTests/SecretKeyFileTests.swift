import FarmTesting
import Glibc
import Synchronization
import Testing
import ZeroMQ

@Suite struct SecretKeyFileTests {
  private let directory = TemporaryDirectory()

  /// Kubernetes shows secrets in this way to a pod that does not run as root.
  @Test(
    .enabled("only root can give files away", { geteuid() == 0 }),
    arguments: [
      (0o440, 0, 0, true), (0o640, 0, 0, true), (0o400, 0, 54_321, true), (0o440, 0, 54_321, false), (0o440, 54_321, 0, false),
      (0o460, 0, 0, false), (0o450, 0, 0, false), (0o444, 0, 0, false), (0o404, 0, 0, false),
    ] as [(Int, Int, Int, Bool)])
  func `a secret key of root's may be read by a group of ours`(mode: Int, owner: Int, group: Int, isFit: Bool) throws {
    let (path, keys) = (directory.file("key"), try CurveKeyPair.generate())
    try keys.write(secretKeyFile: path)
    try #require(unsafe chown(path, uid_t(owner), gid_t(group)) == 0 && chmod(path, mode_t(mode)) == 0)
    let found = Result { try CurveKeyPair(secretKeyFile: path).public }
    #expect((try? found.get() == keys.public) ?? false == isFit)  // a refusal is looked at below
    if case .failure(let error) = found { #expect((error as? ZeroMQError)?.code == EPERM) }
  }

  @Test func `signals do not disturb the reading of a file`() throws {
    let (path, keys) = (directory.file("key"), try CurveKeyPair.generate())
    try #require(unsafe mkfifo(path, 0o600) == 0)
    // Without SA_RESTART, a signal interrupts calls that wait.
    var (action, former) = (sigaction(), sigaction())
    unsafe action.__sigaction_handler.sa_handler = { _ in }
    try #require(unsafe sigaction(SIGURG, &action, &former) == 0)
    defer { unsafe sigaction(SIGURG, &former, nil) }
    let reader = FileReader(path)
    for _ in 0..<50 { reader.interrupt() }
    // The pipe is opened as soon as the reader has it open, unless the reader has failed.
    var writer: Int32 = -1
    repeat {
      reader.interrupt()
      writer = unsafe open(path, O_WRONLY | O_NONBLOCK)
    } while writer < 0 && !reader.isOver
    for _ in 0..<50 { reader.interrupt() }
    let line = "\(keys.secret)\n"
    #expect(unsafe write(writer, line, line.utf8.count) == line.utf8.count)
    close(writer)
    #expect(try reader.result().public == keys.public)
  }

  /// Reads a secret key on a thread of its own.
  ///
  /// @unchecked: the result is read only after the thread is joined.
  private final class FileReader: @unchecked Sendable {
    private let path: String
    private var thread = pthread_t()
    private var found: Result<CurveKeyPair, any Error>?
    private let end = Atomic(false)

    var isOver: Bool { end.load(ordering: .acquiring) }

    init(_ path: String) {
      self.path = path
      let me = unsafe Unmanaged.passUnretained(self).toOpaque()
      unsafe pthread_create(
        &thread, nil,
        { opaque in
          // The test's threads may block all signals.
          var signals = sigset_t()
          unsafe sigemptyset(&signals)
          unsafe sigaddset(&signals, SIGURG)
          unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
          let reader = unsafe Unmanaged<FileReader>.fromOpaque(opaque!).takeUnretainedValue()
          reader.found = Result { try CurveKeyPair(secretKeyFile: reader.path) }
          reader.end.store(true, ordering: .releasing)
          return nil
        }, me)
    }

    func interrupt() {
      pthread_kill(thread, SIGURG)
      usleep(1000)
    }

    func result() throws -> CurveKeyPair {
      pthread_join(thread, nil)
      return try #require(found).get()
    }
  }
}
