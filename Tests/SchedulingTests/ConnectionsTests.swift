import Scheduling
import Testing

@Suite struct ConnectionsTests {
  private var connections = Connections()

  @Test mutating func `a connection that ended is its route's`() {
    #expect(connections.heard("anna", by: 7) == nil && connections.heard("ben", by: 8) == nil)
    #expect(connections.ended([8]) == ["ben"])
    #expect(connections.ended([8, 9]) == [])
    #expect(connections.ended([7]) == ["anna"])
  }

  @Test mutating func `who was heard by another connection since has not ended`() {
    #expect(connections.heard("anna", by: 7) == nil && connections.heard("anna", by: 8) == nil)
    #expect(connections.ended([7]) == [])
    #expect(connections.ended([8]) == ["anna"])
  }

  @Test mutating func `a number that is used again within a turn ends whom it belonged to, and not whose it is`() {
    #expect(connections.heard("anna", by: 7) == nil)
    #expect(connections.ended([]) == [])
    // Anna's connection ended and ben took its number. The end of each is told only afterwards.
    #expect(connections.heard("ben", by: 7) == "anna")
    #expect(connections.ended([7]) == [])
    #expect(connections.ended([7]) == ["ben"])
  }

  @Test mutating func `both ends are told in the turn in which both went`() {
    #expect(connections.heard("anna", by: 7) == nil && connections.heard("ben", by: 7) == "anna")
    #expect(connections.ended([7, 7]) == ["ben"])
  }

  @Test mutating func `last words that are read late bring nobody back`() {
    #expect(connections.heard("anna", by: 7) == nil && connections.heard("ben", by: 7) == "anna")
    #expect(connections.heard("anna", by: 7) == nil)
    #expect(connections.ended([7]) == [])
    #expect(connections.ended([7]) == ["ben"])
  }

  @Test mutating func `who moved on before the number was used again has not ended`() {
    #expect(connections.heard("anna", by: 7) == nil && connections.heard("anna", by: 9) == nil)
    #expect(connections.heard("ben", by: 7) == nil)
    #expect(connections.ended([7]) == [])
    #expect(connections.ended([9]) == ["anna"])
  }

  @Test mutating func `a number that is none says nothing`() {
    #expect(connections.heard("anna", by: -1) == nil && connections.heard("ben", by: -1) == nil)
    #expect(connections.ended([-1]) == [])
  }
}
