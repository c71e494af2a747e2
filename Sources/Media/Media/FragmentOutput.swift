internal import Glibc
internal import Linux

/// Collects bytes and writes them to a file that somebody else owns, from front to back. One owner, one thread.
final class FragmentOutput {
  /// The bytes that are written together.
  private static let blockSize = 1 << 20

  private let descriptor: Int32
  private var waiting: [UInt8] = []
  /// The number of bytes so far.
  private(set) var byteCount: Int64 = 0

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Adds a few bytes, which are written with the next ones.
  func append(_ bytes: [UInt8]) {
    waiting += bytes
    byteCount += Int64(bytes.count)
  }

  /// - Throws: `MediaError` `noSpace`, `cannotWrite`.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(MediaError) {
    unsafe waiting += bytes
    byteCount += Int64(bytes.count)
    if waiting.count >= Self.blockSize { try flush() }
  }

  /// - Throws: `MediaError` `noSpace`, `cannotWrite`.
  func flush() throws(MediaError) {
    let code = SystemCall.write(waiting, to: descriptor)
    guard code == 0 else { throw MediaError(-code, from: "write", at: "a fragment", while: .writing) }
    waiting.removeAll(keepingCapacity: true)
  }
}
