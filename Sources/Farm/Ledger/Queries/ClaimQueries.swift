internal import PostgreSQL
internal import Scheduling

extension Statement {
  /// Locks and returns the offering workers that may take work. A worker that was set aside appears only when its canary is due
  /// and it has no open attempt. The lock keeps their epochs until the attempts are open.
  ///
  /// It also wakes jobs whose tasks waited for a retry that is due now, for the statements after it. It compares with the time at
  /// which the statement began, because an index is not searched for a clock that moves on.
  static let lockOffers = Statement(
    "lock_offers",
    """
    with woken as (
      update spool.job set wakes_at = null
      where id in (
        select id from spool.job where state in ('queued', 'running') and wakes_at <= statement_timestamp() for no key update skip locked)
    )
    select w.name, w.memory_mib, array_to_string(w.tags, ' ') as tags, w.set_aside_at is not null as is_canary
    from (select name, epoch from unnest($1::text[], $2::text[]) as n(name, epoch) order by name) o
    cross join lateral (
      select * from spool.worker w
      where w.name = o.name and w.epoch = o.epoch
        and w.retired_at is null and w.lease_until > clock_timestamp() and w.drained_at is null
        and (w.set_aside_at is null or w.canary_at <= clock_timestamp()
          and not exists (select from spool.attempt a where a.worker = w.name and a.outcome is null))
        and not exists (select from spool.farm where drained_at is not null)
      limit 1 for key share of w
    ) w
    """)

  /// Whether a light task may be given out. When there is none, workers without free slots are not looked at.
  static let isLightReady = Statement(
    "is_light_ready",
    """
    select exists (
      select from spool.task t where t.state = 'ready' and t.kind in ('mux', 'publish') and t.ready_at <= statement_timestamp()) as found
    """)

  /// The offering workers. They are read once, and only where needed: looking up some hundred names for each job took longer than
  /// all else.
  private static let offer = """
    offer as materialized (select w.name, w.tags, w.memory_mib, w.output_roots from spool.worker w where w.name = any($2::text[]))
    """

  /// Whether task t of job j may be given out now. A retry waits $3 milliseconds for another worker than the one that failed the
  /// task, as long as another one could take it. When the job's files may have been cleared away, a task is given out only after
  /// it has followed its job's retry; its attempt then has a higher number than the dead ones.
  private static let isClaimable = """
    t.job = j.id and t.state = 'ready' and t.ready_at <= clock_timestamp()
    and t.ordinal < case when j.cleared_number is null then 2147483647 else coalesce(j.followed_to, 2147483647) end and (
      t.avoided_worker is null
      or t.ready_at + $3 * interval '1 millisecond' <= clock_timestamp()
      or exists (
        select from offer w where w.name <> t.avoided_worker and j.tags <@ w.tags and j.memory_mib <= w.memory_mib)
      or not exists (
        select from spool.worker w
        where w.name <> t.avoided_worker and w.slots > 0 and w.retired_at is null and w.lease_until > clock_timestamp()
          and w.drained_at is null and w.set_aside_at is null and j.tags <@ w.tags and j.memory_mib <= w.memory_mib))
    """

  /// The attempts that the quotas of the submitters in `rows` leave. What runs is counted once for all of them, and only if one
  /// has a quota.
  static func quota(of rows: String) -> String {
    """
    limited as materialized (
      select name, slots from spool.submitter where slots is not null and name in (select submitter from \(rows))
    ), occupied as materialized (
      select j.submitter, count(*) as attempts
      from (select task from spool.attempt where outcome is null and exists (select from limited) offset 0) a
      cross join lateral (\(Lookup.task("a.task"))) t cross join lateral (\(Lookup.job("t.job"))) j
      where t.kind in ('picture', 'sound') group by j.submitter
    ), quota as materialized (
      select l.name, greatest(0, l.slots - coalesce(o.attempts, 0)) as slots_left
      from limited l left join occupied o on o.submitter = l.name
    )
    """
  }

