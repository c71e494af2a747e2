import Glibc
import Subprocess
import Testing

@Suite struct `A line for one file` {
  @Test(arguments: [0, 1, 3 << 20])
  func `the file comes with its words, however long it is`(byteCount: Int) throws {
    let (line, bytes) = (try FileLine(), [UInt8](repeating: 7, count: byteCount))
    try line.send(.memory(bytes), with: "/sys/fs/cgroup/a")
    let received = try #require(try FileLine.receive(over: line.end))
    #expect(received.words == "/sys/fs/cgroup/a")
    #expect(try received.file.contents(limit: 4 << 20) == bytes)
  }

  @Test func `words may be empty, and as long as the bound`() throws {
    for words in ["", String(repeating: "w", count: FileLine.mostWords - 1)] {
      let line = try FileLine()
      try line.send(.memory([1]), with: words)
      #expect(try FileLine.receive(over: line.end)?.words == words)
    }
  }

  @Test func `when the other end is closed, nothing comes`() throws {
    var line: FileLine? = try FileLine()
    let end = try #require(line?.end)
    line = nil
    #expect(try FileLine.receive(over: end) == nil)
  }
}
