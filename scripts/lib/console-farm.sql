-- A farm to be looked at by scripts/check-console: jobs in every state, one of 100,000 chunks, workers, and names that are markup.
\set ON_ERROR_STOP on
begin;
set local session_replication_role = replica;
insert into spool.leader (term, coordinator, epoch, lease_until) values (1, 'coordinator-1 tcp://*:7400', '1', now() + interval '1 day')
  on conflict do nothing;
update spool.leader set term = 1, coordinator = 'coordinator-1 tcp://*:7400', epoch = '1', renewed_at = now(), lease_until = now() + interval '1 day';
insert into spool.submitter (name, weight, slots) values
  ('ana@edit-1', 3, 40), ('ben@edit-2', 1, null), ('<img src=x onerror=wasRun=1>', 1, 5);
insert into spool.worker (name, epoch, host, process_id, slots, memory_mib, tags, heartbeat_at, lease_until, drained_at)
select 'render-' || n || '-1', '1', 'render-' || n, n, 8, 3900, case when n % 3 = 0 then '{gpu,site=tokyo}' else '{site=tokyo}' end::text[],
  now() - interval '0.4 s', case when n = 5 then now() - interval '9 min' else now() + interval '1 day' end, case when n = 7 then now() end
from generate_series(1, 12) n;
insert into spool.job (id, submitter, state, priority, output, frame_count, chunk_count, parts_left, submitted_at, started_at, ended_at,
  frames_done, chunks_done, retry_count, paused_at, failure_class, failure_place, failure_reason, cost)
values
  ('running', 'ana@edit-1', 'running', 0, '/srv/output/opening-of-the-evening-news.mp4', 6000, 120, 71, now() - interval '10 min',
    now() - interval '9 min', null, 2460, 50, 3, null, null, null, null, 400),
  ('large', 'ben@edit-2', 'running', 5, '/srv/output/season.mov', 10000000, 100000, 50001, now() - interval '20 h', now() - interval '19 h',
    null, 5000000, 50000, 812, null, null, null, null, 9e5),
  ('waiting', 'ana@edit-1', 'queued', 0, '/srv/output/trailer.mp4', 1500, 12, 13, now() - interval '4 min', null, null, 0, 0, 0, null, null, null,
    null, 90),
  ('markup', '<img src=x onerror=wasRun=1>', 'queued', 0, '/srv/output/<script>wasRun=1</script>.mp4', 250, 2, 3, now() - interval '3 min', null,
    null, 0, 0, 0, now(), null, null, null, 10),
  ('done', 'ben@edit-2', 'done', 0, '/srv/output/credits.mp4', 900, 9, 0, now() - interval '2 h', now() - interval '119 min',
    now() - interval '100 min', 900, 9, 0, null, null, null, null, 50),
  ('failed', 'ana@edit-1', 'failed', 0, '/srv/output/interview.mp4', 2000, 20, 9, now() - interval '3 h', now() - interval '179 min',
    now() - interval '170 min', 1200, 12, 4, null, 'content', 'assets.a: /srv/media/a.mov track 1 at 12.48 s',
    'the packet is damaged and "damage" is not "conceal"', 100),
  ('cancelled', 'ben@edit-2', 'cancelled', 0, '/srv/output/draft.mp4', 500, 5, 6, now() - interval '4 h', null, now() - interval '200 min', 0, 0,
    0, null, null, null, null, 20);
insert into spool.job_spec (job, document, facts, overwrites, keeps_segments) select id, '{"spool":1}', '{}', true, false from spool.job;
insert into spool.task (job, ordinal, kind, state, first_frame, frame_count, cost, attempts)
select j.id, n, 'picture', case when j.state = 'done' or n < j.chunks_done then 'done' when j.state = 'running' and n < j.chunks_done + 40 then 'running'
  when j.state = 'failed' then 'cancelled' else 'ready' end, n * (j.frame_count / j.chunk_count), j.frame_count / j.chunk_count, 1,
  case when n < j.chunks_done or j.state = 'running' and n < j.chunks_done + 40 then 1 + (n % 37 = 5)::int else 0 end
