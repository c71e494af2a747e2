/// The place of a database that may be reached through a pooler which gives each transaction whichever session is free, as pgbouncer does in its
/// mode `transaction`. The place says so by `pool=transaction`, which libpq does not know.
package struct PooledURL {
  /// The place as libpq reads it.
  package let url: String
  package let isPooled: Bool

  private static let mark = "pool=transaction"

  /// The reason why a coordinator is refused there.
  package static let needsSession =
    "a coordinator listens for changes, so it needs a session of its own: give it the server's own address, without pool=transaction"

  /// - Parameter place: a connection URI or a `key=value` string.
  package init(_ place: String) {
    let forms = [
      ("?\(Self.mark)&", "?"), ("?\(Self.mark)", ""), ("&\(Self.mark)", ""), ("\(Self.mark) ", ""), (" \(Self.mark)", ""),
    ]
    let found = forms.first { place.contains($0.0) }
    url = found.map { place.replacing($0.0, with: $0.1) } ?? place
    isPooled = found != nil
  }
}