  /// The condition of the queue's index, for job j, and of no other one. `is true` keeps the planner from taking it apart: it would see that
  /// other indexes hold these jobs too, and read one of them as a whole when it believes that to be short.
  static let isQueued = "(j.state in ('queued', 'running') and j.paused_at is null and j.wakes_at is null) is true"

  /// The order of the queue's index.
  private static let queueOrder = "j.submitter, j.tags, j.memory_mib, j.priority, j.number"

  /// Whether job j is in line c. Both ends of the line are compared in the order of the queue's index, so that this index is the
  /// only way to read a line in order. With equal columns, the planner may instead read all jobs by their number.
  private static let isOfLine = """
    (\(queueOrder)) >= (c.submitter, c.tags, c.memory_mib, c.priority, 0::bigint)
      and (\(queueOrder)) <= (c.submitter, c.tags, c.memory_mib, c.priority, \(Int64.max)::bigint)
    """

  /// The folders and places in S3 below which workers that have not left may write movies. When one of them may write anywhere, the folders
  /// are NULL. A job whose movie none of them may write is held, and nothing of it is given out (docs/scheduling.md).
  private static let writable = """
    writable as materialized (
      select case when not exists (select from spool.worker where output_roots is null and retired_at is null) then array(
        select distinct rtrim(r, '/') || '/' from spool.worker w cross join lateral unnest(w.output_roots) r where w.retired_at is null
      ) end as roots, array(
        select distinct rtrim(r, '/') || '/' from spool.worker w cross join lateral unnest(w.output_roots) r
        where w.retired_at is null and r like 's3:%') as objects)
    """

  /// Whether job j is held; `writable` must be defined before. A function would be shorter but costs ten times as much for each
  /// job.
  static let isHeld = """
    (j.output like 's3:%' or (select roots is not null from writable))
      and not exists (select from unnest((select coalesce(roots, objects) from writable)) r where starts_with(j.output, r))
      or j.copies <> '{}' and not spool.is_written(j.output, j.copies)
    """

  /// The light tasks that one of the offering workers could take. `writers` names the workers that may write the movie, as far as
  /// their output roots tell. It is NULL when all workers with the needed tags and memory may write it.
  ///
  /// Workers with the same tags, memory and output roots are asked about together, and are named only where such groups differ:
  /// thousands of slots may be free while a thousand movies wait to be muxed.
  private static let light = """
    ready as materialized (
      select * from spool.task
      where state = 'ready' and kind in ('mux', 'publish') and ready_at <= statement_timestamp() order by job limit \(Offer.limit)
    ), kind as materialized (
      select tags, memory_mib, output_roots from offer group by tags, memory_mib, output_roots
    ), light as (
      select j.id, j.submitter, j.tags, j.memory_mib, j.number, j.priority, case when not o.is_any then (
          select string_agg(w.name, ' ') from offer w
          where j.tags <@ w.tags and j.memory_mib <= w.memory_mib and \(mayWrite(by: "w"))) end as writers
      from ready t cross join lateral (select * from spool.job where id = t.job limit 1) j
      cross join lateral (
        select bool_or(may) as is_some, bool_and(may) as is_any from (
          select \(mayWrite(by: "k")) as may from kind k where j.tags <@ k.tags and j.memory_mib <= k.memory_mib offset 0) k) o
      where j.state in ('queued', 'running') and j.paused_at is null and \(isClaimable) and o.is_some
      order by j.priority desc, j.number limit \(Offer.limit)
    )
    """

  private static func mayWrite(by worker: String) -> String {
    """
    ((\(worker).output_roots is null and j.output like '/%' or spool.may_write(\(worker).output_roots, j.output))
      and (j.copies = '{}' or spool.may_write_all(\(worker).output_roots, j.output, j.copies)))
    """
  }

