extension SchemaPlan.Migration {
  /// Lets jobs name the font files that their texts are drawn with. The two functions that take and give a job's specification
  /// are made again with the views.
  static let fonts = SchemaPlan.Migration(
    version: 21,
    sql: """
      alter table spool.job_spec add column fonts json;
      comment on column spool.job_spec.fonts is 'The faces that its texts are drawn in, each file named by its digest; NULL where nobody said.';
      create index job_needs on spool.job (tags) where state in ('queued', 'running') and tags <> '{}';
      drop function if exists spool.submit_job(
        text, text, integer, text, bigint, text[], integer, text, boolean, text, json, boolean, boolean, text[], bigint[], bigint[],
        double precision[]);
      drop function if exists spool.specification(text);
      """)
}
