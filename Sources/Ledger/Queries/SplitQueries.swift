internal import PostgreSQL

extension Statement {
  /// Which of the attempts $1 to $4 are open at chunks, and the frames of these, in their order.
  static let openChunks = Statement(
    "open_chunks",
    """
    select s.place, t.first_frame, t.frame_count
    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) with ordinality as s(task, number, worker, epoch, place)
    join spool.attempt a on a.task = s.task and a.number = s.number and a.worker = s.worker and a.epoch = s.epoch
    join spool.task t on t.id = a.task
    where \(isOpen) and t.kind = 'picture' and t.state = 'running'
    order by s.place
    """)

  /// Gives the frames from $5 on of the chunks of attempts $1 to $4 to new tasks, as long as the attempts are open, and, where $6, alone;
  /// their jobs are locked. One statement, since each frame is in one chunk after each.
  static let divide = Statement(
    "divide",
    """
    with promised as materialized (
      select distinct on (t.id) t.id, t.job, t.first_frame, t.frame_count, t.cost, t.divisions, s.border, a.number, a.worker
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[]) as s(task, number, worker, epoch, border)
      join spool.attempt a on a.task = s.task and a.number = s.number and a.worker = s.worker and a.epoch = s.epoch
      join spool.task t on t.id = a.task
      where \(isOpen) and t.kind = 'picture' and t.state = 'running'
        and s.border > t.first_frame and s.border < t.first_frame + t.frame_count
        and (not $6::boolean or not exists (
          select from spool.attempt o where o.task = a.task and o.number <> a.number and o.outcome is null))
      order by t.id, s.border
    ), shortened as (
      update spool.task t set
        frame_count = p.border - p.first_frame, cost = p.cost * (p.border - p.first_frame) / p.frame_count,
        divisions = p.divisions + 1
      from promised p where t.id = p.id
    ), rest as (
      insert into spool.task (job, ordinal, kind, state, first_frame, frame_count, cost, divisions, split_from)
      select p.job,
        (select max(o.ordinal) from spool.task o where o.job = p.job) + row_number() over (partition by p.job order by p.id),
        'picture', 'ready', p.border, p.first_frame + p.frame_count - p.border,
        p.cost * (p.first_frame + p.frame_count - p.border) / p.frame_count, p.divisions + 1, p.id
      from promised p order by p.id
      returning id, job, split_from
    ), counted as (
      update spool.job j set chunk_count = chunk_count + c.chunks, parts_left = parts_left + c.chunks
      from (select job, count(*) as chunks from promised group by job) c where j.id = c.job
    ), noted as (
      insert into spool.history (entity, job, task, after, reason)
      select 'task', r.job, r.id, 'ready', format('split off task %s before frame %s', p.id, p.border)
      from rest r join promised p on p.id = r.split_from
    )
    select id as task, number, worker from promised order by id, number
    """)
}