  /// The factor by which tasks of kind `kind`, or the pictures of a job's kind of work, were seen to take longer than their cost
  /// says, to the nearest power of two (`Paces.plannedSlowness`).
  private static func slowness(of kind: String) -> String {
    """
    coalesce((
      select least(\(Paces.mostSlowness), greatest(1 / \(Paces.mostSlowness), power(2, round(ln(p.pace) / ln(2::double precision)))))
      from spool.pace p
      where p.kind = 'work' and p.name = case \(kind) when 'picture' then w.work else \(kind) end and p.result_count >= \(PaceEstimate.fewest)), 1)
    """
  }

  /// The lines, with the first job of each: the jobs of one submitter with the same needs and priority. There are none unless
  /// `condition` holds.
  static func lines(if condition: String) -> String {
    """
    line as (
      (select j.submitter, j.tags, j.memory_mib, j.priority, j.number from spool.job j
      where \(isQueued) and \(condition) order by j.submitter, j.tags, j.memory_mib, j.priority, j.number limit 1)
      union all
      select n.submitter, n.tags, n.memory_mib, n.priority, n.number from line l cross join lateral (
        select j.submitter, j.tags, j.memory_mib, j.priority, j.number from spool.job j
        where \(isQueued) and (j.submitter, j.tags, j.memory_mib, j.priority) > (l.submitter, l.tags, l.memory_mib, l.priority)
        order by j.submitter, j.tags, j.memory_mib, j.priority, j.number limit 1) n
    )
    """
  }

  /// The lines with their priorities, each raised by one for each `ageing` milliseconds without being served.
  static func aged(each ageing: String) -> String {
    """
    aged as materialized (
      select l.*, l.priority + coalesce(floor(
          greatest(0, extract(epoch from statement_timestamp() - greatest(
            v.served_at, first_value(j.served_at) over (partition by l.submitter, l.priority order by l.number)))) * 1000
          / nullif(\(ageing), 0)), 0)::bigint as level
      from line l cross join lateral (select served_at from spool.job where number = l.number limit 1) j
      left join lateral (select served_at from spool.line where submitter = l.submitter and priority = l.priority limit 1) v on true
    )
    """
  }

  /// The farm's present (`FairShare`).
  static let present = """
    present as materialized (
      select coalesce(max(turn), 0) as turn from spool.submitter
    )
    """

