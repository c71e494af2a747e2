package import Ledger
internal import Messages

extension MemoryLedger {
  package func want(job: String, from frame: Int?, most: Int) throws(LedgerError) -> Int? {
    try requireAvailable()
    guard let found = jobs[job] else { return nil }
    guard found.endedAt == nil else { return 0 }
    let tasks = found.tasks.map { self[$0] }
    let foremost = tasks.filter { $0.state == .ready }.map(\.precedence).min() ?? 0
    let wanted = tasks.filter { task in
      guard let frame else { return task.kind == .sound }
      return task.kind == .picture && task.frames.map { $0.first >= frame } ?? false
    }.inFrameOrder.prefix(most)
    let ready = wanted.enumerated().filter { $0.element.state == .ready }
    guard ready.contains(where: { $0.element.precedence == 0 }) || ready.first.map({ $0.element.precedence > foremost }) ?? false
    else { return 0 }
    for (place, task) in ready { update(task.id) { $0.precedence = foremost - most + place } }
    return ready.count
  }
}