from spool.job j cross join lateral generate_series(0, j.chunk_count - 1) n;
insert into spool.task (job, ordinal, kind, state, cost) select id, chunk_count, 'mux', 'waiting', 1 from spool.job where state <> 'done';
insert into spool.attempt (task, number, worker, epoch, outcome, proof, started_at, ended_at, progress_deadline, units_done, units_total)
select t.id, t.attempts, 'render-' || (1 + (hashint8(t.id) & 7)) || '-1', '1', case when t.state = 'done' then 'won' end,
  case when t.state = 'done' then json_build_object('milliseconds', json_build_object(
    'opening', floor(p.ms * 0.06), 'reading', floor(p.ms * (0.1 + t.ordinal % 7 / 20.0)), 'compositing', floor(p.ms * (0.32 - t.ordinal % 5 / 25.0)),
    'encoding', floor(p.ms * 0.12))) end, s.start, case when t.state = 'done' then s.start + s.long * (0.6 + (t.ordinal * 7 % 10) / 12.0) end,
  now() + interval '1 h', case when t.state = 'done' then t.frame_count else t.frame_count / 3 end, t.frame_count
from spool.task t join spool.job j on j.id = t.job
cross join lateral (
  select j.started_at + (coalesce(j.ended_at, now()) - j.started_at) * (t.ordinal / 24 * 24.0 / (j.chunks_done + 41)) as start,
    (coalesce(j.ended_at, now()) - j.started_at) * greatest(24.0 / (j.chunks_done + 41), 0.004) as long) s
cross join lateral (select extract(epoch from s.long) * 1000 * (0.6 + (t.ordinal * 7 % 10) / 12.0) as ms) p
where t.attempts > 0 and t.kind = 'picture';
insert into spool.history (entity, job, task, number, worker, before, after, reason, at)
select 'attempt', t.job, t.id, a.number, a.worker, null, coalesce(a.outcome, 'running'), null, coalesce(a.ended_at, a.started_at)
from spool.task t join spool.attempt a on a.task = t.id where t.ordinal < 60;
insert into spool.attempt_log (task, number, text, byte_count)
select a.task, a.number, E'h264: error while decoding MB 12 3, bytestream -7\nh264: concealing 1021 DC, 1021 AC, 1021 MV errors in P frame\n'
  || case when t.ordinal % 3 = 0 then '<img src=x onerror=wasRun=1> ' || repeat('a long line without a break ', 20) || E'\u001b[31mred' else '' end, 5210
from spool.task t join spool.attempt a on a.task = t.id where t.job = 'running' and t.ordinal < 4;
insert into spool.audit (at, verb, role, caller, address, peer, program, job, submitter, worker, before, after) values
  (now() - interval '10 min', 'submit', 'spool_any_submitter', 'ana@edit-1', '10.0.3.7', null, 'spool client', 'running', 'ana@edit-1', null, null,
    '{"state":"queued","paused":false,"priority":0,"output":"/srv/output/opening-of-the-evening-news.mp4"}'),
  (now() - interval '5 min', 'prioritise', 'spool_operator', '<img src=x onerror=wasRun=1>', '10.0.3.1', '192.168.7.20', 'spool client', 'running', 'ana@edit-1',
    null, '{"priority":0}', '{"priority":7}'),
  (now() - interval '3 min', 'drain', 'spool_operator', 'olga', '10.0.3.1', '192.168.7.21', 'spool client', null, null, 'render-7-1', '{"drained":false}',
    '{"drained":true}'),
  (now() - interval '2 min', 'share', 'spool_operator', 'olga', '10.0.3.1', '192.168.7.21', 'spool client', null, 'ana@edit-1', null,
    '{"weight":1,"slots":null}', '{"weight":3,"slots":40}');
insert into spool.webhook (name, url, secret, events, submitter, may_be_private) values
  ('portal', 'https://portal.example/hooks/spool', 'whsec_AAAA', '{job.done,job.failed,job.cancelled}', null, false),
  ('wall', 'http://10.0.0.9:8080/a-rather-long-path/that/goes/on', 'whsec_AAAA', '{job.started}', 'ana@edit-1', true);
insert into spool.delivery (webhook, message, event, job, body, made_at, due_at, tries, delivered_at, status, failure) values
  ('portal', 'msg_1', 'job.done', 'done', '{}', now() - interval '100 min', null, 1, now() - interval '100 min', 204, null),
  ('portal', 'msg_2', 'job.failed', 'failed', '{}', now() - interval '170 min', null, 9, null, 500, 'https://portal.example: the server cannot answer now (HTTP status 500)'),
  ('wall', 'msg_3', 'job.started', 'running', '{}', now() - interval '9 min', now() + interval '20 min', 3, null, null, 'http://10.0.0.9: nobody listens there, or it cannot be reached');
commit;
analyze;
