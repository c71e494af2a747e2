extension SchemaPlan.Migration {
  /// Lets chunks be divided while they run, and checks that each frame of a movie stays in one of them.
  static let splits = SchemaPlan.Migration(
    version: 8,
    sql: #"""
      alter table spool.job add column is_divisible boolean not null default true;
      alter table spool.task add column divisions integer not null default 0 check (divisions >= 0),
        add column split_from bigint,
        add constraint only_a_picture_is_divided check (kind = 'picture' or (divisions = 0 and split_from is null));
      comment on column spool.job.is_divisible is 'Whether its chunks may be divided further while they run (submit --no-split).';
      comment on column spool.task.ordinal is 'Place in the job as planned: pictures in frame order, sound, mux, publish; then what was split off. '
        'Order by first_frame, ordinal for the order of the movie.';
      comment on column spool.task.divisions is 'How often it, or the chunk that it was split off, was divided while it ran.';
      comment on column spool.task.split_from is 'The chunk that it was split off while that one ran.';

      create unique index task_frames on spool.task (job, first_frame) where kind = 'picture';
      create function spool.require_frames_once(jobs text[]) returns void language plpgsql as $$
      declare
        broken text;
      begin
        select j.id into broken
        from spool.job j join (
          select job, sum(frame_count) as frames, bool_and(first_frame = following) as is_joined
          from (
            select job, first_frame, frame_count,
              coalesce(lag(first_frame + frame_count) over (partition by job order by first_frame), 0) as following
            from spool.task where job = any(jobs) and kind = 'picture'
          ) chunk group by job
        ) movie on movie.job = j.id
        where not movie.is_joined or movie.frames <> j.frame_count limit 1;
        if broken is not null then
          raise exception using errcode = 'integrity_constraint_violation',
            message = 'the chunks of job ' || broken || ' do not hold each of its frames once';
        end if;
      end $$;
      comment on function spool.require_frames_once(text[]) is 'Refuses chunks of jobs that overlap, leave a gap, or are not all of the movie.';
      create function spool.check_new_frames() returns trigger language plpgsql as $$
      begin
        perform spool.require_frames_once(array(select distinct job from new_rows where kind = 'picture'));
        return null;
      end $$;
      -- This check reads only the chunks around a division, because hundreds of chunks of one job may be divided together.
      create function spool.check_frames() returns trigger language plpgsql as $$
      declare
        least_frame bigint := least(old.first_frame, new.first_frame);
        last_end bigint := greatest(old.first_frame + old.frame_count, new.first_frame + new.frame_count);
      begin
        perform from (
          select min(first_frame) as first_frame, max(first_frame + frame_count) as end_frame, bool_and(first_frame = following) as is_joined
          from (
            select first_frame, frame_count, coalesce(lag(first_frame + frame_count) over (order by first_frame), first_frame) as following
            from spool.task
            where job = new.job and kind = 'picture' and first_frame <= last_end and first_frame >= coalesce((
              select max(first_frame) from spool.task where job = new.job and kind = 'picture' and first_frame < least_frame), 0)
          ) chunk
        ) around join spool.job j on j.id = new.job
        where is_joined and (first_frame < least_frame or first_frame = 0) and (end_frame > last_end or end_frame = j.frame_count);
        if not found then
          raise exception using errcode = 'integrity_constraint_violation',
            message = 'the chunks of job ' || new.job || ' do not hold each of its frames once';
        end if;
        return null;
      end $$;
      create trigger frames_begin after insert on spool.task referencing new table as new_rows
        for each statement execute function spool.check_new_frames();
      create constraint trigger frames_change after update of first_frame, frame_count on spool.task deferrable initially deferred
        for each row execute function spool.check_frames();
      """#)
}
