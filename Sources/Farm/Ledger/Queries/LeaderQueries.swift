internal import PostgreSQL

extension Statement {
  /// Extends the lease of the leader with epoch $1. A lease that has ended is not extended; then even the same leader begins a
  /// new term.
  static let renewLeader = Statement(
    "renew_leader",
    """
    update spool.leader set renewed_at = clock_timestamp(), lease_until = clock_timestamp() + $2 * interval '1 millisecond'
    where epoch = $1 and lease_until > clock_timestamp()
    returning term
    """)

  /// The leader, read without a lock, because followers ask every second. $3 says whether an earlier process of the same name is
  /// succeeded at once.
  static let readLeader = Statement(
    "read_leader",
    """
    select term, coordinator, renewed_at::text as renewed_at,
      lease_until <= clock_timestamp() or $3 and coordinator = $1 and epoch <> $2 as is_free
    from spool.leader
    """)

  /// Begins the term after $1. The term is the row's key, so this waits for transactions of the old term and refuses later ones.
  static let takeLead = Statement(
    "take_lead",
    """
    update spool.leader set
      term = term + 1, coordinator = $2, epoch = $3, taken_at = clock_timestamp(), renewed_at = clock_timestamp(),
      lease_until = clock_timestamp() + $5 * interval '1 millisecond', ageing_ms = $6
    where term = $1 and (lease_until <= clock_timestamp() or $4 and coordinator = $2 and epoch <> $3)
    returning term
    """)

  /// Gives a full lease to every worker that was alive when the leader was last heard ($2), so that a change of leaders costs no
  /// lease.
  static let extendLeases = Statement(
    "extend_leases",
    """
    update spool.worker set lease_until = greatest(lease_until, clock_timestamp() + $1 * interval '1 millisecond')
    where retired_at is null and lease_until >= $2::timestamptz
    """)

  static let extendProgress = Statement(
    "extend_progress",
    """
    update spool.attempt set progress_deadline = greatest(progress_deadline, clock_timestamp() + patience) where outcome is null
    """)

  static let resignLead = Statement(
    "resign_lead", "update spool.leader set lease_until = clock_timestamp() where epoch = $1 and lease_until > clock_timestamp()")
}
