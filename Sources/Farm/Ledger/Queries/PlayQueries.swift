internal import PostgreSQL

// What players of a job's movie need.
extension Statement {
  /// The chunks of job $1 that begin at frame $3 or later and before $4, or its sound, as $2 says; with what won.
  static let partFiles = Statement(
    "part_files", "select task, state, first_frame, frame_count, number, proof from spool.part_files($1, $2, $3, $4)")

  /// Moves chunks of job $1 from frame $3 on, or parts of its sound from sample $3 on, as $2 says, before all else of the job, at most $4.
  static let wantPart = Statement("want_part", "select spool.want_part($1, $2, $3, $4) as moved")

  /// The first frames of the chunks of job $1 as it was planned.
  static let plannedChunks = Statement(
    "planned_chunks",
    "select first_frame from spool.task where job = $1 and kind = 'picture' and split_from is null order by first_frame")

  /// The first samples of the parts of job $1's sound: 0 alone for a whole one.
  static let plannedSound = Statement(
    "planned_sound",
    "select coalesce(first_sample, 0) as first_sample from spool.task where job = $1 and kind = 'sound' order by 1")
}
