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
  /// The workers whose lease holds, with their slots.
  static let readSlots = Statement(
    "read_slots",
    """
    select slots, greatest(0, slots_busy) as slots_busy, state, array_to_string(tags, ' ') as tags, memory_mib
    from spool.worker_status where is_alive
    """)
  /// The work that waits for a slot, and what keeps it from being given out.
  static let readWaitingWork = Statement(
    "read_waiting_work",
    """
    select distinct array_to_string(j.tags, ' ') as tags, j.memory_mib,
      case when j.paused_at is not null then 'paused' when j.wakes_at > clock_timestamp() then 'retrying'
        when s.slots <= coalesce(o.attempts, 0) then 'quota' else 'none' end as obstacle
    from spool.job j
    join spool.submitter s on s.name = j.submitter
    left join (
      select p.submitter, count(*) as attempts
      from spool.attempt a join spool.task t on t.id = a.task join spool.job p on p.id = t.job
      where a.outcome is null and t.kind in ('picture', 'sound') group by p.submitter
    ) o on o.submitter = j.submitter
    where j.state in ('queued', 'running') and (j.wakes_at is null or j.wakes_at < 'infinity')
      and exists (select from spool.task t where t.job = j.id and t.state = 'ready')
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
  static let noteHolds = Statement(
    "note_holds",
    """
    with moment as materialized (
      select timestamptz 'epoch' + $1::bigint * interval '1 microsecond' as now,
        timestamptz 'epoch' + ($1::bigint - $2::bigint) * interval '1 microsecond' as last
    ), held as materialized (
      select 'quota' as kind, s.name from spool.submitter s
      where s.slots is not null and exists (
        select from spool.job j
        where j.submitter = s.name and j.state in ('queued', 'running') and j.paused_at is null and j.wakes_at is null and exists (
          select from spool.task t where t.job = j.id and t.state = 'ready' and t.kind in ('picture', 'sound')))
        and s.slots <= (
          select count(*) from spool.attempt a join spool.task t on t.id = a.task join spool.job j on j.id = t.job
          where a.outcome is null and t.kind in ('picture', 'sound') and j.submitter = s.name)
      union all
      select 'needs', spool.needs_of(n.tags, n.memory_mib)
      from (select distinct tags, memory_mib from spool.job where state in ('queued', 'running') and paused_at is null) n
      where (n.tags <> '{}' or n.memory_mib > 0) and not exists (
        select from spool.worker w
        where w.retired_at is null and w.lease_until > clock_timestamp() and w.drained_at is null and w.set_aside_at is null and w.slots > 0
          and n.tags <@ w.tags and n.memory_mib <= w.memory_mib)
    ), prolonged as (
      update spool.hold o set until = m.now from held h cross join moment m
      where o.kind = h.kind and o.name = h.name and o.until >= m.last and o.until < m.now
      returning o.kind, o.name
    )
    insert into spool.hold (kind, name, since, until)
    select h.kind, h.name, m.last, m.now from held h cross join moment m
    where not exists (select from prolonged p where p.kind = h.kind and p.name = h.name)
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
