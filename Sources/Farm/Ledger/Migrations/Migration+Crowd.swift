extension SchemaPlan.Migration {
  /// Makes the check of a submission read only its own rows. (`submit_job` belongs to what is made again after each migration.)
  static let crowd = SchemaPlan.Migration(
    version: 22,
    sql: """
      create or replace function spool.require_frames_once(jobs text[]) returns void language plpgsql
        set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
      declare
        broken text;
      begin
        -- Job by job, each by its own index entries: what the tables hold besides is never read, whatever is believed of them.
        select n.id into broken
        from unnest(jobs) as n(id)
        cross join lateral (select frame_count from spool.job where id = n.id limit 1) j
        cross join lateral (
          select sum(frame_count) as frames, bool_and(first_frame = following) as is_joined
          from (
            select first_frame, frame_count, coalesce(lag(first_frame + frame_count) over (order by first_frame), 0) as following
            from spool.task where job = n.id and kind = 'picture'
          ) chunk
        ) movie
        where not movie.is_joined or movie.frames <> j.frame_count limit 1;
        if broken is not null then
          raise exception using errcode = 'integrity_constraint_violation',
            message = 'the chunks of job ' || broken || ' do not hold each of its frames once';
        end if;
      end $$;
      """)
}
