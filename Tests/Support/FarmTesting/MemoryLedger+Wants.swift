package import Ledger
package import Messages

extension MemoryLedger {
  package func want(job: String, _ kind: TaskKind, from first: Int64, most: Int) throws(LedgerError) -> Int? {
    try requireAvailable()
    guard let found = jobs[job] else { return nil }
    guard found.endedAt == nil else { return 0 }
    let tasks = found.tasks.map { self[$0] }
    let least = kind == .sound ? -1_000_000_000 : 0
    let foremost = min(tasks.filter { $0.state == .ready && $0.kind == kind }.map(\.precedence).min() ?? 0, least)
    let following = tasks.filter { task in
      task.kind == kind && (task.frames.map { Int64($0.first) } ?? task.samples?.first ?? 0) >= first
    }.inFrameOrder
    let wanted = following.prefix(most)
    if kind == .sound {
      let behind = min(-1, 4 + (tasks.filter { $0.state == .ready && $0.kind == .picture }.map(\.precedence).min() ?? 0))
      let kept = Set(following.prefix(most + 1).map(\.id))
      for task in tasks
      where task.kind == .sound && task.state == .ready && task.precedence < -1_000_000_000 && !kept.contains(task.id) {
        update(task.id) { $0.precedence = behind }
      }
    }
    let ready = wanted.enumerated().filter { $0.element.state == .ready }
    guard ready.contains(where: { $0.element.precedence == 0 }) || ready.first.map({ $0.element.precedence > foremost }) ?? false
    else { return 0 }
    for (place, task) in ready { update(task.id) { $0.precedence = foremost - most + place } }
    return ready.count
  }
}
