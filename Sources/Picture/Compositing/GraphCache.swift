/// The filter graphs that were used last. A graph depends on its route only.
struct GraphCache {
  /// The most graphs that are kept. An edit shows few combinations of format, size and crop at a time. An animated one needs a
  /// new graph for each frame, and old ones must go. There are few enough to search one by one.
  private static let capacity = 16

  /// The graphs, most recently used first.
  private var entries: [(route: ScalingGraph.Route, graph: ScalingGraph)] = []

  mutating func graph(for route: ScalingGraph.Route) throws(CompositingError) -> ScalingGraph {
    if let index = entries.firstIndex(where: { $0.route == route }) {
      let entry = entries.remove(at: index)
      entries.insert(entry, at: 0)
      return entry.graph
    }
    let graph = try ScalingGraph(route)
    if entries.count == Self.capacity { entries.removeLast() }
    entries.insert((route, graph), at: 0)
    return graph
  }
}
