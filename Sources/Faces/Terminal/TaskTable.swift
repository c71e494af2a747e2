package import Ledger
internal import Messages

/// A job's tasks as a table for people.
package enum TaskTable {
  /// All tasks in their order. It fits into 60 columns.
  ///
  /// - Parameters:
  ///   - isBrief: whether neighbours that are done, have not begun or were cancelled share a row, with their number in place of a task's.
  ///     Tasks that run or failed have a row each in any case.
  ///   - columns: the width of the terminal; nil for a table that leaves out nothing. Below 80, one column has the failure, or else the worker.
  package static func table(of tasks: [TaskStatus], isBrief: Bool, columns: Int? = nil) -> TextTable {
    let groups = isBrief ? groups(of: tasks) : tasks.map { [$0] }
    let heads = ["TASK", "KIND", "STATE", "FRAMES"]
    if let columns, columns < 80 {
      var table = TextTable(heads + ["WHAT"])
      table.mayColor(2)
      for (column, width) in [(4, 8), (3, 14)] { table.mayCut(column, to: width) }
      for row in groups.map(row(of:)) { table.add(Array(row[..<4]) + [row[7].isEmpty ? row[6] : row[7]]) }
      return table
    }
    var table = TextTable(heads + ["DONE", columns.map { $0 < 100 } ?? false ? "TRIES" : "ATTEMPTS", "WORKER", "FAILURE"])
    table.mayColor(2)
    for (column, width) in [(7, 10), (6, 8), (3, 14), (7, 7), (6, 6)] { table.mayCut(column, to: width) }
    for group in groups { table.add(row(of: group)) }
    return table
  }

  /// The tasks, with neighbours together that may share a row.
  private static func groups(of tasks: [TaskStatus]) -> [[TaskStatus]] {
    var groups: [[TaskStatus]] = []
    for task in tasks {
      if let last = groups.last?.last, isFollowed(last, by: task) {
        groups[groups.count - 1].append(task)
      } else {
        groups.append([task])
      }
    }
    return groups
  }

  private static func isFollowed(_ task: TaskStatus, by next: TaskStatus) -> Bool {
    guard task.kind == next.kind, task.state == next.state, task.failure == nil, next.failure == nil else { return false }
    switch task.state {
    case .running, .failed: return false
    case .waiting, .ready, .done, .cancelled: break
    }
    if let frames = task.frames, let following = next.frames { return frames.first + frames.count == following.first }
    if let samples = task.samples, let following = next.samples { return samples.first + samples.count == following.first }
    return false
  }

  private static func row(of group: [TaskStatus]) -> [String] {
    guard let first = group.first, let last = group.last else { return [] }
    let workers = Set(group.flatMap { [$0.worker, $0.workerBeside].compactMap(\.self) }).sorted()
    let isOne = group.count == 1
    return [
      isOne ? String(first.id) : "\(group.count) tasks", first.kind.rawValue, first.state.rawValue, span(from: first, to: last),
      first.frames == nil ? "-" : String(group.reduce(0) { $0 + $1.framesDone }), String(group.reduce(0) { $0 + $1.attempts }),
      workers.isEmpty ? "-" : isOne || workers.count == 1 ? workers.joined(separator: ", ") : "\(workers.count) workers",
      first.failure?.description ?? "",
    ]
  }

  /// The frames of the tasks, or the samples of their parts of the sound.
  private static func span(from first: TaskStatus, to last: TaskStatus) -> String {
    if let begin = first.frames, let end = last.frames { return "\(begin.first)..\(end.first + end.count)" }
    if let begin = first.samples, let end = last.samples { return "samples \(begin.first)..\(end.first + end.count)" }
    return "-"
  }
}
