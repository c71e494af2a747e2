extension SchemaPlan.Migration {
  /// Gives jobs that have not ended outputs of their own. Where several had the same output, the first job goes on. The others
  /// fail and may be retried after it: otherwise the last one would have overwritten the first, or failed.
  static let writers = SchemaPlan.Migration(
    version: 13,
    sql: """
      with writer as (
        select id, first_value(id) over (partition by output order by number) as first
        from spool.job where state in ('queued', 'running')
      ), ended as (
        update spool.job j set
          state = 'failed', ended_at = clock_timestamp(), followed_to = 0, failure_class = 'content', failure_place = j.output,
          failure_reason = 'job ' || w.first || ', which was submitted before, is to write it'
        from writer w where w.id = j.id and w.first <> j.id
        returning j.id
      ), stopped as (
        update spool.attempt a set outcome = 'cancelled', ended_at = clock_timestamp()
        from spool.task t, ended e where t.id = a.task and t.job = e.id and a.outcome is null
        returning a.task
      )
      update spool.task set state = 'cancelled' where id in (select task from stopped);
      create unique index job_writes on spool.job (md5(output)) where state in ('queued', 'running');
      """)
}
