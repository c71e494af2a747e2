package import Ledger

/// The record of what people ask of a farm, whether its database is reached (`Farm`) or a console (`RemoteFarm`).
package protocol FarmFace {
  func report(_ filter: JobFilter) throws(Complaint) -> FarmReport
  /// The jobs that the filter lets through, in the order of `report`, without forecasts.
  func jobs(_ filter: JobFilter) throws(Complaint) -> [JobStatus]
  func workers() throws(Complaint) -> [WorkerStatus]
  func report(job id: String) throws(Complaint) -> JobReport
  /// - Parameter most: the most cells of the map.
  func scene(job id: String, cells most: Int) throws(Complaint) -> JobScene
  func why(_ what: String) throws(Complaint) -> Explanation
  /// - Parameter hours: how long ago the time begins that is asked for.
  func time(hours: Int) throws(Complaint) -> FarmTime
  func history(job id: String, limit: Int) throws(Complaint) -> JobHistory
  func logs(_ request: LogRequest) throws(Complaint) -> AttemptLogs
  func audit(_ filter: AuditFilter) throws(Complaint) -> Audit
  func steer(job: String, _ steering: JobSteering) throws(Complaint) -> SteeredJob
  func chosen(by filter: JobFilter) throws(Complaint) -> [String]
  func steer(many jobs: [String], _ steering: JobSteering) throws(Complaint) -> BulkOutcome
  /// - Parameter media: how media are read where the edit is checked here.
  func submit(
    _ request: SubmitRequest, reading media: MediaAccess, warn: (FaultRecord) throws(Complaint) -> Void
  ) throws(Complaint) -> SubmittedJob
  /// - Parameter media: as of `submit`.
  func plan(_ request: SubmitRequest, reading media: MediaAccess) throws(Complaint) -> PlannedJob
  func compare(job id: String, with other: String?) throws(Complaint) -> ComparedJob
  func shares(_ request: SharesRequest) throws(Complaint) -> Shares
  func drain(_ drainage: Drainage) throws(Complaint) -> Drainage
  /// The job's attempts as trace events in JSON.
  func trace(job id: String) throws(Complaint) -> [UInt8]
  /// The job's report as HTML.
  func paper(job id: String) throws(Complaint) -> String
  func webhooks() throws(Complaint) -> Webhooks
  func change(_ webhook: Webhook, renewingSecret isRenewed: Bool) throws(Complaint) -> Webhook
  func remove(webhook: String) throws(Complaint)
  func deliveries(_ request: DeliveriesRequest) throws(Complaint) -> Deliveries
  func replay(delivery: Int64) throws(Complaint)
  func watch(_ request: WatchRequest, _ interruption: Interruption, show: (Sight) throws -> Void) throws -> [JobStatus]?
}

extension Farm: FarmFace {}