  /// The jobs that could use $1 slots, and the light tasks. A submitter's jobs with the same needs and priority form a line, and
  /// only the first jobs of a line are read, however many there are. A line's priority rises by one for each $4 milliseconds
  /// without being served.
  ///
  /// Only the first $1 of the lines with the same needs are read, in the order of their submitters' turns (`FairShare`). Each is
  /// asked for one task more than $5 times its equal share of the slots. A job after which something may be left out says so
  /// (`is_cut`).
  static let waitingJobs = Statement(
    "waiting_jobs",
    """
    with recursive \(offer), \(writable), \(lines(if: "$1::bigint > 0")), \(present), \(quota(of: "line")),
      \(aged(each: "$4::bigint")), able as materialized (
      select a.*, greatest(s.spent, p.turn) as due
      from aged a cross join present p
      cross join lateral (select spent from spool.submitter where name = a.submitter limit 1) s
      left join quota q on q.name = a.submitter
      where q.slots_left is distinct from 0
        and (a.tags = '{}' and a.memory_mib = 0 or exists (select from offer w where a.tags <@ w.tags and a.memory_mib <= w.memory_mib))
    ), chosen as materialized (
      select n.* from (select distinct tags, memory_mib from able) a cross join lateral (
        select c.* from (
          select * from able where tags = a.tags and memory_mib = a.memory_mib order by level desc, due, number offset 0) c
        cross join lateral (
          select from spool.job j cross join lateral (
            select from spool.task t where t.kind in ('picture', 'sound') and \(isClaimable) limit 1) t
          where \(isOfLine) and \(isQueued) and not (\(isHeld))
          order by \(queueOrder) limit 1) f
        order by c.level desc, c.due, c.number limit $1) n
    ), depth as materialized (
      select least($1::bigint, 1 + ceil($5::bigint * $1::double precision / greatest(count(*), 1)))::bigint as most from chosen
    ), queued as (
      select c.submitter, c.tags, c.memory_mib, c.level, n.*,
        d.most < $1::bigint and n.number = max(n.number) over line and sum(n.ready) over line >= d.most as is_cut
      from depth d cross join chosen c cross join lateral (
        select id, number, work, count(*) as ready,
          (array_agg(cost order by place))[1] as first_cost, (array_agg(kind order by place))[1] as first_kind,
          (array_agg(cost order by place) filter (where kind = 'picture'))[1] as cost,
          string_agg(place::text, ' ') filter (where is_charged) as charged
        from (select * from (
          select j.id, j.number, j.work, r.*
          from spool.job j cross join lateral (
            select t.cost, t.kind, t.split_from is not null and t.attempts = 0 as is_charged,
              row_number() over (order by t.precedence, t.ordinal) - 1 as place
            from spool.task t where t.kind in ('picture', 'sound') and \(isClaimable) order by t.precedence, t.ordinal limit d.most) r
          where \(isOfLine) and \(isQueued) and not (\(isHeld))
          -- The planner knows the first limit, so it reads the index in order. The second limit is never higher.
          order by \(queueOrder) limit \(Offer.limit)) first limit d.most) first
        group by number, id, work) n
      window line as (partition by c.submitter, c.tags, c.memory_mib, c.priority)
    ), \(light), waiting as (
      select id, submitter, tags, memory_mib, number, ready, work, charged, null as writers, false as is_light, is_cut, level as priority,
        coalesce(cost, first_cost) as cost, case when cost is null then first_kind else 'picture' end as kind, first_cost, first_kind
      from queued
      union all
      select id, submitter, tags, memory_mib, number, 1, '', null, writers, true, false, priority, 0, 'mux', 0, 'mux' from light
    )
    select w.id, w.submitter, w.number, w.ready, w.memory_mib, array_to_string(w.tags, ' ') as tags, w.priority,
      w.cost * \(slowness(of: "w.kind")) as cost, w.first_cost * \(slowness(of: "w.first_kind")) as first_cost,
      w.charged, w.is_light, w.is_cut, w.writers, s.weight, s.spent, s.turn, q.slots_left, coalesce(s.slots = 0, false) as is_shut,
      p.turn as farm_turn
    from waiting w cross join present p
    cross join lateral (select weight, spent, turn, slots from spool.submitter where name = w.submitter limit 1) s
    left join quota q on q.name = w.submitter
    order by w.number
    """)

  /// Locks the jobs among $1 that nobody else has locked, and returns those that still have to be worked on.
  ///
  /// Each is looked up by its id alone. With its state in the lookup, the planner may choose the index of all unfinished jobs.
  static let lockWaitingJobs = Statement(
    "lock_waiting_jobs",
    """
    select j.id from (select distinct id from unnest($1::text[]) as n(id) order by id) n
    cross join lateral (
      select id, state, paused_at from spool.job where id = n.id limit 1 for no key update skip locked) j
    where j.state in ('queued', 'running') and j.paused_at is null
    """)

  /// The number of a task's attempts that ended for lack of progress before the attempt with this number, since the job's last retry.
  static func stalls(of task: String, before number: String, forgiven: String) -> String {
    """
    case when \(number) = \(forgiven) + 1 then 0 else (
      select count(*) from spool.attempt e
      where e.task = \(task) and e.number > \(forgiven) and e.outcome = 'expired' and e.failure_class = 'worker') end
    """
  }

