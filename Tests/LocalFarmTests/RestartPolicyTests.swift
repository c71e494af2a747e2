import LocalFarm
import Testing

@Suite struct `The restart policy` {
  @Test func `the first end is followed by a start at once, later ones by doubling pauses, and then none`() {
    var policy = RestartPolicy()
    let verdicts = (0..<RestartPolicy.startLimit).map { _ in policy.ended(afterMilliseconds: 5, now: 1000) }
    #expect(
      verdicts == [1000, 1100, 1200, 1400, 1800, 2600, 4200].map { .start(atMilliseconds: $0) } + [.giveUp])
  }

  @Test func `a long life forgives the short ones before it`() {
    var policy = RestartPolicy()
    for _ in 0..<5 { _ = policy.ended(afterMilliseconds: 5, now: 0) }
    #expect(policy.ended(afterMilliseconds: RestartPolicy.longLifeMilliseconds, now: 7) == .start(atMilliseconds: 7))
  }
}
