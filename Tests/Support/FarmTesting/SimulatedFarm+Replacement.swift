package import Ledger
internal import Messages
internal import Scheduling

extension SimulatedFarm {
  /// Has a user submit a job that replaces another one.
  package func replace(by submission: JobSubmission, after wait: Duration) { after(wait, .replace(submission)) }

  /// Submits a job that replaces another one. Its parts are those of the other job that have the same place and length.
  func replace(by submission: JobSubmission) {
    var submission = submission
    do {
      let former = submission.replaces ?? ""
      let running = try ledger.tasks(job: former).filter { [.running, .waiting].contains($0.state) }
      for (place, task) in submission.tasks.enumerated() where task.kind.isPart {
        let twin = running.first { $0.kind == task.kind && $0.frames == task.frames && $0.samples == task.samples }
        submission.tasks[place].twin = twin?.id
      }
      let held = witness.open(of: former)
      jobs.append(try ledger.submit(submission))
      save()
      witness.submitted(submission)
      witness.replaced(former, ended: try ledger.closed(among: held).map(\.key))
    } catch { preconditionFailure("the simulation's ledger is there: \(error)") }
  }
}
