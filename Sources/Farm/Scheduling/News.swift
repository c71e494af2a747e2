/// An event of a job, an attempt, a worker or the farm, whoever caused it. The coordinator that leads logs it.
package struct News: Hashable, Sendable {
  package struct Fact: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  package var event: String
  package var facts: [Fact]

  package init(_ event: String, _ facts: [Fact]) { (self.event, self.facts) = (event, facts) }

  /// The most events that one transaction takes. The next round takes more.
  package static let mostTogether = 500
}
