internal import Ledger
internal import Operations
internal import WebServer

// What the farm has written down: what attempts wrote, and who did what.
extension Console {
  /// The record of what attempts of a job or a task wrote, or one attempt.
  func logs(_ call: Call) throws(Complaint) -> WebResponse {
    guard let about = call.text("about") else { throw Complaint("about", "required: a job, a task or an attempt", .usage) }
    var request = LogRequest(about: about, words: call.text("containing"))
    request.limit = try call.integer("limit", in: LogRequest.limits) ?? request.limit
    let name = ["logs", about, request.words ?? "", "\(request.limit)"].joined(separator: "\u{0}")
    return try snapshots.response(name) { () throws(Complaint) in
      JSONBody.response(try reading.run { [request] farm throws(Complaint) in try farm.logs(request) })
    }
  }

  /// The record of who did what, in pages.
  func audit(_ call: Call) throws(Complaint) -> WebResponse {
    var filter = AuditFilter(job: call.text("job"), who: call.text("who"), verb: call.text("verb"))
    filter.seconds = try call.integer("since", in: Self.hours).map { $0 * 3600 }
    filter.before = try call.integer("before", in: 1...Int.max).map { Int64($0) }
    filter.limit = try call.integer("limit", in: Farm.auditLimits) ?? filter.limit
    filter.isRefused = try call.flag("refused", else: false)
    return JSONBody.response(try reading.run { [filter] farm throws(Complaint) in try farm.audit(filter) })
  }
}
