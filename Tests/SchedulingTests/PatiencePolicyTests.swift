import Scheduling
import Testing

struct PatiencePolicyTests {
  @Test func `what is known decides, between a least and a most`() {
    let policy = PatiencePolicy()
    let patiences = [nil, 0.01, 6, 10, 100, 1e9, .infinity].map { policy.milliseconds(expectedSeconds: $0) }
    #expect(patiences == [60_000, 20_000, 20_000, 30_000, 300_000, 600_000, 600_000])
  }

  @Test func `each stall doubles it, as far as the most`() {
    let policy = PatiencePolicy()
    #expect(
      (0...5).map { policy.milliseconds(expectedSeconds: nil, stalls: $0) } == [60, 120, 240, 480, 600, 600].map { $0 * 1000 })
    #expect(policy.milliseconds(expectedSeconds: 1, stalls: .max) == 600_000)
  }
}