  /// Locks and returns ready tasks of jobs $4, at most $5 of each. The jobs must be locked. $2 and $3 are those of `isClaimable`,
  /// and $1 bounds the tasks of a job.
  static let candidates = Statement(
    "candidates",
    """
    with \(offer)
    select t.id, t.avoided_worker, t.kind, t.cost, j.id as job, j.work, s.place, t.kind in ('mux', 'publish') as is_light,
      \(stalls(of: "t.id", before: "t.attempts + 1", forgiven: "t.forgiven")) as stalls
    from unnest($4::text[], $5::bigint[]) with ordinality as s(job, count, place)
    cross join lateral (\(Lookup.job("s.job"))) j
    cross join lateral (
      select t.id, t.precedence, t.ordinal, t.avoided_worker, t.kind, t.cost, t.attempts, t.forgiven from spool.task t
      where \(isClaimable) order by t.precedence, t.ordinal limit least(s.count, $1::bigint)
      for update skip locked
    ) t
    order by s.place, t.precedence, t.ordinal
    """)

  /// Opens attempts on tasks that this transaction has locked as ready.
  static let openAttempts = Statement(
    "open_attempts",
    """
    with chosen as (
      select c.*, k.tid from unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::bigint[]) with ordinality
        as c(task, worker, epoch, is_canary, patience, place)
      cross join lateral (\(Lookup.task("c.task"))) k
    ), opened as (
      update spool.task t set state = 'running', attempts = t.attempts + 1, avoided_worker = null
      from chosen c
      where t.ctid = c.tid
      returning t.id, t.attempts, t.job, t.kind, t.first_frame, t.frame_count, t.first_sample, t.sample_count, t.precedence, c.worker, c.epoch,
        c.is_canary, c.patience, c.place
    ), attempt as (
      insert into spool.attempt (task, number, worker, epoch, is_canary, patience, progress_deadline)
      select id, attempts, worker, epoch, is_canary, patience * interval '1 millisecond',
        clock_timestamp() + patience * interval '1 millisecond' from opened
    )
    select id as task, attempts as number, worker, epoch, job, kind, first_frame, frame_count, first_sample, sample_count, precedence, patience
    from opened order by place
    """)

  /// Notes that jobs $1, which are locked, were given tasks, and so were their submitters' lines. Jobs that are also in $2 may
  /// have no other tasks; claims skip them until they have. Submitters are charged by $3 to $5.
  static let startJobs = Statement(
    "start_jobs",
    """
    with served as (
      insert into spool.line as l (submitter, priority, served_at)
      select submitter, priority, clock_timestamp() from spool.job where id = any($1::text[])
      group by submitter, priority order by submitter, priority
      on conflict (submitter, priority) do update set served_at = excluded.served_at
      where l.served_at < excluded.served_at - interval '1 second'
    ), charged as (
      \(charging("$3", "$4", "$5"))
    )
    update spool.job j set
      state = 'running', started_at = coalesce(started_at, clock_timestamp()), served_at = clock_timestamp(),
      wakes_at = case
        when j.id <> all($2::text[]) then null
        when exists (select from spool.task t where t.job = j.id and t.state = 'ready' and t.ready_at <= clock_timestamp()) then null
        else coalesce((select min(t.ready_at) from spool.task t where t.job = j.id and t.state = 'ready'), 'infinity') end
    where j.id = any($1::text[])
    """)

  static let readShares = Statement(
    "read_shares",
    """
    select name, weight, spent, turn, null::bigint as slots_left, false as is_shut, (select coalesce(max(turn), 0) from spool.submitter) as farm_turn
    from spool.submitter where name = any($1::text[])
    """)

  /// Writes the virtual times of submitters and their last turns.
  static let charge = Statement("charge", charging("$1", "$2", "$3"))

  private static func charging(_ names: String, _ spent: String, _ turns: String) -> String {
    """
    update spool.submitter s set spent = c.spent, turn = c.turn
    from (
      select n.*, k.tid
      from unnest(\(names)::text[], \(spent)::double precision[], \(turns)::double precision[]) as n(name, spent, turn)
      cross join lateral (select ctid as tid from spool.submitter where name = n.name limit 1) k
    ) c
    where s.ctid = c.tid
    """
  }
}
