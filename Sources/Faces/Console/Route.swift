internal import Ledger
internal import Operations
internal import WebServer

/// A request on its way to its answer.
struct Call {
  let request: WebRequest
  let caller: Caller
  /// The parts of the path that a route names, such as `job`.
  let parts: [String: String]

  /// The caller as the audit has it.
  var deskCaller: DeskCaller { DeskCaller(name: caller.name, peer: request.peer) }

  func part(_ name: String) -> String { parts[name] ?? "" }

  /// A number of the query.
  ///
  /// - Throws: a complaint of the class `usage` when it is not a whole number of the range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(Complaint) -> Int? {
    guard let text = request.query[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Complaint(name, "is to be a whole number from \(range.lowerBound) to \(range.upperBound)", .usage)
    }
    return number
  }

  func flag(_ name: String, else standard: Bool) throws(Complaint) -> Bool {
    guard let text = request.query[name] else { return standard }
    guard let flag = Bool(text) else { throw Complaint(name, "is to be true or false", .usage) }
    return flag
  }

  func text(_ name: String) -> String? { request.query[name].flatMap { $0.isEmpty ? nil : $0 } }
}

/// A resource and a method of it.
package struct Route: Sendable {
  package let method: String
  /// The path, in which `{name}` stands for any one part.
  package let template: String
  package let role: Role
  let run: @Sendable (Console, Call) throws(Complaint) -> WebResponse

  init(
    _ method: String, _ template: String, for role: Role,
    run: @escaping @Sendable (Console, Call) throws(Complaint) -> WebResponse
  ) {
    (self.method, self.template, self.role, self.run) = (method, template, role, run)
  }

  /// The named parts of a path; nil when the path is not this route's.
  func parts(of path: String) -> [String: String]? {
    let (asked, own) = (
      path.split(separator: "/", omittingEmptySubsequences: false),
      template.split(
        separator: "/", omittingEmptySubsequences: false)
    )
    guard asked.count == own.count else { return nil }
    var parts: [String: String] = [:]
    for (given, wanted) in zip(asked, own) {
      if wanted.hasPrefix("{") {
        guard !given.isEmpty else { return nil }
        parts[String(wanted.dropFirst().dropLast())] = String(given)
      } else if given != wanted {
        return nil
      }
    }
    return parts
  }

  /// The verb in the audit of a request that changes something; nil for all others. What a change of jobs does is in its body.
  var deed: String? {
    guard method == "POST" else { return nil }
    return switch template {
    case "\(Self.api)/jobs": "submit"
    case "\(Self.api)/jobs/{job}/steering", "\(Self.api)/steering": "steer"
    case "\(Self.api)/drainage": "drain"
    case "\(Self.api)/shares": "share"
    case "\(Self.api)/webhooks", "\(Self.api)/webhooks/removal": "webhook"
    case "\(Self.api)/deliveries/replay": "replay"
    default: nil
    }
  }

  /// Whether its requests bring an edit.
  var takesDocument: Bool { template == "/api/v1/jobs" || template == "/api/v1/plan" || template.hasPrefix("/api/v1/documents") }

  /// The prefix of the API's routes.
  static let api = "/api/v1"

  /// All routes of the API. The file openapi.json describes the same ones.
  package static let all: [Route] = [
    Route("GET", "/healthz", for: .none) { _, _ in WebResponse(200, "text/plain; charset=utf-8", Array("ok\n".utf8)) },
    Route("GET", "/readyz", for: .none) { console, _ throws(Complaint) in try console.readiness() },
    Route("GET", "/metrics", for: .view) { console, _ in console.metrics() },
    Route("GET", "/api/openapi.json", for: .none) { _, _ in Page.description },
    Route("GET", "\(api)/self", for: .none) { console, call in JSONBody.response(console.identity(of: call.caller)) },
    Route("GET", "\(api)/farm", for: .view) { console, _ throws(Complaint) in try console.farm() },
    Route("GET", "\(api)/events", for: .view) { console, call throws(Complaint) in try console.events(call) },
    Route("GET", "\(api)/workers", for: .view) { console, _ throws(Complaint) in try console.workers() },
    Route("GET", "\(api)/jobs", for: .view) { console, call throws(Complaint) in try console.jobs(call) },
    Route("GET", "\(api)/jobs/{job}", for: .view) { console, call throws(Complaint) in try console.job(call) },
    Route("GET", "\(api)/jobs/{job}/tasks", for: .view) { console, call throws(Complaint) in try console.tasks(call) },
    Route("GET", "\(api)/jobs/{job}/chunks", for: .view) { console, call throws(Complaint) in try console.chunks(call) },
    Route("GET", "\(api)/jobs/{job}/history", for: .view) { console, call throws(Complaint) in try console.history(call) },
    Route("GET", "\(api)/jobs/{job}/report", for: .view) { console, call throws(Complaint) in try console.report(call) },
    Route("GET", "\(api)/jobs/{job}/changes", for: .submit) { console, call throws(Complaint) in try console.changes(call) },
    Route("GET", "\(api)/jobs/{job}/trace", for: .view) { console, call throws(Complaint) in try console.trace(call) },
    Route("GET", "\(api)/jobs/{job}/movie", for: .submit) { console, call throws(Complaint) in try console.movie(call) },
    Route("GET", "\(api)/jobs/{job}/artefacts", for: .submit) { console, call throws(Complaint) in try console.artefacts(call) },
    Route("GET", "\(api)/jobs/{job}/artefacts/{name}", for: .submit) { console, call throws(Complaint) in
      try console.artefact(call)
    },
    Route("GET", "\(api)/jobs/{job}/artefacts/{folder}/{name}", for: .submit) { console, call throws(Complaint) in
      try console.artefactInFolder(call)
    },
    Route("GET", "\(api)/jobs/{job}/play.m3u8", for: .submit) { console, call throws(Complaint) in try console.play(call) },
    Route("GET", "\(api)/jobs/{job}/play/{file}", for: .submit) { console, call throws(Complaint) in try console.playFile(call) },
    Route("GET", "\(api)/jobs/{job}/play/{track}/{piece}", for: .submit) { console, call throws(Complaint) in
      try console.playPiece(call)
    },
    Route("GET", "\(api)/jobs/{job}/frame", for: .submit) { console, call throws(Complaint) in try console.frameOfJob(call) },
    Route("GET", "\(api)/jobs/{job}/contact-sheet", for: .submit) { console, call throws(Complaint) in
      try console.contactSheetOfJob(call)
    },
    Route("GET", "\(api)/why", for: .view) { console, call throws(Complaint) in try console.why(call) },
    Route("GET", "\(api)/time", for: .view) { console, call throws(Complaint) in try console.time(call) },
    Route("GET", "\(api)/logs", for: .view) { console, call throws(Complaint) in try console.logs(call) },
    Route("GET", "\(api)/audit", for: .view) { console, call throws(Complaint) in try console.audit(call) },
    Route("GET", "\(api)/shares", for: .view) { console, call throws(Complaint) in try console.shares(call) },
    Route("POST", "\(api)/documents/validate", for: .submit) { console, call throws(Complaint) in try console.validate(call) },
    Route("POST", "\(api)/documents/frame", for: .submit) { console, call throws(Complaint) in try console.frame(call) },
    Route("POST", "\(api)/documents/contact-sheet", for: .submit) { console, call throws(Complaint) in
      try console.contactSheet(call)
    },
    Route("POST", "\(api)/plan", for: .submit) { console, call throws(Complaint) in try console.plan(call) },
    Route("POST", "\(api)/jobs", for: .submit) { console, call throws(Complaint) in try console.submit(call) },
    Route("POST", "\(api)/jobs/{job}/steering", for: .operate) { console, call throws(Complaint) in try console.steer(call) },
    Route("POST", "\(api)/steering", for: .operate) { console, call throws(Complaint) in try console.steerMany(call) },
    Route("GET", "\(api)/webhooks", for: .operate) { console, _ throws(Complaint) in try console.webhooks() },
    Route("POST", "\(api)/webhooks", for: .operate) { console, call throws(Complaint) in try console.changeWebhook(call) },
    Route("POST", "\(api)/webhooks/removal", for: .operate) { console, call throws(Complaint) in try console.removeWebhook(call)
    },
    Route("GET", "\(api)/deliveries", for: .operate) { console, call throws(Complaint) in try console.deliveries(call) },
    Route("POST", "\(api)/deliveries/replay", for: .operate) { console, call throws(Complaint) in try console.replay(call) },
    Route("POST", "\(api)/drainage", for: .operate) { console, call throws(Complaint) in try console.drain(call) },
    Route("POST", "\(api)/shares", for: .operate) { console, call throws(Complaint) in try console.changeShare(call) },
  ]
}
