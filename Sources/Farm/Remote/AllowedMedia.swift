package import Formats
package import Transfer

/// The URLs that media may be fetched from: those that start with one of the prefixes. Without prefixes nothing may be fetched.
package struct AllowedMedia: Hashable, Sendable {
  private let prefixes: [MediaURLPrefix]

  package init(_ prefixes: [MediaURLPrefix]) { self.prefixes = prefixes }

  /// The addresses that a request for the URL may connect to; nil when the URL is not allowed. When a prefix names the host, its
  /// address may be in a private network. When only the document names the host, its address must be on the public internet.
  package func reach(of url: MediaURL) -> Reach? {
    let covering = prefixes.filter { $0.covers(url) }
    guard !covering.isEmpty else { return nil }
    return covering.contains { $0.namesHost } ? .networks : .internet
  }
}
