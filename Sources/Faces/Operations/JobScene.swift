package import Ledger
internal import Messages

/// A job as a whole screen shows it.
package struct JobScene: Hashable, Sendable {
  package var glance: JobGlance
  /// The job's chunks in the order of the movie.
  package var cells: [ChunkCell]

  package init(glance: JobGlance, cells: [ChunkCell]) { (self.glance, self.cells) = (glance, cells) }
}

extension Farm {
  /// - Parameter most: the most cells of the map.
  /// - Throws: a complaint of the class `noInput` when there is no such job.
  package func scene(job id: String, cells most: Int) throws(Complaint) -> JobScene {
    let glance = try glance(job: id)
    return try complaining { JobScene(glance: glance, cells: try ledger.chunkCells(job: id, most: most)) }
  }
}

extension RemoteFarm {
  /// The states of a job's tasks, as the console tells them: numbers that are places in the lists of words.
  private struct States: Decodable {
    var kinds: [TaskKind]
    var states: [TaskState]
    var kind: [Int]
    var state: [Int]

    /// The chunks' states in the order of the movie.
    var chunks: [TaskState] {
      zip(kind, state).compactMap { kind, state in
        kinds.indices.contains(kind) && kinds[kind] == .picture && states.indices.contains(state) ? states[state] : nil
      }
    }
  }

  package func scene(job id: String, cells most: Int) throws(Complaint) -> JobScene {
    let glance = try get("/jobs/\(Self.encoded(id))", as: JobGlance.self)
    let chunks = try get("/jobs/\(Self.encoded(id))/chunks", as: States.self).chunks
    return JobScene(glance: glance, cells: ChunkCell.cells(of: chunks, most: most))
  }
}
