extension SchemaPlan.Migration {
  /// `spool.is_plain` becomes PL/pgSQL, because a session keeps the plan of such a function. A function in SQL was planned anew
  /// for each submission. (`has_role`, which changed in the same way, is among the functions that are made again after all
  /// migrations.)
  static let keptPlans = SchemaPlan.Migration(
    version: 23,
    sql: """
      create or replace function spool.is_plain(value text) returns boolean language plpgsql immutable as $$
      begin
        return value !~ '[\\u0001-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]';
      end $$;
      """)
}
