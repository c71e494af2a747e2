package import Ledger
internal import Transfer

// What operators ask: shares, draining, webhooks, and files about a job.
extension RemoteFarm {
  package func shares(_ request: SharesRequest) throws(Complaint) -> Shares {
    guard try request.change() != nil else { return try get("/shares", [("submitter", request.submitter)], as: Shares.self) }
    return try post("/shares", body: request, as: Shares.self)
  }

  package func drain(_ drainage: Drainage) throws(Complaint) -> Drainage {
    try post("/drainage", body: drainage, as: Drainage.self)
  }

  package func trace(job id: String) throws(Complaint) -> [UInt8] { try bytes(.get, "/jobs/\(Self.encoded(id))/trace") }

  package func paper(job id: String) throws(Complaint) -> String {
    String(decoding: try bytes(.get, "/jobs/\(Self.encoded(id))/report"), as: UTF8.self)
  }

  package func webhooks() throws(Complaint) -> Webhooks { try get("/webhooks", as: Webhooks.self) }

  private struct WebhookOrder: Encodable {
    var name: String
    var url: String
    var events: [String]
    var submitter: String?
    var mayBePrivate: Bool
    var renewsSecret: Bool
  }

  package func change(_ webhook: Webhook, renewingSecret isRenewed: Bool) throws(Complaint) -> Webhook {
    let order = WebhookOrder(
      name: webhook.name, url: webhook.url, events: webhook.events, submitter: webhook.submitter,
      mayBePrivate: webhook.mayBePrivate, renewsSecret: isRenewed)
    return try post("/webhooks", body: order, as: Webhook.self)
  }

  package func remove(webhook: String) throws(Complaint) {
    _ = try post("/webhooks/removal", body: ["name": webhook], as: Webhooks.self)
  }

  package func deliveries(_ request: DeliveriesRequest) throws(Complaint) -> Deliveries {
    try get(
      "/deliveries",
      [
        ("webhook", request.webhook), ("failed", request.isFailed ? "true" : nil), ("before", request.before.map { "\($0)" }),
        ("limit", "\(request.limit)"),
      ], as: Deliveries.self)
  }

  package func replay(delivery: Int64) throws(Complaint) {
    _ = try post("/deliveries/replay", body: ["delivery": delivery], as: Deliveries.self)
  }
}
