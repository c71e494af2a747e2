package import Messages
internal import PostgreSQL

/// A part of a movie that somebody wants to see or hear: a chunk, the sound, or a part of it.
package struct MoviePart: Hashable, Sendable {
  package var task: Int64
  package var state: TaskState
  /// The chunk's frames; nil for the sound.
  package var frames: FrameRange?
  /// The attempt that won, and its proof; nil while there is none.
  package var winner: Winner<Proof>?
}

extension PostgreSQLLedger {
  /// The chunks of a job that begin at these frames, in their order. A chunk that was divided while it ran is several.
  package func chunks(job: String, beginningIn frames: Range<Int>) throws(LedgerError) -> [MoviePart] {
    try parts([.text(job), .text(TaskKind.picture.rawValue), .integer(frames.lowerBound), .integer(frames.upperBound)])
  }

  /// Any chunk of a job that is done; nil while none is.
  package func anyChunk(job: String) throws(LedgerError) -> MoviePart? {
    try parts([.text(job), .text(TaskKind.picture.rawValue), .null, .null]).first
  }

  /// The sound of a job, or its parts in their order; none where it has no sound.
  package func sound(job: String) throws(LedgerError) -> [MoviePart] {
    try parts([.text(job), .text(TaskKind.sound.rawValue), .null, .null])
  }

  private func parts(_ values: [Parameter]) throws(LedgerError) -> [MoviePart] {
    try read { session throws(LedgerError) in
      try session.all(.partFiles, values) { row throws(PostgreSQLError) in
        var part = MoviePart(
          task: try row.value("task"), state: try row.case("state"), frames: try FrameRange.optional(row))
        if try row.optional("number", as: Int.self) != nil {
          part.winner = Winner(key: try AttemptKey(row), proof: try LedgerJSON.value("proof", in: row))
        }
        return part
      }
    }
  }

  /// The first frames of a job's chunks as they were planned, in their order. Later divisions do not change them.
  package func plannedChunks(job: String) throws(LedgerError) -> [Int] {
    try read { session throws(LedgerError) in
      try session.all(.plannedChunks, [.text(job)]) { row throws(PostgreSQLError) in try row.value("first_frame") }
    }
  }

  /// The first samples of the parts of a job's sound: 0 alone for a whole one, and none where the job has no sound.
  package func plannedSound(job: String) throws(LedgerError) -> [Int64] {
    try read { session throws(LedgerError) in
      try session.all(.plannedSound, [.text(job)]) { row throws(PostgreSQLError) in try row.value("first_sample") }
    }
  }

  package func want(job: String, _ kind: TaskKind, from first: Int64, most: Int) throws(LedgerError) -> Int? {
    try read { session throws(LedgerError) in
      try session.first(.wantPart, [.text(job), .text(kind.rawValue), .integer(first), .integer(most)]) {
        row throws(PostgreSQLError) in
        try row.optional("moved", as: Int.self)
      } ?? nil
    }
  }
}
