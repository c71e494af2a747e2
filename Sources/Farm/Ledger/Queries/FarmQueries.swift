internal import PostgreSQL

// The farm as a whole, and the work that is left on it.
extension Statement {
  static let readFarm = Statement(
    "read_farm",
    """
    select term, leader, is_led, extract(epoch from statement_timestamp() - led_at)::double precision as seconds_since_led,
      to_char(drained_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as drained_at, workers_alive, slots, attempts_running,
      jobs_running, jobs_queued
    from spool.farm_status
    """)
  static let readTime = Statement("read_time", "select extract(epoch from clock_timestamp())::double precision as now")
  static let readMeasures = Statement(
    "read_measures", "select measure, label, second_label, value::double precision as value from spool.farm_measure")
  static let readCoordinators = Statement(
    "read_coordinators",
    """
    select name, state, greatest(0, extract(epoch from statement_timestamp() - since))::double precision as seconds
    from spool.coordinator_status order by state <> 'leads', name
    """)

  /// Takes the oldest $1 events out of the outbox.
  static let takeNews = Statement(
    "take_news",
    """
    with taken as (
      delete from spool.news where id = any(array(select id from spool.news order by id limit $1)) returning id, event, facts
    )
    select event, to_json(facts)::text as facts from taken order by id
    """)

  /// The tags of fonts that unfinished jobs need, at most $1. Each set of tags is looked up once in its index, however many jobs
  /// have it.
  static let wantedFonts = Statement(
    "wanted_fonts",
    """
    with recursive needs as (
      (select tags from spool.job where \(isNeedy) order by tags limit 1)
      union all
      select n.tags from needs l cross join lateral (
        select tags from spool.job where \(isNeedy) and tags > l.tags order by tags limit 1) n
    )
    select distinct tag from needs cross join lateral unnest(tags) as tag where starts_with(tag, 'font=') order by tag limit $1
    """)

  /// The condition of the index `job_needs`.
  private static let isNeedy = "state in ('queued', 'running') and tags <> '{}'"

  // MARK: What a forecast is made from

  static let readIsGivingOut = Statement(
    "read_is_giving_out",
    """
    select l.lease_until > statement_timestamp() and f.drained_at is null as is_giving_out from spool.leader l cross join spool.farm f
    """)
  static let readQueueWorkers = Statement(
    "read_queue_workers",
    "select slots, array_to_string(tags, ' ') as tags, memory_mib from spool.worker_status where state = 'alive' order by name")

  /// The first $1 jobs that have not ended, with the priorities that claims use, and the seconds that their tasks are expected to
  /// take. A learned pace counts from $2 results on; before that, pictures take the usual pace of their codec, or of all pictures.
  static let readQueue = Statement(
    "read_queue",
    """
    -- The output roots come from the view, which every role may read.
    with recursive writable as materialized (
      select case when not coalesce(bool_or(w.output_roots is null), true) then array_agg(distinct rtrim(r, '/') || '/') end as roots,
        array_agg(distinct rtrim(r, '/') || '/') filter (where r like 's3:%') as objects
      from (select output_roots from spool.worker_status where state <> 'left') w left join lateral unnest(w.output_roots) r on true
    ), \(lines(if: "true")), \(usualPaces), \(present), \(aged(each: "(select ageing_ms from spool.leader)")), level as materialized (
      select submitter, priority, max(level) as level from aged group by submitter, priority
    )
    select j.id, j.submitter, coalesce(l.level, j.priority) as priority, j.number, j.paused_at is not null or (\(isHeld)) as is_paused,
      array_to_string(j.tags, ' ') as tags, j.memory_mib, j.frame_count, j.chunk_count - j.chunks_done as chunks,
      j.cost / greatest(j.chunk_count, 1) * coalesce(pj.pace, pw.pace, uc.pace, ua.pace, 1) as chunk_seconds,
      j.parts_left - (j.chunk_count - j.chunks_done) as sounds,
      case when j.parts_left > j.chunk_count - j.chunks_done then
        (select avg(t.cost) from spool.task t where t.job = j.id and t.kind = 'sound') * coalesce(ps.pace, 1) end as sound_seconds,
      s.weight, s.slots, s.spent, s.turn, p.turn as farm_turn
    from spool.job j
    cross join present p
    join spool.submitter s on s.name = j.submitter
    left join level l on l.submitter = j.submitter and l.priority = j.priority
    left join spool.pace pj on pj.kind = 'job' and pj.name = j.id and pj.result_count >= $2
    left join spool.pace pw on pw.kind = 'work' and pw.name = j.work and pw.result_count >= $2
    left join usual uc on uc.codec = split_part(j.work, ' ', 1)
    left join usual ua on ua.codec is null
    left join spool.pace ps on ps.kind = 'work' and ps.name = 'sound' and ps.result_count >= $2
    where j.state in ('queued', 'running') order by j.priority desc, j.number limit $1
    """)
  static let readQueueAttempts = Statement(
    "read_queue_attempts",
    """
    select t.job, t.kind, t.cost, a.units_done, a.units_total,
      greatest(0, extract(epoch from statement_timestamp() - a.started_at))::double precision as elapsed
    from spool.attempt a join spool.task t on t.id = a.task
    where a.outcome is null and not a.is_speculative order by a.task
    """)
}
