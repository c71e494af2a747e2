internal import FoundationEssentials
package import Operations
internal import WebServer

/// A refused or failed request, as RFC 9457 gives it: `application/problem+json`.
struct Problem: Encodable {
  var type: String
  var title: String
  var status: Int
  var detail: String
  /// All faults, each with its path in the document where it has one.
  var faults: [FaultRecord]

  init(_ status: Int, _ kind: String, _ detail: String) {
    (type, title, self.status, self.detail) = ("urn:spool:problem:\(kind)", Self.title(kind), status, detail)
    faults = []
  }

  /// - Parameter isAboutBody: whether the request brings an edit. What it lacks then is a fault of the edit, not a missing resource.
  init(_ complaint: Complaint, isAboutBody: Bool) {
    self.init(complaint.exit.status(isAboutBody: isAboutBody), complaint.exit.word, complaint.told.first?.text ?? "")
    faults = complaint.told
  }

  var response: WebResponse {
    WebResponse(status, "application/problem+json", JSONBody.bytes(self))
  }

  private static func title(_ kind: String) -> String {
    switch kind {
    case "usage": "The request cannot be understood"
    case "content": "The edit cannot be rendered"
    case "missing": "There is no such thing"
    case "unavailable": "The farm cannot be reached"
    case "output": "The movie cannot be written there"
    case "permission", "role": "The caller may not do that"
    case "token": "A token is needed"
    case "origin": "The request comes from another site"
    case "method": "The method is not for this resource"
    case "busy": "The server is busy"
    case "size": "The request is too large"
    case "gone": "It was there, and is no longer"
    case "unplayable": "Players cannot take the movie in pieces"
    case "range": "The file has no such bytes"
    case "other": "The state does not allow that"
    default: "The request failed"
    }
  }
}

extension ExitClass {
  /// The status of an answer about an operation that ended so.
  ///
  /// - Parameter isAboutBody: whether the request brings an edit. What it lacks then is a fault of the edit.
  package func status(isAboutBody: Bool = false) -> Int {
    switch self {
    case .ok: 200
    case .usage: 400
    case .notPermitted: 403
    case .noInput: isAboutBody ? 422 : 404
    case .differs, .cannotCreate: 409
    case .badDocument: 422
    case .software: 500
    case .unavailable, .interrupted, .outputClosed: 503
    }
  }
}

/// Values as JSON, in one form.
enum JSONBody {
  static func bytes(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do { return Array(try encoder.encode(value)) } catch { preconditionFailure("\(type(of: value)) has no JSON: \(error)") }
  }

  static func response(_ value: some Encodable, status: Int = 200) -> WebResponse {
    WebResponse(status, "application/json", bytes(value))
  }
}
