internal import Ledger
internal import Linux
internal import Operations
internal import Synchronization
internal import WebServer

/// The farm and this console in numbers, for Prometheus (docs/metrics.md).
extension Console {
  /// A metric of the farm, by the name that its measure has in the ledger.
  private struct Metric {
    let measure: String
    let name: String
    let help: String
    var labels: [String] = []
  }

  private static let farmMetrics = [
    Metric(measure: "led", name: "spool_farm_led", help: "Whether a coordinator leads and lives: 1 or 0."),
    Metric(
      measure: "term", name: "spool_farm_term",
      help: "The number of the leader's term, which grows with each change of the leader."),
    Metric(measure: "leader_silence", name: "spool_leader_silence_seconds", help: "The time since the leader was heard last."),
    Metric(measure: "drained", name: "spool_farm_drained", help: "Whether the whole farm is drained: 1 or 0."),
    Metric(
      measure: "jobs", name: "spool_jobs", help: "Jobs that have not ended; a paused one counts as paused alone.",
      labels: ["state"]),
    Metric(
      measure: "jobs_ended", name: "spool_jobs_ended_last_hour", help: "Jobs that ended within the last hour.", labels: ["state"]),
    Metric(measure: "tasks", name: "spool_tasks", help: "Tasks that are ready to run, or that run.", labels: ["kind", "state"]),
    Metric(
      measure: "store_waits", name: "spool_tasks_waiting_for_store",
      help: "Tasks that are tried again later, since the store or a movie's folder was full or could not be reached."),
    Metric(
      measure: "oldest_ready", name: "spool_oldest_ready_task_seconds",
      help: "How long the oldest task has waited for a worker; 0 where none waits."),
    Metric(
      measure: "seconds_left", name: "spool_seconds_left",
      help: "The forecast of the time until all jobs are done; absent while nobody can say."),
    Metric(
      measure: "demand", name: "spool_waiting_worker_seconds",
      help: "The work that is left, in seconds of a slot of usual speed; 0 while the farm is drained."),
    Metric(
      measure: "deliveries", name: "spool_deliveries",
      help: "Messages of webhooks that wait, and those of them that were not taken at the last try.", labels: ["state"]),
    Metric(measure: "attempts_running", name: "spool_attempts_running", help: "Attempts that run."),
    Metric(
      measure: "failures", name: "spool_attempt_failures_last_hour",
      help: "Attempts that failed within the last hour, by whom the failure is blamed on.", labels: ["class"]),
    Metric(measure: "workers", name: "spool_workers", help: "Workers that have not said goodbye.", labels: ["state"]),
    Metric(measure: "slots", name: "spool_slots", help: "Slots of the workers that live."),
    Metric(measure: "slots_busy", name: "spool_slots_busy", help: "Slots that are taken."),
    Metric(
      measure: "submitter_jobs", name: "spool_submitter_jobs",
      help: "Unfinished jobs of the twenty submitters that have most.", labels: ["submitter"]),
    Metric(
      measure: "submitter_attempts", name: "spool_submitter_attempts", help: "Running chunks and sounds of those submitters.",
      labels: ["submitter"]),
  ]

  /// All numbers. While the database is away, those of the farm are left out, and `spool_database_up` is 0.
  func metrics() -> WebResponse {
    var exposition = Exposition()
    var farm: [UInt8] = []
    do throws(Complaint) {
      farm = try snapshots.response("metrics") { () throws(Complaint) in try self.farmMetrics() }.bytes
    } catch { writeLog("event=metrics_without_farm reason=\"\(error.told.first?.text ?? "")\"") }
    exposition.add(
      "spool_database_up", .gauge, help: "Whether the farm's database answers this console: 1 or 0.", farm.isEmpty ? 0 : 1)
    tally.expose(to: &exposition)
    exposition.add(
      "spool_http_event_streams", .gauge, help: "Clients that read events.", Double(readers.load(ordering: .relaxed)))
    exposition.add(
      "spool_examinations", .gauge, help: "Edits that this console reads.", Double(examinations.load(ordering: .relaxed)))
    exposition.add("process_cpu_seconds_total", .counter, help: "Processor time of this console.", ProcessUsage.processorSeconds)
    exposition.add(
      "process_resident_memory_bytes", .gauge, help: "Memory of this console.", ProcessUsage.residentBytes.map(Double.init))
    exposition.add(
      "process_open_fds", .gauge, help: "Open descriptors of this console.", ProcessUsage.openDescriptors.map(Double.init))
    return WebResponse(200, Exposition.contentType, farm + Array(exposition.text.utf8))
  }

  private func farmMetrics() throws(Complaint) -> WebResponse {
    let measures = try reading.run { farm throws(Complaint) in try farm.measures() }
    let groups = Dictionary(grouping: measures, by: \.name)
    var exposition = Exposition()
    for metric in Self.farmMetrics {
      exposition.add(
        metric.name, .gauge, help: metric.help,
        (groups[metric.measure] ?? []).sorted { $0.labels.lexicographicallyPrecedes($1.labels) }.map { measure in
          Exposition.Sample(labels: Array(zip(metric.labels, measure.labels)), value: measure.value)
        })
    }
    return WebResponse(200, Exposition.contentType, Array(exposition.text.utf8))
  }
}
