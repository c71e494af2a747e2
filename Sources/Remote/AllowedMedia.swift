package import Timeline
package import Transfer

/// Which URLs media are fetched from: those that prefixes name, and nothing without.
package struct AllowedMedia: Hashable, Sendable {
  private let prefixes: [MediaURLPrefix]

  package init(_ prefixes: [MediaURLPrefix]) { self.prefixes = prefixes }

  /// What a request for a URL may connect to; nil where the URL is not allowed. Who allows a host by its name knows where that is; a
  /// host that only the document names must be on the internet.
  package func reach(of url: MediaURL) -> Reach? {
    let covering = prefixes.filter { $0.covers(url) }
    guard !covering.isEmpty else { return nil }
    return covering.contains { $0.namesHost } ? .networks : .internet
  }
}
