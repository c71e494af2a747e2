/// The connection of the coordinator's socket by which each worker was heard last. Workers are named by their routes. Pure.
///
/// The socket tells the end of a connection by the connection's number, and it uses numbers again, even within one turn. In each
/// turn the coordinator takes messages first and ended connections second, so a worker's last words count before its end. When a
/// number comes with a new route, its former connection has ended in between. The end that is told of that number later in the
/// turn then belongs to the former connection.
package struct Connections {
  private var routes: [Int32: String] = [:]
  private var numbers: [String: Int32] = [:]
  /// The routes whose ends were concluded in this turn from a number that came with a new route. The socket has not told these
  /// ends yet.
  private var known: [Int32: [String]] = [:]

  package init() {}

  /// Notes that a message came from a route by a connection.
  ///
  /// - Returns: the route that used this number before, if no other connection has heard it since: it has ended.
  package mutating func heard(_ route: String, by number: Int32) -> String? {
    // A negative number means that libzmq does not know the connection. Messages of an ended connection may still be queued.
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

  /// Notes which connections ended. Call it at the end of each turn.
  ///
  /// - Returns: the routes that have no connection any more.
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

  /// Forgets the route's connection and returns the route; nil when the route has been heard by another connection since.
  private mutating func leave(_ route: String, _ number: Int32) -> String? {
    guard numbers[route] == number else { return nil }
    numbers[route] = nil
    return route
  }
}
