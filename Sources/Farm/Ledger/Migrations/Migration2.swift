extension SchemaPlan.Migration {
  /// Makes one coordinator lead, in a term that its writes name.
  static let leader = SchemaPlan.Migration(
    version: 2,
    sql: """
      create table spool.leader (
        term bigint primary key check (term >= 0),
        coordinator text not null,
        epoch text not null,
        taken_at timestamptz not null default clock_timestamp(),
        renewed_at timestamptz not null default clock_timestamp(),
        lease_until timestamptz not null
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 100);
      comment on table spool.leader is 'One row: the coordinator that leads. Whoever writes for the farm''s work holds the row''s key, its term.';
      comment on column spool.leader.term is 'Grows with each change of the leader; writes of an earlier term are refused.';
      comment on column spool.leader.epoch is 'New at every start of the coordinator.';
      comment on column spool.leader.lease_until is 'Renewed every second; when it passes, another coordinator may lead.';
      create unique index leader_is_one on spool.leader ((true));
      insert into spool.leader (term, coordinator, epoch, lease_until) values (0, 'nobody', '', '-infinity');

      create function spool.require_term(mine bigint) returns void language plpgsql as $$
      begin
        -- The key share lock keeps the term until the transaction ends: who takes the lead changes the key, and waits.
        perform from spool.leader where term = mine for key share;
        if not found then
          raise exception using errcode = 'SPT01', message = 'another coordinator leads: term ' || mine || ' is over';
        end if;
      end $$;
      comment on function spool.require_term(bigint) is 'Refuses the transaction of a coordinator that leads no longer.';
      """)
}
