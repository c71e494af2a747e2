internal import PostgreSQL

/// A stretch of a job's chunks in the order of the movie, for a map that has fewer places than the job has chunks.
package struct ChunkCell: Hashable, Sendable {
  package var done = 0
  package var running = 0
  /// The chunks that failed or were cancelled.
  package var ended = 0
  package var waiting = 0

  package init() {}

  mutating func count(_ state: TaskState, _ chunks: Int = 1) {
    switch state {
    case .done: done += chunks
    case .running: running += chunks
    case .failed, .cancelled: ended += chunks
    case .waiting, .ready: waiting += chunks
    }
  }

  /// Chunks that are in these states, in the order of the movie, in at most so many cells. No cell is empty.
  package static func cells(of states: [TaskState], most: Int) -> [ChunkCell] {
    var cells = Array(repeating: ChunkCell(), count: max(0, min(most, states.count)))
    for (place, state) in states.enumerated() where !cells.isEmpty { cells[place * cells.count / states.count].count(state) }
    return cells
  }
}

extension PostgreSQLLedger {
  /// The chunks of a job in the order of the movie, in at most so many cells; none where there is no such job. The database counts them.
  package func chunkCells(job: String, most: Int) throws(LedgerError) -> [ChunkCell] {
    let counts = try read { session throws(LedgerError) in
      try session.all(.readChunkCells, [.text(job), .integer(max(1, most))]) { row throws(PostgreSQLError) in
        (
          cell: try row.value("cell", as: Int.self), state: try row.case("state") as TaskState,
          chunks: try row.value("chunks", as: Int.self)
        )
      }
    }
    var cells = Array(repeating: ChunkCell(), count: (counts.map(\.cell).max() ?? -1) + 1)
    for count in counts { cells[count.cell].count(count.state, count.chunks) }
    return cells
  }
}
