import Glibc
import Linux
import Synchronization
import Testing

/// Waits for a pipe, while another thread may send this one signals.
@Suite struct ReadinessTests {
  private let ends: [Int32]

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe pipe(&ends) == 0)
    self.ends = ends
  }

  /// Sends the calling thread a signal every few milliseconds, until the body returns.
  ///
  /// - Returns: how long the body took, in milliseconds.
  private func interrupted(_ body: () -> Void) -> Int64 {
    // The handler does nothing, but a signal that is handled interrupts poll(2).
    signal(SIGUSR2) { _ in }
    let (target, ended) = (pthread_self(), Flag())
    let sender = JoinableThread {
      while !ended.isSet {
        pthread_kill(target, SIGUSR2)
        usleep(3_000)
      }
    }
    let start = MonotonicClock.milliseconds
    body()
    let took = MonotonicClock.milliseconds - start
    ended.set()
    sender.join()
    return took
  }

  @Test func `signals neither shorten nor lengthen a wait`() {
    defer { ends.forEach { close($0) } }
    var isReadable = true
    // A wait that began anew after each signal would last as long as the signals come.
    let took = interrupted { isReadable = Readiness.canRead(ends[0], within: .milliseconds(200)) }
    #expect(!isReadable && took >= 200 && took < 20_000, "\(took) ms")
  }

  @Test func `a wait without an end lasts until there is something to read, whatever signals come`() {
    let writing = ends[1]
    let writer = JoinableThread {
      usleep(100_000)
      close(writing)
    }
    var answer: [Bool]?
    let took = interrupted { answer = Readiness.waitToRead([ends[0]], within: nil) }
    #expect(answer == [true] && took >= 90, "\(took) ms")
    writer.join()
    close(ends[0])
  }

  @Test func `each descriptor is told what it is ready for, and none is waited for where none is asked for`() {
    defer { ends.forEach { close($0) } }
    #expect(
      Readiness.wait(for: [(ends[0], .readable), (ends[1], .writable), (-1, .readable)], within: nil) == [[], .writable, []])
    #expect(Readiness.waitToRead([], within: .zero) == [])
    #expect(SystemCall.write([1], to: ends[1]) == 0)
    #expect(Readiness.canRead(ends[0]))
    #expect(Readiness.waitToRead([ends[0], -1], within: .seconds(20)) == [true, false])
    // A time that is over lets one look, too.
    #expect(Readiness.canRead(ends[0], within: .seconds(-1)))
  }

  @Test func `a wait is asked for in whole milliseconds, rounded up, and for no more than poll takes`() {
    var asked: [Int32] = []
    func wait(_ limit: Duration?) {
      _ = SystemCall.uninterrupted(within: limit) { milliseconds -> Int32 in
        asked.append(milliseconds)
        return 0
      }
    }
    for limit in [nil, .zero, .nanoseconds(1), .seconds(-5)] as [Duration?] { wait(limit) }
    #expect(asked[0] == -1 && asked[1] == 0 && (0...1).contains(asked[2]) && asked[3] == 0, "\(asked)")
    wait(.seconds(Int64.max))
    #expect(asked[4] > 1_000_000_000)
  }
}

/// A flag that one thread sets and another reads.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}
