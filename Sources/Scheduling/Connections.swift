/// By which connection of the coordinator's socket each worker was heard last, by their routes. Pure.
///
/// What has ended is told by the number of the connection, and numbers are used again, also within one turn. In each turn messages are
/// taken first and then what has ended, so that last words count before the end. A number that comes with another route has
/// ended in between, though, and the end that is told of it is the former's.
package struct Connections {
  private var routes: [Int32: String] = [:]
  private var numbers: [String: Int32] = [:]
  /// Whose ends by those numbers are known in this turn, and not told yet.
  private var known: [Int32: [String]] = [:]

  package init() {}

  /// Notes that a message came.
  ///
  /// - Returns: the route whose connection has therefore ended, if it was heard by no other one since.
  package mutating func heard(_ route: String, by number: Int32) -> String? {
    // Negative: the library does not know it. Of an ended connection, messages may be left.
    guard number >= 0, known[number]?.contains(route) != true else { return nil }
    let former = routes.updateValue(route, forKey: number)
    var ended: String?
    if let former, former != route {
      known[number, default: []].append(former)
      ended = leave(former, number)
    }
    numbers[route] = number
    return ended
  }

  /// Notes the connections that ended, at the end of a turn.
  ///
  /// - Returns: the routes that nothing is heard by any more.
  package mutating func ended(_ told: [Int32]) -> [String] {
    var left: [String] = []
    for number in told {
      if known[number]?.isEmpty == false {
        known[number]?.removeFirst()
      } else if let route = routes.removeValue(forKey: number), let route = leave(route, number) {
        left.append(route)
      }
    }
    known = [:]
    return left
  }

  /// One that was heard by another connection since has merely changed it.
  private mutating func leave(_ route: String, _ number: Int32) -> String? {
    guard numbers[route] == number else { return nil }
    numbers[route] = nil
    return route
  }
}
