internal import PostgreSQL

// What players of a job's movie need.
extension Statement {
  /// The chunks of job $1 that begin at frame $3 or later and before $4, or its sound, as $2 says; with what won.
  static let partFiles = Statement(
    "part_files", "select task, state, first_frame, frame_count, number, proof from spool.part_files($1, $2, $3, $4)")

  /// Moves chunks of job $1 from frame $2 on, at most $3, or its sound where $2 is NULL, before all else of the job.
  static let wantPart = Statement("want_part", "select spool.want_part($1, $2, $3) as moved")

  /// The first frames of the chunks of job $1 as it was planned.
  static let plannedChunks = Statement(
    "planned_chunks",
    "select first_frame from spool.task where job = $1 and kind = 'picture' and split_from is null order by first_frame")
}
