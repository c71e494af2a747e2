internal import FoundationEssentials
internal import Glibc
internal import Ledger
internal import Linux
package import Operations
internal import PlainText
internal import Synchronization
package import WebServer

/// The farm's face for HTTP: an API, and pages that use it. It judges each request, calls operations and encodes their results.
package final class Console: Sendable {
  package struct Options: Sendable {
    /// The names by which clients may call the server, besides addresses and `localhost`.
    package var hosts: [String] = []
    /// The origins of other sites whose pages may call the API.
    package var origins: [String] = []
    package var tokens: TokenFile?
    /// The rights of a caller without a token.
    package var anyone = Role.view
    /// The folders below which movies may be read; none are served without.
    package var movieRoots: [String] = []
    /// The absolute path of the folder of segment files, of which movies are played before they are done; none are without.
    package var store: String?
    /// The folder for documents that are being read. Nobody else may enter it.
    package var folder: String

    package init(folder: String) { self.folder = folder }
  }

  let gate: Gate
  let folder: String
  let movieRoots: [String]
  let store: String?
  let media: @Sendable () -> MediaAccess
  let snapshots = Snapshots()
  let tally = RequestTally()
  let readers = Atomic(0)
  /// The edits that are read at once, each in a process of its own.
  let examinations = Atomic(0)
  let screenings = Screenings()
  let artefactNames = KeptArtefactNames()
  let shelf = PieceShelf()
  let holds = Holds()
  /// The lanes to the farm. Short reports, all tasks of a job, changes, submissions and players do not wait for each other.
  let (reading, detailing, changing): (FarmLane, FarmLane, FarmLane)
  let (submitting, playing): (FarmLane, FarmLane)

  /// - Parameters:
  ///   - database: finds the farm's database, as libpq reads it.
  ///   - media: how edits are read. It is asked for on the threads of requests.
  package init(
    _ options: Options, database: @escaping @Sendable () throws(Complaint) -> String, media: @escaping @Sendable () -> MediaAccess
  ) {
    gate = Gate(
      hosts: Set(options.hosts.map { $0.lowercased() }), origins: Set(options.origins), tokens: options.tokens,
      anyone: options.anyone)
    (folder, movieRoots, store, self.media) = (options.folder, options.movieRoots, options.store, media)
    (reading, detailing) = (FarmLane(sessions: Self.readers, database), FarmLane(sessions: Self.details, database))
    changing = FarmLane(database)
    (submitting, playing) = (FarmLane(database), FarmLane(database))
  }

  /// The sessions of reports, so that a job of 100,000 chunks does not keep the short ones waiting.
  private static let readers = 3
  /// The sessions of answers that have all tasks of a job. Each may take a second of a processor.
  private static let details = 2

  /// Ends the requests that wait for something, since the server is to stop.
  package func stop() { holds.end() }

  /// The answer to what is no valid request, or is too large.
  package static func refusal(_ status: Int, _ reason: String) -> WebResponse {
    var response = Problem(status, status == 413 ? "size" : "usage", reason).response
    response.headers += Page.protection
    return response
  }

  /// Judges the head of a request.
  ///
  /// - Returns: the answer that ends it; nil when its body may be read.
  package func admit(_ request: WebRequest) -> WebResponse? {
    do throws(Refusal) {
      _ = try passed(request)
      return nil
    } catch {
      // A refused request is no route's, so that strangers do not fill the counts of routes.
      tally.count(route: "refused", method: request.method, status: error.response.status, seconds: 0)
      return sealed(error.response, request)
    }
  }

  /// Answers a whole request.
  package func respond(_ request: WebRequest) -> WebResponse {
    let begin = MonotonicClock.nanoseconds
    func count(_ route: String, _ response: WebResponse) {
      let seconds = Double(MonotonicClock.nanoseconds - begin) / 1e9
      tally.count(route: route, method: request.method, status: response.status, seconds: seconds)
    }
    do throws(Refusal) {
      let (route, call) = try passed(request)
      guard let route else {
        let page = Page.at(request.path) ?? Self.nothing
        count("page", page)
        return sealed(page, request)
      }
      let response = answer(route, call)
      count(route.template, response)
      if request.method == "POST", route.role == .operate || route.template == "\(Route.api)/jobs" {
        writeLog(
          "event=api peer=\(request.peer) caller=\(call.caller.name ?? "-") method=POST path=\(request.path) status=\(response.status)"
        )
      }
      return sealed(response, request)
    } catch { return sealed(error.response, request) }
  }

  /// The route of a request, nil for a page, and who asks.
  private func passed(_ request: WebRequest) throws(Refusal) -> (Route?, Call) {
    let method = request.method == "HEAD" ? "GET" : request.method
    let matches = Route.all.compactMap { route in route.parts(of: request.path).map { (route: route, parts: $0) } }
    let found = matches.first { $0.route.method == method }
    let caller: Caller
    do throws(Refusal) { caller = try gate.caller(of: request, needing: found?.route.role ?? .none) } catch {
      if let known = error.caller, let found { note(refused: found.route, job: found.parts["job"], to: known, request, error) }
      throw error
    }
    let call = Call(request: request, caller: caller, parts: found?.parts ?? [:])
    if method == "OPTIONS", !gate.sharing(request).isEmpty { throw Refusal(response: Self.preflight) }
    if let found {
      let type = request.headers["content-type"]?.prefix { $0 != ";" }.lowercased()
      // A page of another site can send only other types without being asked first whether it may.
      guard method != "POST" || type == "application/json" else {
        throw Refusal(Problem(415, "usage", "the body is to be application/json"))
      }
      return (found.route, call)
    }
    guard matches.isEmpty, method == "GET" else {
      let methods = matches.isEmpty ? ["GET"] : matches.map { $0.route.method }
      let allowed = methods.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }.joined(separator: ", ")
      throw Refusal(
        response: Problem(405, "method", "the resource has other methods: \(allowed)").response.with("Allow", allowed))
    }
    return (nil, call)
  }

  /// Writes down that a caller who is known may not do what he asked for. Strangers are only counted.
  private func note(refused route: Route, job: String?, to caller: Caller, _ request: WebRequest, _ refusal: Refusal) {
    guard let verb = route.deed else { return }
    note(refused: Deed(verb, job: job), by: DeskCaller(name: caller.name, peer: request.peer), refusal.description)
  }

  func note(refused deed: Deed, by caller: DeskCaller, _ reason: String) {
    writeLog("event=refused peer=\(caller.peer ?? "-") caller=\(caller.name ?? "-") verb=\(deed.verb) reason=\"\(reason)\"")
    do throws(Complaint) {
      try changing.run(as: caller) { farm throws(Complaint) in try farm.note(refused: deed, reason) }
    } catch { writeLog("event=refusal_not_written reason=\"\(error.told.first?.text ?? "")\"") }
  }

  private func answer(_ route: Route, _ call: Call) -> WebResponse {
    do throws(Complaint) {
      try QueryNames.require(call.request.query, of: route)
      let response = try route.run(self, call)
      let tag = response.headers.first { $0.name == "ETag" }?.value
      guard let tag, call.request.headers["if-none-match"] == tag else { return response }
      if case .file(let descriptor, _) = response.body { close(descriptor) }
      return WebResponse(304, "application/json", []).with("ETag", tag)
    } catch {
      return Problem(error, isAboutBody: route.takesDocument).response
    }
  }

  /// The answer with the headers that all answers have.
  private func sealed(_ response: WebResponse, _ request: WebRequest) -> WebResponse {
    var response = response
    response.headers += Page.protection + gate.sharing(request)
    return response
  }

  static let nothing = Problem(404, "missing", "there is no such page").response

  private static let preflight = WebResponse(
    204, "text/plain", [],
    headers: [
      ("Access-Control-Allow-Methods", "GET, POST"),
      ("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID"),
      ("Access-Control-Max-Age", "600"),
    ])
}

extension Refusal {
  fileprivate init(response: WebResponse) { (self.response, description, caller) = (response, "answered", nil) }
}
