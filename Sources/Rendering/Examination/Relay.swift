internal import Glibc
internal import Linux
internal import Subprocess
internal import Synchronization

/// Moves bytes from a contained process to whoever wants them, on a thread of its own. A reader who is slow stops the process, and
/// that does not count as its silence.
///
/// Use it from one thread, which calls `finish`.
package final class Relay {
  /// The output is closed, or full.
  package struct Lost: Error, Hashable, Sendable, CustomStringConvertible {
    let code: Int32
    package var isClosed: Bool { code == EPIPE || code == ECONNRESET }
    package var description: String { SystemWords.of(code) }
  }

  // The atomics are the only thing that both threads change.
  private final class Progress: Sendable {
    let moved = Atomic<Int64>(0)
    let isWaiting = Atomic<Bool>(false)
    let fault = Atomic<Int32>(0)
  }

  private let exit: Descriptor
  /// The end that the process writes to.
  let entrance: Descriptor
  private let progress = Progress()
  private var thread: JoinableThread<Void>?
  private var seen: Int64 = 0

  /// The most bytes that are moved at once.
  private static let blockSize = 1 << 20

  init(to output: Int32) throws(SubprocessError) {
    let (near, far) = try Descriptor.pair()
    (exit, entrance) = (near, far)
    let (source, progress) = (near.number, progress)
    thread = JoinableThread { Self.move(from: source, to: output, progress) }
  }

  private static func move(from source: Int32, to output: Int32, _ progress: Progress) {
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 64)
    defer { unsafe block.deallocate() }
    while true {
      let count = SystemCall.uninterrupted { unsafe read(source, block.baseAddress, blockSize) }
      guard count > 0 else { return }
      progress.isWaiting.store(true, ordering: .relaxed)
      let code = SystemCall.write(count) { unsafe write(output, block.baseAddress! + $0, count - $0) }
      progress.isWaiting.store(false, ordering: .relaxed)
      guard code == 0 else {
        progress.fault.store(code, ordering: .relaxed)
        return
      }
      progress.moved.add(Int64(count), ordering: .relaxed)
    }
  }

  /// - Throws: `Lost` where the output takes no more.
  func check() throws {
    let code = progress.fault.load(ordering: .relaxed)
    guard code == 0 else { throw Lost(code: code) }
  }

  /// Whether bytes were moved since the last call, or wait for a reader.
  func takeProgress() -> Bool {
    let moved = progress.moved.load(ordering: .relaxed)
    defer { seen = moved }
    return moved != seen || progress.isWaiting.load(ordering: .relaxed)
  }

  /// Waits until all bytes that were written have been moved. The process has ended before.
  ///
  /// - Throws: `Lost`.
  func finish() throws {
    // This process holds the other end, too. Now the reader sees the end behind the last byte.
    shutdown(entrance.number, Int32(SHUT_WR))
    thread.take()?.join()
    try check()
  }
}
