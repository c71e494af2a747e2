internal import Ledger
internal import Messages
internal import Operations
internal import WebServer

extension Console {
  private static let pageSizes = 1...1000
  /// The hours that `since` may have.
  static let hours = 1...87_600

  /// A page of jobs: running ones first, then waiting ones in their order, then the newest that ended.
  func jobs(_ call: Call) throws(Complaint) -> WebResponse {
    let filter = try Self.filter(
      states: call.text("state"), submitter: call.text("submitter"), since: call.integer("since", in: Self.hours))
    let size = try call.integer("limit", in: Self.pageSizes) ?? 100
    let cursor = try call.text("cursor").map { text throws(Complaint) in try Cursor(text) }
    let name = ["jobs"] + ["state", "submitter", "since", "limit", "cursor"].map { call.text($0) ?? "" }
    return try snapshots.response(name.joined(separator: "\u{0}")) { () throws(Complaint) in
      let skipped = cursor?.count ?? 0
      var asked = filter
      asked.limit = min(Farm.mostJobs, skipped + size + 1)
      let found = try reading.run { [asked] farm throws(Complaint) in try farm.report(asked).jobs }
      // Jobs move while pages are read. The job that a page ended with is looked for, and its place is taken if it has gone.
      let start =
        cursor.flatMap { cursor in found.firstIndex { $0.id == cursor.last }.map { $0 + 1 } } ?? min(skipped, found.count)
      let page = Array(found[start...].prefix(size))
      let isLast = start + page.count >= found.count
      return JSONBody.response(
        JobPage(jobs: page, next: isLast ? nil : page.last.map { Cursor(count: start + page.count, last: $0.id).text }))
    }
  }

  /// The filter that a query or a body asks for.
  ///
  /// - Parameters:
  ///   - states: names of states with commas between them.
  ///   - since: hours.
  static func filter(states: String?, submitter: String?, since: Int?) throws(Complaint) -> JobFilter {
    var chosen: [JobFilter.State] = []
    for word in (states ?? "").split(separator: ",") {
      guard let state = JobFilter.State(rawValue: String(word)) else {
        let all = JobFilter.State.allCases.map(\.rawValue).joined(separator: ", ")
        throw Complaint("state", "'\(word)' is no state: there are \(all)", .usage)
      }
      chosen.append(state)
    }
    return JobFilter(states: chosen, submitter: submitter, seconds: since.map { $0 * 3600 }, limit: Farm.mostJobs)
  }

  func job(_ call: Call) throws(Complaint) -> WebResponse {
    let id = call.part("job")
    return try snapshots.response("job\u{0}\(id)") { () throws(Complaint) in
      JSONBody.response(try reading.run { farm throws(Complaint) in try farm.glance(job: id) })
    }
  }

  /// A job with a page of its tasks, as the command line shows it.
  func tasks(_ call: Call) throws(Complaint) -> WebResponse {
    let id = call.part("job")
    let limit = try call.integer("limit", in: Farm.taskPages) ?? Farm.usualTaskPage
    let last = try call.text("cursor").map { text throws(Complaint) -> Int64 in
      guard let task = Int64(text), task > 0 else { throw Complaint("cursor", "is not one that this server gave", .usage) }
      return task
    }
    return try snapshots.response("tasks\u{0}\(id)\u{0}\(limit)\u{0}\(last ?? 0)") { () throws(Complaint) in
      JSONBody.response(try reading.run { farm throws(Complaint) in try farm.report(job: id, after: last, limit: limit) })
    }
  }

  /// A job's attempts over time as trace events.
  func trace(_ call: Call) throws(Complaint) -> WebResponse {
    let id = call.part("job")
    return WebResponse(200, "application/json", try detailing.run { farm throws(Complaint) in try farm.trace(job: id) })
  }

  /// The changes from an earlier job to this one.
  func changes(_ call: Call) throws(Complaint) -> WebResponse {
    let (id, other) = (call.part("job"), call.text("with"))
    return JSONBody.response(try submitting.run { farm throws(Complaint) in try farm.compare(job: id, with: other) })
  }

  func history(_ call: Call) throws(Complaint) -> WebResponse {
    let (id, limit) = (call.part("job"), try call.integer("limit", in: Farm.historyLimits) ?? 100)
    return try snapshots.response("history\u{0}\(id)\u{0}\(limit)") { () throws(Complaint) in
      JSONBody.response(try reading.run { farm throws(Complaint) in try farm.history(job: id, limit: limit) })
    }
  }

  func why(_ call: Call) throws(Complaint) -> WebResponse {
    guard let about = call.text("about") else { throw Complaint("about", "required: a job, a task or a worker", .usage) }
    return try snapshots.response("why\u{0}\(about)") { () throws(Complaint) in
      JSONBody.response(try detailing.run { farm throws(Complaint) in try farm.why(about) })
    }
  }

  /// All tasks of a job as columns, which are a fifth of what rows would be.
  func chunks(_ call: Call) throws(Complaint) -> WebResponse {
    let id = call.part("job")
    return try snapshots.response("chunks\u{0}\(id)") { () throws(Complaint) in
      WebResponse(
        200, "application/json", try detailing.run { farm throws(Complaint) in try farm.chunkColumns(job: id) })
    }
  }
}

/// The place in a list at which the next page begins.
private struct Cursor {
  /// The number of jobs before the page.
  let count: Int
  /// The job before the page.
  let last: String

  init(count: Int, last: String) { (self.count, self.last) = (count, last) }

  init(_ text: String) throws(Complaint) {
    let words = text.split(separator: "-").map(String.init)
    guard words.count == 2, let count = Int(words[0]), 0..<Farm.mostJobs ~= count else {
      throw Complaint("cursor", "is not one that this server gave", .usage)
    }
    self.init(count: count, last: words[1])
  }

  var text: String { "\(count)-\(last)" }
}
