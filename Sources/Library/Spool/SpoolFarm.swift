public import Foundation
internal import SpoolCalls

/// A farm, which is asked through the program `spool`. Anything that fails throws a `SpoolError`.
public struct SpoolFarm: Hashable, Sendable {
  /// The farm's database, as a PostgreSQL URL; nil for the one that SPOOL_DATABASE names.
  public var database: String?

  public init(database: String? = nil) { self.database = database }

  /// The wishes that go with an edit.
  public struct Wishes: Hashable, Sendable {
    /// The export preset, in place of the document's own.
    public var preset: String?
    /// Jobs with a higher number go first.
    public var priority = 0
    /// The name to submit under; nil for the user's.
    public var submitter: String?
    /// The tags that a worker must have.
    public var tags: [String] = []
    /// The number of slots to divide the edit for; nil for those that the farm has.
    public var slots: Int?
    /// Whether a file that has the movie's name is replaced.
    public var overwrites = true

    public init() {}
  }

  /// Gives an edit to the farm, without waiting for its movie.
  ///
  /// - Parameters:
  ///   - document: the file of the edit's document. It, its media and the movie have the same paths here and on the workers.
  ///   - movie: the file that will be the movie.
  public func submit(_ document: URL, to movie: URL, _ wishes: Wishes = Wishes()) async throws(SpoolError) -> SpoolJob {
    var arguments = ["submit", document.path, "-o", movie.path, "--json", "--priority=\(wishes.priority)"]
    if let preset = wishes.preset { arguments.append("--preset=\(preset)") }
    if let submitter = wishes.submitter { arguments.append("--submitter=\(submitter)") }
    for tag in wishes.tags { arguments.append("--require=\(tag)") }
    if let slots = wishes.slots { arguments.append("--slots=\(slots)") }
    if !wishes.overwrites { arguments.append("--no-overwrite") }
    // An edit that was given to a farm is named by nobody if its id is lost, so that a cancelled task waits for it.
    let submission: SpoolSubmission = try await FarmCall(arguments, on: self).answer(isCancellable: false)
    return SpoolJob(submission.job, of: self, submission)
  }

  /// A job that was submitted before.
  public func job(_ id: String) -> SpoolJob { SpoolJob(id, of: self, nil) }

  /// The farm with its workers, and the jobs that run, wait, or ended last.
  public func status() async throws(SpoolError) -> SpoolFarmStatus {
    try await FarmCall(["status", "--json"], on: self).answer()
  }

  /// Says why a job, a task or a worker waits.
  ///
  /// - Parameter what: a job's id, a task's number or a worker's name.
  public func why(_ what: String) async throws(SpoolError) -> SpoolExplanation {
    try await FarmCall(["why", "--json", "--", what], on: self).answer()
  }

  /// Compares a movie with a render of its edit by one process. It takes as long as that render.
  ///
  /// - Parameter floor: the PSNR in decibels that each frame of a lossy movie must reach; nil for the usual one.
  /// - Returns: what was found, also where the movie is not the edit.
  public func verify(_ movie: URL, against document: URL, floor: Double? = nil) async throws(SpoolError) -> SpoolVerification {
    try await FarmCall(["verify", "--json"] + Self.option(floor) + ["--", document.path, movie.path], on: self).answer(of: 1)
  }

  static func option(_ floor: Double?) -> [String] { floor.map { ["--floor", "\($0)"] } ?? [] }
}

/// A job of a farm.
public struct SpoolJob: Hashable, Sendable, Identifiable {
  public let id: String
  public let farm: SpoolFarm
  /// The farm's answer when the job was submitted; nil for a job that was submitted elsewhere.
  public let submission: SpoolSubmission?

  init(_ id: String, of farm: SpoolFarm, _ submission: SpoolSubmission?) {
    (self.id, self.farm, self.submission) = (id, farm, submission)
  }

  /// The job as it is now, with its tasks.
  public func status() async throws(SpoolError) -> SpoolJobReport {
    try await FarmCall(["status", "--json", "--", id], on: farm).answer()
  }

  /// The states of the job from now on, the last of which is its end, however it ends. A job that goes on is not touched when nobody
  /// follows it any more. Where somebody reads slowly, states between are left out.
  public func states() -> AsyncThrowingStream<SpoolJobStatus, any Error> {
    let call = FarmCall(["watch", "--json", "--", id], on: farm)
    return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(FarmCall.mostWaiting)) { states in
      let wish = CallWish()
      states.onTermination = { _ in wish.end() }
      DispatchQueue.global().async {
        var last: SpoolJobStatus?
        let failure = call.run(wish) { (status: SpoolJobStatus) in
          last = status
          states.yield(status)
        }
        // A job that failed is followed to its end as well as one that is done.
        states.finish(throwing: last?.state.isFinal ?? false ? nil : failure)
      }
    }
  }

  /// Says why the job waits.
  public func why() async throws(SpoolError) -> SpoolExplanation { try await farm.why(id) }

  /// Ends the job. Nothing of its movie is left.
  ///
  /// - Throws: an error with exit code 1 where the job had ended already.
  public func cancel() async throws(SpoolError) { try await FarmCall(["cancel", "--", id], on: farm).finish() }

  /// Compares the job's movie with a render of its edit by one process.
  public func verify(floor: Double? = nil) async throws(SpoolError) -> SpoolVerification {
    try await FarmCall(["verify", "--json"] + SpoolFarm.option(floor) + ["--", id], on: farm).answer(of: 1)
  }
}
