/// One HTTP request. It is sent once.
package struct HTTPRequest {
  package enum Method: Hashable, Sendable {
    case get, head, delete
    /// So many bytes of a file from `from` on. The descriptor is borrowed: the caller keeps it open and closes it.
    case put(descriptor: Int32, from: Int64 = 0, byteCount: Int64)
    case post([UInt8])
  }

  package var method: Method
  package var url: String
  package var headers: [(name: String, value: String)] = []
  /// The range of bytes that is asked for; nil for all.
  package var range: Range<Int64>?
  package var signature: AWSSignature?
  /// Called with the status and headers of a success before its first piece of body, and not at all when there is no body. An
  /// error that it throws ends the transfer.
  package var answered: (HTTPResponse) throws(TransferError) -> Void = { _ throws(TransferError) in }
  /// Called with the number of bytes of an uploaded file that libcurl has taken so far.
  package var sent: (Int64) -> Void = { _ in }
  /// Called at least once a second while the request is under way, even when nothing moves. The client's time limits still end
  /// the request.
  package var waiting: () -> Void = {}
  /// The addresses that may be connected to.
  package var reach = Reach.everywhere

  package init(_ method: Method, _ url: String) { (self.method, self.url) = (method, url) }
}

/// The addresses that a request may connect to. The address decides, whatever the host's name is.
package enum Reach: Hashable, Sendable {
  case everywhere
  /// All addresses but link-local ones, and but those where clouds give machines their secrets.
  case networks
  /// Addresses on the public internet only: neither this machine nor a private network.
  case internet
}

/// The credentials with which a request is signed (AWS Signature Version 4).
package struct AWSSignature: Hashable, Sendable {
  package var accessKey: String
  package var secretKey: String
  package var sessionToken: String?
  package var region: String

  package init(accessKey: String, secretKey: String, sessionToken: String? = nil, region: String) {
    (self.accessKey, self.secretKey, self.sessionToken, self.region) = (accessKey, secretKey, sessionToken, region)
  }
}

package struct HTTPResponse: Hashable, Sendable {
  package var status: Int
  /// The headers, with names in lower case. When several have one name, the last counts.
  package var headers: [String: String]

  package init(status: Int, headers: [String: String]) { (self.status, self.headers) = (status, headers) }

  /// The offset in bytes at which the range of a partial response begins; nil when the response does not say it.
  package var rangeStart: Int64? {
    headers["content-range"].flatMap { range in
      guard range.hasPrefix("bytes ") else { return nil }
      return Int64(range.dropFirst(6).prefix { $0 != "-" })
    }
  }

  /// The length in bytes of the whole content, where the response says it.
  package var totalByteCount: Int64? {
    if status == 206 { return headers["content-range"]?.split(separator: "/").last.flatMap { Int64($0) } }
    return headers["content-length"].flatMap { Int64($0) }
  }

  /// A name for this version of the content: a strong entity tag, or else the time of the last change.
  package var version: String? {
    if let tag = headers["etag"], !tag.hasPrefix("W/") { return tag }
    return headers["last-modified"]
  }
}
