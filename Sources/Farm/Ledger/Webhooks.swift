internal import PostgreSQL

/// A place on the web where events of jobs are sent.
package struct Webhook: Hashable, Sendable, Codable {
  package var name: String
  package var url: String
  /// The events that are sent there, out of `Webhook.allEvents`.
  package var events: [String]
  /// Only jobs of that submitter; nil means all.
  package var submitter: String?
  /// Whether its host may have an address in a private network, or on the machine that delivers.
  package var mayBePrivate: Bool
  /// The key of its signatures, `whsec_` and base64. A change without one keeps it.
  package var secret: String?
  /// The deliveries that wait.
  package var waiting: Int
  /// The number of waiting deliveries that failed before.
  package var failing: Int

  package init(
    name: String, url: String, events: [String] = ["job.done", "job.failed", "job.cancelled"], submitter: String? = nil,
    mayBePrivate: Bool = false, secret: String? = nil, waiting: Int = 0, failing: Int = 0
  ) {
    (self.name, self.url, self.events, self.submitter, self.mayBePrivate) = (name, url, events, submitter, mayBePrivate)
    (self.secret, self.waiting, self.failing) = (secret, waiting, failing)
  }

  package static let allEvents = ["job.submitted", "job.started", "job.done", "job.failed", "job.cancelled", "job.retried"]
}

/// A message for a webhook: one that waits, or one that was sent.
package struct Delivery: Hashable, Sendable, Codable {
  package var id: Int64
  package var webhook: String
  /// The id of the message, which stays when it is sent again.
  package var message: String
  package var event: String
  package var job: String
  /// The times in UTC, to seconds. `dueAt` is nil when it was delivered or given up.
  package var madeAt: String
  package var dueAt: String?
  package var deliveredAt: String?
  package var tries: Int
  /// The status of the last answer; nil when there was none.
  package var status: Int?
  /// The reason why the last try failed; nil after one that did not.
  package var failure: String?
}

/// A delivery that is to be tried now.
package struct DeliveryOrder: Hashable, Sendable {
  package var id: Int64
  /// The number of the try, from 1. It fences the outcome.
  package var number: Int
  package var url: String
  package var secret: String
  package var mayBePrivate: Bool
  package var message: String
  /// The body as it is signed and sent.
  package var body: String
}

extension PostgreSQLLedger {
  /// Makes a webhook, or changes all of it.
  package func change(webhook: Webhook) throws(LedgerError) {
    let values: [Parameter] = [
      .text(webhook.name), .text(webhook.url), .text(webhook.secret), .texts(webhook.events), .text(webhook.submitter),
      .boolean(webhook.mayBePrivate),
    ]
    _ = try perform(Deed("webhook", webhook: webhook.name)) { session throws(LedgerError) in
      try session.change(.changeWebhook, values)
    }
  }

  /// - Returns: false when there is no such webhook.
  package func remove(webhook: String) throws(LedgerError) -> Bool {
    try perform(Deed("webhook", webhook: webhook)) { session throws(LedgerError) in
      try session.first(.removeWebhook, [.text(webhook)]) { row throws(PostgreSQLError) in try row.value("is_found") } ?? false
    }
  }

  /// All webhooks with their secrets, by name.
  package func webhooks() throws(LedgerError) -> [Webhook] {
    try read { session throws(LedgerError) in
      try session.all(.readWebhooks) { row throws(PostgreSQLError) in
        Webhook(
          name: try row.value("name"), url: try row.value("url"),
          events: try row.value("events", as: String.self).split(separator: " ").map(String.init),
          submitter: try row.optional("submitter"), mayBePrivate: try row.value("may_be_private"),
          secret: try row.value("secret"),
          waiting: try row.value("waiting"), failing: try row.value("failing"))
      }
    }
  }

  /// The newest deliveries.
  ///
  /// - Parameters:
  ///   - isFailed: whether only those whose last try failed are wanted.
  ///   - before: only deliveries older than this one, for the next page.
  package func deliveries(
    of webhook: String?, isFailed: Bool, before: Int64?, limit: Int
  ) throws(LedgerError) -> [Delivery] {
    try read { session throws(LedgerError) in
      try session.all(.readDeliveries, [.text(webhook), .boolean(isFailed), .integer(before), .integer(limit)]) {
        row throws(PostgreSQLError) in
        Delivery(
          id: try row.value("id"), webhook: try row.value("name"), message: try row.value("message"),
          event: try row.value("event"),
          job: try row.value("job"), madeAt: try row.value("made_at"), dueAt: try row.optional("due_at"),
          deliveredAt: try row.optional("delivered_at"), tries: try row.value("tries"), status: try row.optional("status"),
          failure: try row.optional("failure"))
      }
    }
  }

  /// Sends a delivery again, with the same message id.
  ///
  /// - Returns: false when there is no such delivery.
  package func replay(delivery: Int64) throws(LedgerError) -> Bool {
    try perform(Deed("replay")) { session throws(LedgerError) in
      try session.first(.replay, [.integer(delivery)]) { row throws(PostgreSQLError) in try row.value("is_found") } ?? false
    }
  }

  /// Takes the next delivery for a try, which counts as lost after a minute; nil when none is due.
  package func takeDelivery() throws(LedgerError) -> DeliveryOrder? {
    try unfenced { session throws(LedgerError) in
      try session.first(.takeDelivery) { row throws(PostgreSQLError) in
        DeliveryOrder(
          id: try row.value("id"), number: try row.value("tries"), url: try row.value("url"), secret: try row.value("secret"),
          mayBePrivate: try row.value("may_be_private"), message: try row.value("message"), body: try row.value("body"))
      }
    }
  }

  /// Notes how a try ended.
  ///
  /// - Parameter failure: the reason why it failed; nil when the message was taken.
  package func settle(_ order: DeliveryOrder, status: Int?, failure: String?) throws(LedgerError) {
    _ = try unfenced { session throws(LedgerError) in
      try session.change(
        .settleDelivery,
        [.integer(order.id), .integer(order.number), .integer(status), .text(failure?.replacing("\0", with: "\u{FFFD}"))])
    }
  }
}

extension Statement {
  static let changeWebhook = Statement("change_webhook", "select spool.change_webhook($1, $2, $3, $4::text[], $5, $6)")
  static let removeWebhook = Statement("remove_webhook", "select spool.remove_webhook($1) as is_found")
  static let readWebhooks = Statement(
    "read_webhooks",
    "select name, url, secret, array_to_string(events, ' ') as events, submitter, may_be_private, waiting, failing from spool.webhooks()"
  )
  static let readDeliveries = Statement(
    "read_deliveries",
    """
    select id, name, message, event, job, tries, status, failure,
      to_char(made_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as made_at,
      to_char(due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as due_at,
      to_char(delivered_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as delivered_at
    from spool.deliveries($1, $2, $3, $4)
    """)
  static let replay = Statement("replay", "select spool.replay($1) as is_found")
  static let takeDelivery = Statement(
    "take_delivery", "select id, tries, url, secret, may_be_private, message, body from spool.take_delivery()")
  static let settleDelivery = Statement("settle_delivery", "select spool.settle_delivery($1, $2, $3, $4)")
}
