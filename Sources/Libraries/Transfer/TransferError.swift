/// The reason why a transfer failed.
package struct TransferError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// A problem that may pass: no response, a broken connection, an overloaded server. Trying again may help.
    case transient
    /// Access is denied: no credentials or wrong ones, an address or URL that is not allowed, or a certificate that is not valid.
    case refused
    /// The server has no such object.
    case missing
    /// The content is not, or no longer, the expected one.
    case changed
    /// The request or the response makes no sense. Another try or another machine would not help.
    case invalid
    /// The server sent the whole content when a range was asked for.
    case unranged
    /// This machine cannot do its part, for example read or write a file.
    case local
  }

  package var kind: Kind
  /// The URL without its secret parts, or the path of a file.
  package var place: String
  package var reason: String
  /// The HTTP status, where there was a response.
  package var status: Int?
  /// The beginning of the response's body, where there was a response that is no success.
  package var body = ""

  package init(_ kind: Kind, at place: String, _ reason: String, status: Int? = nil) {
    (self.kind, self.place, self.reason, self.status) = (kind, place, reason, status)
  }

  package var description: String { "\(place): \(reason)" }

  /// The error for a response that is neither a success nor a redirect.
  init(status: Int, at place: String, detail: String) {
    let kind: Kind =
      switch status {
      case 401, 403, 407: .refused
      case 404, 410: .missing
      case 412: .changed
      case 408, 409, 425, 429, 500, 502, 503, 504, 507: .transient
      default: .invalid
      }
    let words =
      switch status {
      case 404, 410: "there is no such thing there"
      case 401, 403, 407: "the server refuses it"
      case 412: "it is not what it was"
      case 416: "the server has no such part of it"
      default: kind == .transient ? "the server cannot answer now" : "the server answers what is not understood"
      }
    let detail = detail.isEmpty ? "" : ", \(detail)"
    self.init(kind, at: place, "\(words) (HTTP status \(status)\(detail))", status: status)
  }
}
