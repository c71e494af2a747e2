/// A transfer that failed, after all its tries.
package struct TransferError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// Passing trouble: no answer, a broken connection, a server that is overloaded. It was tried again and may be later.
    case transient
    /// We may not: no credentials, the wrong ones, a certificate that does not hold.
    case refused
    /// There is no such thing.
    case missing
    /// It is not, or no longer, what it was expected to be.
    case changed
    /// The request or the answer makes no sense, here or anywhere.
    case invalid
    /// It is answered as a whole, where a range was asked for.
    case unranged
    /// A file of this machine cannot be read or written.
    case local
  }

  package var kind: Kind
  /// A URL, without what is secret in it.
  package var place: String
  package var reason: String
  /// Of HTTP, where there was an answer.
  package var status: Int?

  package init(_ kind: Kind, at place: String, _ reason: String, status: Int? = nil) {
    (self.kind, self.place, self.reason, self.status) = (kind, place, reason, status)
  }

  package var description: String { "\(place): \(reason)" }

  /// What an answer means that is neither success nor a redirection.
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
