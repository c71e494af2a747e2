/// The future events of a virtual clock, the earliest first. Events of the same time come in the order in which they were
/// inserted.
struct EventQueue<Event> {
  private var heap: [(time: Duration, number: Int, event: Event)] = []
  private var count = 0

  mutating func insert(_ event: Event, at time: Duration) {
    heap.append((time, count, event))
    count += 1
    var child = heap.count - 1
    while child > 0, precedes(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  var nextTime: Duration? { heap.first?.time }

  mutating func next() -> (time: Duration, event: Event)? {
    guard let first = heap.first else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      let least = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }.reduce(parent) { precedes($1, $0) ? $1 : $0 }
      if least == parent { return (first.time, first.event) }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private func precedes(_ a: Int, _ b: Int) -> Bool { (heap[a].time, heap[a].number) < (heap[b].time, heap[b].number) }
}
