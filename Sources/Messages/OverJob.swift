/// A job that needs nothing in the store any more.
package struct OverJob: Hashable, Sendable, Codable {
  package var id: String
  /// The absolute path of its movie; nil where the farm does not know the job: its database was restored, or the store was
  /// another farm's.
  package var output: String?

  /// Jobs in a message, and in a question to the ledger. Whoever has more tells of others the next time.
  package static let mostAtOnce = 1000

  package init(id: String, output: String?) { (self.id, self.output) = (id, output) }
}

/// What the process that sweeps a store is told, on its standard input, as one JSON line.
package struct SweepOrder: Hashable, Sendable, Codable {
  /// What to clear away; when there is none, the jobs in the store are listed.
  package var over: [OverJob]

  package init(over: [OverJob]) { self.over = over }
}
