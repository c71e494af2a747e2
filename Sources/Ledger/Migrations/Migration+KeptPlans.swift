extension SchemaPlan.Migration {
  /// What each submission asks is planned once for a session. (`has_role` stands among what is made again after each migration.)
  static let keptPlans = SchemaPlan.Migration(
    version: 23,
    sql: """
      create or replace function spool.is_plain(value text) returns boolean language plpgsql immutable as $$
      begin
        return value !~ '[\\u0001-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]';
      end $$;
      """)
}
