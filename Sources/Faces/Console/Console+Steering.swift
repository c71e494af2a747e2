internal import FoundationEssentials
internal import Ledger
internal import Messages
internal import Operations
internal import PlainText
internal import WebServer

/// A change of jobs, as a body asks for it.
private struct SteeringOrder: Keyed {
  static let keys = ["action", "level", "output", "copies", "jobs", "filter", "isPreview"]

  enum Action: String, Decodable { case cancel, pause, resume, retry, priority }

  struct Filter: Keyed {
    static let keys = ["state", "submitter", "since"]

    var state: String?
    var submitter: String?
    var since: Int?
  }

  var action: Action
  /// The new priority.
  var level: Int?
  /// The movie's new path, for a retry.
  var output: String?
  /// Its further places, beside a new path.
  var copies: [String]?
  /// The ids of the jobs.
  var jobs: [String]?
  var filter: Strict<Filter>?
  /// Whether to tell only which jobs would be changed.
  var isPreview: Bool?

  func steering() throws(Complaint) -> JobSteering {
    guard level == nil || action == .priority else { throw Complaint("level", "is for the action priority alone", .usage) }
    guard output == nil || action == .retry else { throw Complaint("output", "is for the action retry alone", .usage) }
    guard copies == nil || output != nil else { throw Complaint("copies", "are further places beside an `output`", .usage) }
    switch action {
    case .cancel: return .cancel
    case .pause: return .pause
    case .resume: return .resume
    case .retry: return .retry(output: output, copies: copies ?? [])
    case .priority:
      guard let level else { throw Complaint("level", "required, for a priority", .usage) }
      return .prioritise(level: level)
    }
  }
}

private struct ShareOrder: Keyed {
  static let keys = ["submitter", "weight", "slots", "resets", "entersNew"]

  var submitter: String
  var weight: Int?
  var slots: ShareChange.Slots?
  var resets: Bool?
  var entersNew: Bool?
}

extension Drainage: Keyed {
  static let keys = ["worker", "isDrained"]
}

extension Console {
  /// The value that a body holds.
  static func decoded<Value: Keyed>(_ call: Call, as type: Value.Type) throws(Complaint) -> Value {
    do { return try JSONDecoder().decode(Strict<Value>.self, from: Data(call.request.body)).value } catch {
      let (path, reason) = JSONWords.found(error)
      throw Complaint(path.isEmpty ? "body" : path, reason, .usage)
    }
  }

  func steer(_ call: Call) throws(Complaint) -> WebResponse {
    let order = try Self.decoded(call, as: SteeringOrder.self)
    guard order.jobs == nil, order.filter == nil, order.isPreview != true else {
      throw Complaint("body", "`jobs`, `filter` and `isPreview` are for many jobs: \(Route.api)/steering", .usage)
    }
    let (steering, id) = (try order.steering(), call.part("job"))
    return JSONBody.response(
      try changing.run(as: call.deskCaller) { farm throws(Complaint) in try farm.steer(job: id, steering) })
  }

  /// Changes all jobs that are named, or that a filter chooses. A job that refuses does not keep the others from it.
  func steerMany(_ call: Call) throws(Complaint) -> WebResponse {
    let order = try Self.decoded(call, as: SteeringOrder.self)
    let steering = try order.steering()
    let jobs = try meant(by: order)
    guard order.isPreview != true else {
      return JSONBody.response(BulkOutcome(isPreview: true, count: jobs.count, jobs: jobs))
    }
    var outcome = BulkOutcome(isPreview: false, count: 0, jobs: [])
    for first in stride(from: 0, to: jobs.count, by: Farm.mostJobsTogether) {
      let some = Array(jobs[first...].prefix(Farm.mostJobsTogether))
      // The lane is given back in between, so that others can steer meanwhile.
      outcome.add(try changing.run(as: call.deskCaller) { farm throws(Complaint) in try farm.steer(some: some, steering) })
    }
    return JSONBody.response(outcome)
  }

  private func meant(by order: SteeringOrder) throws(Complaint) -> [String] {
    switch (order.jobs, order.filter) {
    case (let jobs?, nil):
      guard jobs.count <= Farm.mostJobs else { throw Complaint("jobs", "are more than \(Farm.mostJobs)", .usage) }
      return jobs
    case (nil, let filter?):
      let wanted = filter.value
      let chosen = try Self.filter(states: wanted.state, submitter: wanted.submitter, since: wanted.since)
      return try reading.run { farm throws(Complaint) in try farm.chosen(by: chosen) }
    default: throw Complaint("jobs", "give either `jobs` or `filter`", .usage)
    }
  }

  func drain(_ call: Call) throws(Complaint) -> WebResponse {
    let drainage = try Self.decoded(call, as: Drainage.self)
    return JSONBody.response(try changing.run(as: call.deskCaller) { farm throws(Complaint) in try farm.drain(drainage) })
  }

  func changeShare(_ call: Call) throws(Complaint) -> WebResponse {
    let order = try Self.decoded(call, as: ShareOrder.self)
    var request = SharesRequest(submitter: order.submitter)
    (request.weight, request.slots) = (order.weight, order.slots)
    (request.resets, request.entersNew) = (order.resets ?? false, order.entersNew ?? false)
    return JSONBody.response(
      try changing.run(as: call.deskCaller) { [request] farm throws(Complaint) in try farm.shares(request) })
  }
}
