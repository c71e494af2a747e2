/// The filter graphs that were used last; what a graph does depends on its route alone.
struct GraphCache {
  /// An edit shows few combinations of format, size and crop at a time; an animated one needs a new graph for each
  /// frame, and old ones must go. Few enough to search in order.
  private static let capacity = 16

  /// Most recently used first.
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
