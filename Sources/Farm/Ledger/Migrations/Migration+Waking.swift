extension SchemaPlan.Migration {
  /// Lets tasks that become ready wake their jobs by looking them up.
  static let waking = SchemaPlan.Migration(
    version: 15,
    sql: """
      create or replace function spool.wake_jobs() returns trigger language plpgsql as $$
      begin
        if not exists (select from new_rows where state = 'ready') then return null; end if;
        -- The batch comes first, whatever is believed of the table: a row is looked up by its key, and changed at its place.
        update spool.job j set wakes_at = r.at
        from (
          select k.place, n.at
          from (select job, min(ready_at) as at from new_rows where state = 'ready' group by job) n
          cross join lateral (select ctid as place, wakes_at from spool.job where id = n.job limit 1) k
          where k.wakes_at > n.at
        ) r
        where j.ctid = r.place;
        return null;
      end $$;
      """)
}
