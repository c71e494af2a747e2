extension SchemaPlan.Migration {
  /// Lets a job say whether damaged media were replaced in it.
  static let damage = SchemaPlan.Migration(
    version: 20,
    sql: """
      alter table spool.job add column is_damaged boolean not null default false;
      comment on column spool.job.is_damaged is 'A result of it told of damaged media that were replaced; how much: spool.job_damage.';
      update spool.job j set is_damaged = true
      where exists (
        select from spool.task t join spool.attempt a on a.task = t.id
        where t.job = j.id and a.outcome = 'won' and a.proof -> 'concealed' is not null);
      """)
}
