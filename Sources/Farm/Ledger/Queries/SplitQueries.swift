internal import PostgreSQL

extension Statement {
  /// The attempts among $1 to $4 that are open, with the kinds, frames and samples of their tasks, in order.
  static let openTasks = Statement(
    "open_tasks",
    """
    select s.place, t.kind, t.first_frame, t.frame_count, t.first_sample, t.sample_count
    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) with ordinality as s(task, number, worker, epoch, place)
    cross join lateral (\(Lookup.attempt("s.task", "s.number"))) a
    cross join lateral (\(Lookup.task("s.task"))) t
    where a.worker = s.worker and a.epoch = s.epoch and a.outcome is null and t.state = 'running'
    order by s.place
    """)

  /// Moves the frames from $5 on, of the chunks of attempts $1 to $4, to new tasks. It does so while the attempts are open and,
  /// if $6 is set, alone. The jobs must be locked. It is one statement, because after each statement every frame must be in
  /// exactly one chunk.
  static let divide = Statement(
    "divide",
    """
    with promised as materialized (
      select distinct on (s.task) s.task as id, t.tid, t.job, t.precedence, t.first_frame, t.frame_count, t.cost, t.division_count, s.border,
        s.number, a.worker
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[]) as s(task, number, worker, epoch, border)
      cross join lateral (\(Lookup.attempt("s.task", "s.number"))) a
      cross join lateral (\(Lookup.task("s.task"))) t
      where a.worker = s.worker and a.epoch = s.epoch and a.outcome is null and t.kind = 'picture' and t.state = 'running'
        and s.border > t.first_frame and s.border < t.first_frame + t.frame_count
        and (not $6::boolean or not exists (
          select from spool.attempt o where o.task = s.task and o.number <> s.number and \(isOpen(of: "o"))))
      order by s.task, s.border
    ), shortened as (
      update spool.task t set
        frame_count = p.border - p.first_frame, cost = p.cost * (p.border - p.first_frame) / p.frame_count,
        division_count = p.division_count + 1
      from promised p where t.ctid = p.tid
    ), rest as (
      insert into spool.task (job, ordinal, precedence, kind, state, first_frame, frame_count, cost, division_count, split_from)
      select p.job,
        (select max(o.ordinal) from spool.task o where o.job = p.job) + row_number() over (partition by p.job order by p.id),
        p.precedence, 'picture', 'ready', p.border, p.first_frame + p.frame_count - p.border,
        p.cost * (p.first_frame + p.frame_count - p.border) / p.frame_count, p.division_count + 1, p.id
      from promised p order by p.id
      returning id, job, split_from, first_frame
    ), counted as (
      update spool.job j set chunk_count = chunk_count + c.chunks, parts_left = parts_left + c.chunks
      from (
        select k.tid, count(*) as chunks from promised p cross join lateral (\(Lookup.job("p.job"))) k group by k.tid
      ) c
      where j.ctid = c.tid
    ), noted as (
      insert into spool.history (entity, job, task, after, reason)
      select 'task', job, id, 'ready', format('split off task %s before frame %s', split_from, first_frame) from rest
    )
    select id as task, number, worker from promised order by id, number
    """)
}
