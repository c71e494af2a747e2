internal import Document
internal import EditFiles
internal import FoundationEssentials
package import Ledger
internal import Linux
internal import Messages
internal import PlainText
internal import Transfer

/// A farm behind a console, asked by its HTTP API. It belongs to one thread.
package final class RemoteFarm: FarmFace {
  private let base: String
  private let token: String?
  private let client: HTTPClient

  /// The seconds that the console may take for an answer: as long as it waits for its own clients.
  private static let patienceSeconds = 300
  /// The most bytes of an answer. The trace of a job of a hundred thousand chunks has some sixty megabytes.
  private static let longestAnswer = 256 << 20

  /// - Parameters:
  ///   - url: where the console is, such as `https://farm.example:7410`.
  ///   - token: the caller's token; nil where none is needed.
  /// - Throws: a complaint of the class `usage` about a URL that is none, or to which the token would travel for everybody to read.
  package init(url: String, token: String?) throws(Complaint) {
    let trimmed = url.hasSuffix("/") ? String(url.dropLast()) : url
    guard let parts = trimmed.wholeMatch(of: #/(https?):\/\/([^\s\/@?#]+)(?:\/[^\s?#]*)?/#) else {
      throw Complaint("SPOOL_URL", "'\(url)' is no URL of a console, such as https://farm.example:7410", .usage)
    }
    let host = parts.2.hasPrefix("[") ? parts.2.prefix { $0 != "]" }.dropFirst() : parts.2.prefix { $0 != ":" }
    guard token == nil || parts.1 == "https" || ["localhost", "127.0.0.1", "::1"].contains(String(host)) else {
      throw Complaint("SPOOL_URL", "a token is sent by https only, or to this machine", .usage)
    }
    (base, self.token) = (trimmed + "/api/v1", token)
    do { client = try HTTPClient(stallSeconds: Self.patienceSeconds) } catch { throw Complaint(url, error.reason, .unavailable) }
  }

  package func report(_ filter: JobFilter) throws(Complaint) -> FarmReport {
    var report = try get("/farm", as: FarmReport.self)
    report.jobs = try jobs(filter)
    return report
  }

  package func jobs(_ filter: JobFilter) throws(Complaint) -> [JobStatus] {
    var (jobs, cursor): ([JobStatus], String?) = ([], nil)
    repeat {
      let page = try get(
        "/jobs", filter.query + [("limit", "\(min(1000, filter.limit - jobs.count))"), ("cursor", cursor)], as: JobPage.self)
      jobs += page.jobs
      cursor = page.next
    } while cursor != nil && jobs.count < filter.limit
    return jobs
  }

  package func workers() throws(Complaint) -> [WorkerStatus] { try get("/workers", as: [WorkerStatus].self) }

  package func report(job id: String) throws(Complaint) -> JobReport {
    var report: JobReport?
    var cursor: String?
    repeat {
      let page = try get(
        "/jobs/\(Self.encoded(id))/tasks", [("limit", "\(Farm.taskPages.upperBound)"), ("cursor", cursor)], as: JobReport.self)
      cursor = page.next
      if report == nil { report = page } else { report?.tasks += page.tasks }
      report?.next = nil
    } while cursor != nil
    guard let report else { preconditionFailure("a first page was read") }
    return report
  }

  package func why(_ what: String) throws(Complaint) -> Explanation { try get("/why", [("about", what)], as: Explanation.self) }

  package func time(hours: Int) throws(Complaint) -> FarmTime { try get("/time", [("hours", "\(hours)")], as: FarmTime.self) }

  package func history(job id: String, limit: Int) throws(Complaint) -> JobHistory {
    try get("/jobs/\(Self.encoded(id))/history", [("limit", "\(limit)")], as: JobHistory.self)
  }

  package func logs(_ request: LogRequest) throws(Complaint) -> AttemptLogs {
    try get(
      "/logs", [("about", request.about), ("containing", request.words), ("limit", "\(request.limit)")], as: AttemptLogs.self)
  }

  package func audit(_ filter: AuditFilter) throws(Complaint) -> Audit {
    try get(
      "/audit",
      [
        ("job", filter.job), ("who", filter.who), ("verb", filter.verb), ("since", filter.seconds.map { "\($0 / 3600)" }),
        ("before", filter.before.map { "\($0)" }), ("limit", "\(filter.limit)"), ("refused", filter.isRefused ? "true" : nil),
      ], as: Audit.self)
  }

  package func steer(job: String, _ steering: JobSteering) throws(Complaint) -> SteeredJob {
    try post("/jobs/\(Self.encoded(job))/steering", body: Order(steering), as: SteeredJob.self)
  }

  package func chosen(by filter: JobFilter) throws(Complaint) -> [String] {
    var order = Order(.pause)
    (order.filter, order.isPreview) = (Order.Filter(filter), true)
    return try post("/steering", body: order, as: BulkOutcome.self).jobs
  }

  package func steer(many jobs: [String], _ steering: JobSteering) throws(Complaint) -> BulkOutcome {
    var order = Order(steering)
    order.jobs = jobs
    return try post("/steering", body: order, as: BulkOutcome.self)
  }

  /// The console checks the edit and its media, as it and the workers see them. So paths in the document are absolute.
  package func submit(
    _ request: SubmitRequest, reading media: MediaAccess, warn: (FaultRecord) throws(Complaint) -> Void
  ) throws(Complaint) -> SubmittedJob {
    let job = try perform(.post(document(of: request)), "/jobs", query(of: request), as: SubmittedJob.self)
    for warning in job.warnings { try warn(warning) }
    return job
  }

  package func plan(_ request: SubmitRequest, reading media: MediaAccess) throws(Complaint) -> PlannedJob {
    let query = query(of: request) + [("against", request.against)]
    return try perform(.post(document(of: request)), "/plan", query, as: PlannedJob.self)
  }

  package func compare(job id: String, with other: String?) throws(Complaint) -> ComparedJob {
    try get("/jobs/\(Self.encoded(id))/changes", [("with", other)], as: ComparedJob.self)
  }

  private func document(of request: SubmitRequest) throws(Complaint) -> [UInt8] {
    try complaining {
      let bytes = try DocumentFile.read(request.document)
      // A console takes documents alone, so what is asked for beside this one is written into it.
      guard request.wish != ExportWish() else { return bytes }
      return try DocumentFile(bytes, path: request.document).document.wishing(request.wish, fileType: nil).text
    }
  }

  private func query(of request: SubmitRequest) -> [(String, String?)] {
    func absolute(_ place: String) -> String {
      FilePath.isAbsolute(place) || place.hasPrefix("s3://") ? place : FileManager.default.currentDirectoryPath + "/" + place
    }
    // An array of texts is always encoded.
    let copies = try? JSONEncoder().encode(request.copies.map(absolute))
    return [
      ("output", request.output.isEmpty ? nil : absolute(request.output)),
      ("copies", request.copies.isEmpty ? nil : copies.map { String(decoding: $0, as: UTF8.self) }),
      ("chunkFrames", request.chunkFrames.map { "\($0)" }), ("slots", request.slots.map { "\($0)" }),
      ("memory", request.memory.map { "\($0)" }), ("priority", request.priority == 0 ? nil : "\(request.priority)"),
      ("tags", request.tags.isEmpty ? nil : request.tags.joined(separator: ",")), ("keep", "\(request.keepsSegments)"),
      ("split", "\(request.isDivisible)"), ("overwrite", "\(request.overwrites)"), ("submitter", request.submitter),
      ("replaces", request.replaces),
    ]
  }

  package func watch(
    _ request: WatchRequest, _ interruption: Interruption, show: (Sight) throws -> Void
  ) throws -> [JobStatus]? {
    try request.watch(interruption, show) {
      do throws(Complaint) { return try look(request) } catch {
        guard error.exit == .unavailable else { throw error }
        return .away(error)
      }
    }
  }

  private func look(_ request: WatchRequest) throws(Complaint) -> Sight {
    guard !request.jobs.isEmpty else { return .farm(try report(request.filter)) }
    var jobs: [JobStatus] = []
    for id in request.jobs { jobs.append(try get("/jobs/\(Self.encoded(id))", as: JobGlance.self).job) }
    return .jobs(jobs)
  }

  // MARK: The requests

  private struct JobPage: Decodable {
    let jobs: [JobStatus]
    let next: String?
  }

  private struct Order: Encodable {
    struct Filter: Encodable {
      var state: String?
      var submitter: String?
      var since: Int?

      init(_ filter: JobFilter) {
        state = filter.states.isEmpty ? nil : filter.states.map(\.rawValue).joined(separator: ",")
        (submitter, since) = (filter.submitter, filter.seconds.map { $0 / 3600 })
      }
    }

    var action: String
    var level: Int?
    var output: String?
    var copies: [String]?
    var jobs: [String]?
    var filter: Filter?
    var isPreview: Bool?

    init(_ steering: JobSteering) {
      switch steering {
      case .cancel: action = "cancel"
      case .pause: action = "pause"
      case .resume: action = "resume"
      case .prioritise(let level): (action, self.level) = ("priority", level)
      case .retry(let output, let copies):
        (action, self.output) = ("retry", output)
        self.copies = copies.isEmpty ? nil : copies
      }
    }
  }

  func get<Value: Decodable>(
    _ path: String, _ query: [(String, String?)] = [], as type: Value.Type
  ) throws(Complaint) -> Value {
    try perform(.get, path, query, as: type)
  }

  func post<Value: Decodable>(_ path: String, body: some Encodable, as type: Value.Type) throws(Complaint) -> Value {
    let bytes = try complaining { Array(try JSONEncoder().encode(body)) }
    return try perform(.post(bytes), path, [], as: type)
  }

  private func perform<Value: Decodable>(
    _ method: HTTPRequest.Method, _ path: String, _ query: [(String, String?)], as type: Value.Type
  ) throws(Complaint) -> Value {
    let bytes = try bytes(method, path, query)
    do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
      throw Complaint(base + path, "answers what this version of spool does not read: \(JSONWords.of(error))", .unavailable)
    }
  }

  /// The bytes of a successful answer.
  func bytes(
    _ method: HTTPRequest.Method, _ path: String, _ query: [(String, String?)] = []
  ) throws(Complaint) -> [UInt8] {
    let words = query.compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }.joined(separator: "&")
    var request = HTTPRequest(method, base + path + (words.isEmpty ? "" : "?" + words))
    if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
    if case .post = method { request.headers.append(("Content-Type", "application/json")) }
    var pauses = Self.mostPauses
    while true {
      var bytes: [UInt8] = []
      do throws(TransferError) {
        let response = try client.perform(request) { piece in
          bytes += piece
          return bytes.count <= Self.longestAnswer
        }
        guard response.status < 300 else {
          throw TransferError(.invalid, at: base, "it is redirected: give the console's own URL")
        }
        return bytes
      } catch {
        guard pauses > 0, Self.isBusy(error) else { throw Self.complaint(error) }
        pauses -= 1
        // Half of the pause is random, so that those who wait do not come back together.
        Retries.sleep(Int.random(in: 250...750))
      }
    }
  }

  /// How often a console that is busy is asked again: for about a minute.
  private static let mostPauses = 120

  /// Whether the console did nothing, because it reads as many edits as it may.
  private static func isBusy(_ error: TransferError) -> Bool {
    // What says no reason is no such answer.
    guard error.status == 503, let problem = try? JSONDecoder().decode(Problem.self, from: Data(error.body.utf8)) else {
      return false
    }
    return problem.type.hasSuffix(":busy")
  }

  private struct Problem: Decodable {
    let type: String
    let detail: String
    let faults: [FaultRecord]
  }

  /// The console's own words for a failure, where it gave any.
  private static func complaint(_ error: TransferError) -> Complaint {
    // What answers there may be no console, and give no reasons.
    guard let problem = try? JSONDecoder().decode(Problem.self, from: Data(error.body.utf8)) else {
      return Complaint(error.place, error.reason, error.status == nil || error.kind == .transient ? .unavailable : .usage)
    }
    let word = String(problem.type.split(separator: ":").last ?? "")
    let exit =
      ExitClass.allCases.first { $0 != .ok && $0.word == word }
      ?? (["token", "role", "origin"].contains(word) ? .notPermitted : .unavailable)
    return problem.faults.isEmpty ? Complaint(word, problem.detail, exit) : Complaint(told: problem.faults, exit)
  }

  /// The text as a part of a path or a query.
  static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}

extension JobFilter {
  fileprivate var query: [(String, String?)] {
    [
      ("state", states.isEmpty ? nil : states.map(\.rawValue).joined(separator: ",")), ("submitter", submitter),
      ("since", seconds.map { "\($0 / 3600)" }),
    ]
  }
}
