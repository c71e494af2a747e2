import Scheduling
import Testing

struct RefusedKeysTests {
  @Test func `a key is named once, then counted once a minute`() {
    var keys = RefusedKeys()
    #expect(
      keys.refused("abc", from: "192.0.2.7", now: .seconds(1))?.description == "event=refused_key key=abc address=192.0.2.7")
    for second in 2..<60 { #expect(keys.refused("abc", from: "192.0.2.8", now: .seconds(second)) == nil) }
    #expect(keys.turn(now: .seconds(59)) == nil)
    #expect(keys.turn(now: .seconds(60))?.description == "event=refused_keys refusals=58 seconds=60 last_address=192.0.2.8")
    #expect(keys.turn(now: .seconds(120)) == nil)
  }

  @Test func `of a thousand new keys a second, ten are named in a minute and the others counted`() {
    var keys = RefusedKeys()
    var named = 0
    for number in 0..<60_000 where keys.refused("key\(number)", from: "", now: .milliseconds(number)) != nil { named += 1 }
    #expect(named == 10)
    #expect(keys.turn(now: .seconds(60))?.description == "event=refused_keys refusals=59990 seconds=60 last_address=local")
    #expect(keys.refused("another", from: "", now: .seconds(61)) != nil)
  }

  @Test func `after the list has changed, a key is named again`() {
    var keys = RefusedKeys()
    #expect(keys.refused(nil, from: "", now: .zero) != nil && keys.refused(nil, from: "", now: .zero) == nil)
    keys.listChanged()
    #expect(keys.refused(nil, from: "", now: .zero)?.description == "event=refused_key key=none address=local")
  }
}
