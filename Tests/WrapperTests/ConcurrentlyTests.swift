import Linux
import Synchronization
import Testing

@Suite struct `Elements that threads share out` {
  private struct Odd: Error, Equatable { let number: Int }

  @Test(arguments: [1, 2, 3, 7, 100])
  func `give their results in order, on no more threads than may work`(threads: Int) {
    let running = Mutex((now: 0, most: 0))
    let squares = concurrently(Array(0..<50)[...], threads: threads) { number in
      running.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      defer { running.withLock { $0.now -= 1 } }
      return number * number
    }
    #expect(squares == (0..<50).map { $0 * $0 })
    #expect(running.withLock { $0.most } <= threads)
    #expect(concurrently([Int]()[...], threads: threads) { $0 } == [])
  }

  @Test(arguments: [1, 4])
  func `fail with the first error, by their order`(threads: Int) {
    #expect(throws: Odd(number: 5)) {
      try concurrently([2, 4, 5, 6, 7, 8, 9][...], threads: threads) { number in
        guard number % 2 == 0 else { throw Odd(number: number) }
        return number
      }
    }
  }
}
