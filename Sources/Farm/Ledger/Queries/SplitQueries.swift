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
  ///
  /// A job that has ended has no use for a part of a chunk, and neither has the job that awaits the whole of it. So such attempts end.
  static let divide = Statement(
    "divide",
    """
    with promised as materialized (
      select distinct on (s.task) s.task as id, t.tid, t.job, t.precedence, t.first_frame, t.frame_count, t.cost, t.division_count, s.border,
        s.number, a.worker, a.tid as attempt_tid, j.state in ('queued', 'running') as is_live
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[]) as s(task, number, worker, epoch, border)
      cross join lateral (\(Lookup.attempt("s.task", "s.number"))) a
      cross join lateral (\(Lookup.task("s.task"))) t
      cross join lateral (\(Lookup.job("t.job"))) j
      where a.worker = s.worker and a.epoch = s.epoch and a.outcome is null and t.kind = 'picture' and t.state = 'running'
        and s.border > t.first_frame and s.border < t.first_frame + t.frame_count
        and (not $6::boolean or not exists (
          select from spool.attempt o where o.task = s.task and o.number <> s.number and \(isOpen(of: "o"))))
      order by s.task, s.border
    ), useless as (
      update spool.attempt a set outcome = 'cancelled', ended_at = clock_timestamp()
      from promised p cross join lateral (
        select ctid as tid from spool.attempt where task = p.id and \(isOpen(of: "attempt")) offset 0) o
      where not p.is_live and a.ctid = o.tid
    ), shortened as (
      update spool.task t set
        state = case when p.is_live then t.state else 'cancelled' end,
        frame_count = case when p.is_live then p.border - p.first_frame else t.frame_count end,
        cost = case when p.is_live then p.cost * (p.border - p.first_frame) / p.frame_count else t.cost end,
        division_count = p.division_count + p.is_live::integer
      from promised p where t.ctid = p.tid
    ), rest as (
      insert into spool.task (job, ordinal, precedence, kind, state, first_frame, frame_count, cost, division_count, split_from)
      select p.job,
        (select max(o.ordinal) from spool.task o where o.job = p.job) + row_number() over (partition by p.job order by p.id),
        p.precedence, 'picture', 'ready', p.border, p.first_frame + p.frame_count - p.border,
        p.cost * (p.first_frame + p.frame_count - p.border) / p.frame_count, p.division_count + 1, p.id
      from promised p where p.is_live order by p.id
      returning id, job, split_from, first_frame
    ), counted as (
      update spool.job j set chunk_count = chunk_count + c.chunks, parts_left = parts_left + c.chunks
      from (
        select k.tid, count(*) as chunks from promised p cross join lateral (\(Lookup.job("p.job"))) k where p.is_live group by k.tid
      ) c
      where j.ctid = c.tid
    ), noted as (
      insert into spool.history (entity, job, task, after, reason)
      select 'task', job, id, 'ready', format('split off task %s before frame %s', split_from, first_frame) from rest
    )
    select id as task, number, worker from promised where is_live order by id, number
    """)
}
