internal import Ledger
internal import Operations
internal import WebServer

/// A change of a webhook, as a body asks for it.
private struct WebhookOrder: Keyed {
  static let keys = ["name", "url", "events", "submitter", "mayBePrivate", "renewsSecret"]

  var name: String
  var url: String
  var events: [String]?
  var submitter: String?
  var mayBePrivate: Bool?
  /// Whether an existing webhook gets a new secret.
  var renewsSecret: Bool?
}

private struct Named: Keyed {
  static let keys = ["name"]

  var name: String
}

private struct Numbered: Keyed {
  static let keys = ["delivery"]

  var delivery: Int64
}

extension Console {
  func webhooks() throws(Complaint) -> WebResponse {
    JSONBody.response(try changing.run { farm throws(Complaint) in try farm.webhooks() })
  }

  func changeWebhook(_ call: Call) throws(Complaint) -> WebResponse {
    let order = try Self.decoded(call, as: WebhookOrder.self)
    var webhook = Webhook(name: order.name, url: order.url, submitter: order.submitter, mayBePrivate: order.mayBePrivate ?? false)
    if let events = order.events { webhook.events = events }
    return JSONBody.response(
      try changing.run(as: call.deskCaller) { [webhook] farm throws(Complaint) in
        try farm.change(webhook, renewingSecret: order.renewsSecret ?? false)
      })
  }

  func removeWebhook(_ call: Call) throws(Complaint) -> WebResponse {
    let name = try Self.decoded(call, as: Named.self).name
    try changing.run(as: call.deskCaller) { farm throws(Complaint) in try farm.remove(webhook: name) }
    return try webhooks()
  }

  func deliveries(_ call: Call) throws(Complaint) -> WebResponse {
    var request = DeliveriesRequest(webhook: call.text("webhook"))
    request.isFailed = try call.flag("failed", else: false)
    request.before = try call.integer("before", in: 1...Int.max).map { Int64($0) }
    request.limit = try call.integer("limit", in: DeliveriesRequest.limits) ?? request.limit
    return JSONBody.response(try changing.run { [request] farm throws(Complaint) in try farm.deliveries(request) })
  }

  func replay(_ call: Call) throws(Complaint) -> WebResponse {
    let delivery = try Self.decoded(call, as: Numbered.self).delivery
    try changing.run(as: call.deskCaller) { farm throws(Complaint) in try farm.replay(delivery: delivery) }
    return try deliveries(call)
  }
}
