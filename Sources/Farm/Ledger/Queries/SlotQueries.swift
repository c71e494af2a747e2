internal import PostgreSQL

// The time of the farm's slots.
extension Statement {
  /// The present time and the time since the last count, in microseconds, and how much of that nobody led.
  static let readSlotMoment = Statement(
    "read_slot_moment",
    """
    select (extract(epoch from n.at) * 1000000)::bigint as at, (extract(epoch from n.at - c.at) * 1000000)::bigint as passed,
      coalesce(greatest(0, extract(epoch from l.taken_at - c.at) * 1000000), 0)::bigint as leaderless, f.drained_at is not null as is_drained
    from (select clock_timestamp() as at) n
    cross join (select taken_at from spool.leader limit 1) l
    cross join (select drained_at from spool.farm limit 1) f
    left join (
      select max(counted_at) as at from spool.slot_time where since = (select max(since) from spool.slot_time)
    ) c on true
    """)
  /// The workers whose lease holds, with their slots, as the view worker_status has them. A coordinator's session joins by look-ups alone, and the
  /// view would compare each worker with each one that runs something.
  static let readSlots = Statement(
    "read_slots",
    """
    with light as materialized (
      select a.worker from (select id from spool.task where kind in ('mux', 'publish') and state = 'running' offset 0) t
      cross join lateral (select worker from spool.attempt where task = t.id and outcome is null limit 2) a
    )
    select w.slots, greatest(0, r.running - case when w.name in (select worker from light)
        then least((select count(*) from light l where l.worker = w.name), w.lanes) else 0 end) as slots_busy,
      case when w.drained_at is not null then 'drained' when w.set_aside_at is not null then 'set aside' else 'alive' end as state,
      array_to_string(w.tags, ' ') as tags, w.memory_mib
    from spool.worker w
    cross join lateral (select count(*) as running from spool.attempt a where a.worker = w.name and a.outcome is null) r
    where w.retired_at is null and w.lease_until > statement_timestamp()
    """)
  /// The work that waits for a slot, and what keeps it from being given out. A ready task is looked for in each job, and what runs is counted
  /// once.
  static let readWaitingWork = Statement(
    "read_waiting_work",
    """
    with waiting as materialized (
      select distinct j.submitter, j.tags, j.memory_mib, j.paused_at is not null as is_paused,
        coalesce(j.wakes_at > statement_timestamp(), false) as is_asleep
      from spool.job j cross join lateral (select 1 from spool.task t where t.job = j.id and t.state = 'ready' limit 1) t
      where j.state in ('queued', 'running') and (j.wakes_at is null or j.wakes_at < 'infinity')
    ), \(quota(of: "waiting"))
    select distinct array_to_string(tags, ' ') as tags, memory_mib,
      case when is_paused then 'paused' when is_asleep then 'retrying'
        when submitter in (select name from quota where slots_left = 0) then 'quota' else 'none' end as obstacle
    from waiting
    """)
  /// Adds the times $3 of the parts $2, in microseconds, to those of the ten minutes in which the moment $1 lies.
  static let addSlotTime = Statement(
    "add_slot_time",
    """
    insert into spool.slot_time (since, part, microseconds, counted_at)
    select date_bin('10 minutes', n.at, timestamptz 'epoch'), p.part, p.microseconds, n.at
    from (select timestamptz 'epoch' + $1::bigint * interval '1 microsecond' as at) n
    cross join unnest($2::text[], $3::bigint[]) as p(part, microseconds)
    on conflict (since, part) do update set
      microseconds = slot_time.microseconds + excluded.microseconds, counted_at = excluded.counted_at
    """)
  /// Notes what keeps tasks from being given out at the moment $1, in microseconds: quotas that are reached, and needs that no worker meets which
  /// takes work. It prolongs what held at the last count, $2 microseconds before; what is new began then.
  ///
  /// What runs is counted once for all submitters. Of what held, the newest stretch is looked up: only that can go on.
  static let noteHolds = Statement(
    "note_holds",
    """
    with moment as materialized (
      select timestamptz 'epoch' + $1::bigint * interval '1 microsecond' as now,
        timestamptz 'epoch' + ($1::bigint - $2::bigint) * interval '1 microsecond' as last
    ), waiting as materialized (
      select s.name as submitter from spool.submitter s
      cross join lateral (
        select 1 from spool.job j
        cross join lateral (
          select 1 from spool.task t where t.job = j.id and t.state = 'ready' and t.kind in ('picture', 'sound') limit 1) t
        where j.submitter = s.name and \(isQueued) limit 1) j
      where s.slots is not null
    ), \(quota(of: "waiting")), held as materialized (
      select 'quota' as kind, name from quota where slots_left = 0
      union all
      select 'needs', spool.needs_of(n.tags, n.memory_mib)
      from (select distinct tags, memory_mib from spool.job where state in ('queued', 'running') and paused_at is null) n
      where (n.tags <> '{}' or n.memory_mib > 0) and not exists (
        select from spool.worker w
        where w.retired_at is null and w.lease_until > clock_timestamp() and w.drained_at is null and w.set_aside_at is null and w.slots > 0
          and n.tags <@ w.tags and n.memory_mib <= w.memory_mib)
    ), prolonged as (
      update spool.hold o set until = p.now
      from (
        select n.tid, m.now from held h cross join moment m
        cross join lateral (
          select ctid as tid, until from spool.hold where kind = h.kind and name = h.name order by since desc limit 1) n
        where n.until >= m.last and n.until < m.now
      ) p
      where o.ctid = p.tid
      returning o.kind, o.name
    )
    insert into spool.hold (kind, name, since, until)
    select h.kind, h.name, m.last, m.now from held h cross join moment m
    where (h.kind, h.name) not in (select kind, name from prolonged)
    on conflict (kind, name, since) do update set until = greatest(hold.until, excluded.until)
    """)
  /// Adds what attempts did that have ended since the last time to the sums of their ten minutes: 10,000 attempts at most, which take a
  /// third of a second. The coordinator that leads ends attempts in this session, so it misses none of them. Others cancel attempts in
  /// transactions of their own; the last five seconds are left out, since the end of one may not be seen yet.
  static let sumBusyTime = Statement(
    "sum_busy_time",
    """
    with span as materialized (
      select l.summed_to as begun, least(
        clock_timestamp() - interval '5 seconds',
        (select a.ended_at from spool.attempt a where a.ended_at > l.summed_to order by a.ended_at offset 9999 limit 1)) as until
      from spool.leader l
    ), summed as (
      insert into spool.busy_time (since, part, seconds)
      select since, part, sum(seconds) from spool.attempt_time
      where ended_at > (select begun from span) and ended_at <= (select until from span) group by since, part
      on conflict (since, part) do update set seconds = busy_time.seconds + excluded.seconds
    )
    update spool.leader set summed_to = s.until from span s where s.until > s.begun
    """)
  /// The beginning of the first ten minutes of the last $1 seconds that were counted.
  static let readSlotBegin = Statement(
    "read_slot_begin",
    """
    select to_char(min(since) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
    from spool.slot_time where since > statement_timestamp() - $1::bigint * interval '1 second' - interval '10 minutes'
    """)
  /// The parts of the time of slots in the last $1 seconds.
  static let readSlotTime = Statement(
    "read_slot_time",
    """
    select part, sum(seconds) as seconds from spool.farm_time
    where since > statement_timestamp() - $1::bigint * interval '1 second' - interval '10 minutes' group by part order by min(place)
    """)
}
