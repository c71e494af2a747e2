internal import PostgreSQL

/// The record of who asks the desk, as the program says it. The database knows besides as which role the program is connected.
package struct DeskCaller: Hashable, Sendable {
  /// The name of a console's token, or USER@HOST; nil where the program says none.
  package var name: String?
  /// The address from which a console was asked.
  package var peer: String?

  package init(name: String? = nil, peer: String? = nil) { (self.name, self.peer) = (name, peer) }

  var parameters: [Parameter] { [.text(name), .text(peer)] }
}

/// A verb of an operator or a submitter, and what it is for, as far as the program knows that before the verb is carried out.
package struct Deed: Hashable, Sendable {
  /// The verb, one of `AuditFilter.verbs`.
  package var verb: String
  package var job: String?
  package var worker: String?
  package var submitter: String?
  package var webhook: String?
  /// The number of jobs where several are meant; nil otherwise.
  package var jobs: Int?

  package init(
    _ verb: String, job: String? = nil, worker: String? = nil, submitter: String? = nil, webhook: String? = nil, jobs: Int? = nil
  ) {
    (self.verb, self.job, self.worker, self.submitter, self.webhook, self.jobs) = (verb, job, worker, submitter, webhook, jobs)
  }
}

/// A verb of an operator or a submitter that was carried out, or refused.
package struct AuditEntry: Hashable, Sendable, Codable {
  package var id: Int64
  /// The time in UTC, to milliseconds.
  package var at: String
  /// The verb, one of `AuditFilter.verbs`.
  package var verb: String
  /// The role of the database that did it.
  package var role: String
  /// The name for whom the program acted; nil where it said none.
  package var caller: String?
  /// The address of the program; nil for a socket on the database's machine.
  package var address: String?
  /// The address from which a console was asked.
  package var peer: String?
  /// The name that the program gave itself.
  package var program: String
  package var job: String?
  package var worker: String?
  package var submitter: String?
  package var webhook: String?
  /// The facts that the verb changed, each in a word or a number. A fact that is empty was not there.
  package var changes: [Change]
  /// The reason why it was refused; nil where it was carried out.
  package var refusal: String?
  /// The number of times that it was refused within an hour; 1 where it was carried out.
  package var times: Int

  package struct Change: Hashable, Sendable, Codable {
    package var fact: String
    package var before: String?
    package var after: String?
  }
}

/// The choice of the rows of the audit that somebody wants to see.
package struct AuditFilter: Hashable, Sendable, Codable {
  package var job: String?
  /// The caller's name, or the role.
  package var who: String?
  package var verb: String?
  /// Only rows of the last so many seconds; nil means all.
  package var seconds: Int?
  /// Only rows older than this one, for the next page.
  package var before: Int64?
  package var limit: Int
  /// Whether only what was refused is wanted.
  package var isRefused: Bool

  package init(
    job: String? = nil, who: String? = nil, verb: String? = nil, seconds: Int? = nil, before: Int64? = nil, limit: Int = 50,
    isRefused: Bool = false
  ) {
    (self.job, self.who, self.verb, self.seconds, self.before, self.limit) = (job, who, verb, seconds, before, limit)
    self.isRefused = isRefused
  }

  package static let verbs = [
    "submit", "cancel", "pause", "resume", "prioritise", "retry", "drain", "undrain", "share", "webhook", "replay", "steer",
  ]
}

extension PostgreSQLLedger {
  /// The record of who did what, the newest first.
  package func audit(_ filter: AuditFilter) throws(LedgerError) -> [AuditEntry] {
    let values: [Parameter] = [
      .text(filter.job), .text(filter.who), .text(filter.verb), .integer(filter.seconds), .integer(filter.before),
      .integer(filter.limit), .boolean(filter.isRefused),
    ]
    return try read { session throws(LedgerError) in
      try session.all(.readAudit, values) { row throws(PostgreSQLError) in
        AuditEntry(
          id: try row.value("id"), at: try row.value("at"), verb: try row.value("verb"), role: try row.value("role"),
          caller: try row.optional("caller"), address: try row.optional("address"), peer: try row.optional("peer"),
          program: try row.value("program"), job: try row.optional("job"), worker: try row.optional("worker"),
          submitter: try row.optional("submitter"), webhook: try row.optional("webhook"),
          changes: try LedgerJSON.value("changes", in: row), refusal: try row.optional("refusal"), times: try row.value("times"))
      }
    }
  }

  /// Writes down that a deed was refused.
  package func note(refused deed: Deed, _ reason: String) throws(LedgerError) {
    let values: [Parameter] = [
      .text(deed.verb), .text(deed.job), .text(deed.worker), .text(deed.submitter), .text(deed.webhook), .integer(deed.jobs),
      .text(reason),
    ]
    try unfenced { session throws(LedgerError) in
      try session.change(.introduceCaller, caller.parameters)
      try session.change(.noteRefusal, values)
    }
  }
}

extension Statement {
  /// Says who makes the calls of this transaction: the name $1 and the address $2.
  static let introduceCaller = Statement(
    "introduce_caller",
    "select set_config('spool.caller', coalesce($1, ''), true), set_config('spool.peer', coalesce($2, ''), true)")

  static let noteRefusal = Statement("note_refusal", "select spool.note_refusal($1, $2, $3, $4, $5, $6, $7)")

  /// The newest $6 rows of the audit before row $5, restricted to job $1, who $2, verb $3 and the last $4 seconds where these are not
  /// NULL, and to refusals where $7 is true. The changes are the facts that differ; of what was made anew, all of them.
  static let readAudit = Statement(
    "read_audit",
    """
    select a.id, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, a.verb, a.role, a.caller, a.address, a.peer,
      a.program, a.job, a.worker, a.submitter, a.webhook, a.refusal, a.times, c.changes::text as changes
    from (
      select * from spool.audit
      where ($1::text is null or job = $1) and ($2::text is null or coalesce(caller, role) = $2 or role = $2)
        and ($3::text is null or verb = $3) and ($4::bigint is null or at > statement_timestamp() - $4 * interval '1 second')
        and ($5::bigint is null or id < $5) and ($7 is not true or refusal is not null)
      order by id desc limit $6
    ) a
    cross join lateral (
      select coalesce(json_agg(json_build_object('fact', f.key, 'before', b.value, 'after', f.value) order by f.key), '[]') as changes
      from json_each_text(coalesce(a.after, '{}')) f left join json_each_text(coalesce(a.before, '{}')) b on b.key = f.key
      where b.value is distinct from f.value
    ) c
    order by a.id desc
    """)
}
