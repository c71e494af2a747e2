import FarmTesting
import Glibc
import Linux
import Testing

/// Calls of the system that fail or are interrupted as a test says.
@Suite struct SystemCallTests {
  /// A call that gives one result after the other, negative ones as the error of that code.
  private func giving(_ results: [Int]) -> (Int) -> Int {
    var rest = results[...]
    return { _ in
      guard let next = rest.popFirst() else { preconditionFailure("the call was made too often") }
      if next < 0 { errno = Int32(-next) }
      return next < 0 ? -1 : next
    }
  }

  @Test func `a call goes on after a signal, and from where it came to`() {
    let (count, code) = SystemCall.read(10, giving([4, -Int(EINTR), 6]))
    #expect(count == 10 && code == 0)
    #expect(SystemCall.write(10, giving([-Int(EINTR), 9, -Int(EINTR), 1])) == 0)
    var positions: [Int] = []
    _ = SystemCall.write(5) { position in
      positions.append(position)
      return 2 - position / 4
    }
    #expect(positions == [0, 2, 4])
  }

  @Test func `reading ends where no more comes, and tells an error`() {
    let (ended, failed) = (SystemCall.read(10, giving([4, 0])), SystemCall.read(10, giving([4, -Int(EIO)])))
    #expect(ended.count == 4 && ended.code == 0)
    #expect(failed.count == 4 && failed.code == EIO)
  }

  @Test func `writing tells an error, and a lack of room where no byte is taken and no error is told`() {
    #expect(SystemCall.write(10, giving([4, -Int(EIO)])) == EIO)
    #expect(SystemCall.write(10, giving([4, 0])) == ENOSPC)
    #expect(SystemCall.write(0, giving([])) == 0)
  }

  @Test func `bytes are written whole, at the end or at a place`() throws {
    let directory = TemporaryDirectory()
    let descriptor = unsafe open(directory.file("f"), O_RDWR | O_CREAT, 0o600)
    defer { close(descriptor) }
    #expect(SystemCall.write(Array("hello".utf8), to: descriptor) == 0)
    #expect(SystemCall.write(Array("LP".utf8), to: descriptor, at: 3) == 0)
    #expect(SystemCall.write(Array("!".utf8), to: descriptor) == 0)
    #expect(SystemCall.write([], to: -1) == 0)
    #expect(SystemCall.write([1], to: -1) == EBADF)
    #expect(try String(decoding: [UInt8](contentsOf: directory.file("f")), as: UTF8.self) == "helLP!")
  }
}
