/// An answer to a request.
package struct WebResponse: Sendable {
  package enum Body: Sendable {
    case bytes([UInt8])
    /// A stream that lasts until the client or the server ends it. The function waits for the next bytes and gives them; nil ends
    /// the stream. It waits no longer than a client may be silent, so that it notices clients that have gone.
    case stream(@Sendable () -> [UInt8]?)
    /// Bytes of an open file. The answer closes the descriptor.
    case file(Int32, Range<Int64>)
  }

  package var status: Int
  package var headers: [(name: String, value: String)]
  package var body: Body

  package init(_ status: Int, _ type: String, _ body: [UInt8], headers: [(name: String, value: String)] = []) {
    (self.status, self.body) = (status, .bytes(body))
    self.headers = [("Content-Type", type)] + headers
  }

  package init(events next: @escaping @Sendable () -> [UInt8]?) {
    (status, body) = (200, .stream(next))
    headers = [("Content-Type", "text/event-stream; charset=utf-8")]
  }

  /// - Parameter file: a descriptor, which the answer closes.
  package init(_ status: Int, _ type: String, file: Int32, _ bytes: Range<Int64>, headers: [(name: String, value: String)]) {
    (self.status, body) = (status, .file(file, bytes))
    self.headers = [("Content-Type", type)] + headers
  }

  package func with(_ name: String, _ value: String) -> WebResponse {
    var response = self
    response.headers.append((name, value))
    return response
  }

  /// The body's bytes; empty for a stream.
  package var bytes: [UInt8] { if case .bytes(let bytes) = body { bytes } else { [] } }
}
