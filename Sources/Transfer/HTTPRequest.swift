/// One request, as it is sent once.
package struct HTTPRequest {
  package enum Method: Hashable, Sendable {
    case get, head, delete
    /// A file's bytes, from its start; the descriptor is borrowed.
    case put(descriptor: Int32, byteCount: Int64)
  }

  package var method: Method
  package var url: String
  package var headers: [(name: String, value: String)] = []
  /// Bytes asked for; all unless given.
  package var range: Range<Int64>?
  package var signature: AWSSignature?
  /// Told, before its body, how a success begins; what it throws ends the transfer.
  package var answered: (HTTPResponse) throws(TransferError) -> Void = { _ throws(TransferError) in }
  /// Told how many bytes of a file have been handed over.
  package var sent: (Int64) -> Void = { _ in }
  /// Called at least once a second while the request is under way, whether or not anything moves; the client's bounds end it.
  package var waiting: () -> Void = {}
  /// Which addresses may be connected to.
  package var reach = Reach.everywhere

  package init(_ method: Method, _ url: String) { (self.method, self.url) = (method, url) }
}

/// What a request may connect to: by the address, whatever the name.
package enum Reach: Hashable, Sendable {
  case everywhere
  /// All but the link itself, where clouds tell machines their secrets.
  case networks
  /// What is public on the internet: neither this machine, nor private networks.
  case internet
}

/// How a request is signed (AWS Signature Version 4).
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
  /// Names in lower case; of several of one name, the last.
  package var headers: [String: String]

  package init(status: Int, headers: [String: String]) { (self.status, self.headers) = (status, headers) }

  /// Where the bytes of a range begin.
  package var rangeStart: Int64? {
    headers["content-range"].flatMap { range in
      guard range.hasPrefix("bytes ") else { return nil }
      return Int64(range.dropFirst(6).prefix { $0 != "-" })
    }
  }

  /// Of the whole thing, where the answer says it.
  package var totalByteCount: Int64? {
    if status == 206 { return headers["content-range"]?.split(separator: "/").last.flatMap { Int64($0) } }
    return headers["content-length"].flatMap { Int64($0) }
  }

  /// What names this version of the content: a strong entity tag, or else the time of the last change.
  package var version: String? {
    if let tag = headers["etag"], !tag.hasPrefix("W/") { return tag }
    return headers["last-modified"]
  }
}
