extension SchemaPlan.Migration {
  /// Adds the estimated cost of a job, from which the time that it still takes is estimated.
  static let estimates = SchemaPlan.Migration(
    version: 7,
    sql: """
      alter table spool.job add column cost double precision not null default 0 check (cost >= 0 and cost < 'infinity');
      comment on column spool.job.cost is 'Estimated cost of its pictures in the plan''s unit.';
      update spool.job j set cost = p.cost
      from (select job, sum(cost) as cost from spool.task where kind = 'picture' group by job) p
      where p.job = j.id and j.state in ('queued', 'running');
      """)
}
