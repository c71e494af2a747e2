/// A request of a client. Names of headers are in lower case.
package struct WebRequest: Sendable {
  package var method: String
  /// The path with its escapes resolved. It is a name to look up, never a file's path.
  package var path: String
  package var query: [String: String]
  package var headers: [String: String]
  /// The address of the client, or of the proxy before it; empty when it is not known.
  package var peer: String
  /// The body; empty while only the head was read.
  package var body: [UInt8] = []

  package init(
    method: String, path: String, query: [String: String] = [:], headers: [String: String] = [:], peer: String = ""
  ) {
    (self.method, self.path, self.query, self.headers, self.peer) = (method, path, query, headers, peer)
  }
}
