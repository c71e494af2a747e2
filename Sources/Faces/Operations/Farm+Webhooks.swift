internal import FoundationEssentials
package import Ledger
internal import PlainText

/// The webhooks of a farm.
package struct Webhooks: Hashable, Sendable, Codable {
  package var webhooks: [Webhook]
}

/// The deliveries of webhooks, the newest first.
package struct Deliveries: Hashable, Sendable, Codable {
  package var deliveries: [Delivery]
  /// The delivery before which the next page begins; nil on the last one.
  package var next: Int64?
}

/// The deliveries that somebody wants to see.
package struct DeliveriesRequest: Hashable, Sendable, Codable {
  package var webhook: String?
  /// Whether only those whose last try failed are wanted.
  package var isFailed = false
  package var before: Int64?
  package var limit = 50

  package init(webhook: String? = nil) { self.webhook = webhook }

  package static let limits = 1...1000
}

extension Farm {
  /// The webhooks, without their secrets.
  package func webhooks() throws(Complaint) -> Webhooks {
    try complaining {
      Webhooks(
        webhooks: try ledger.webhooks().map { found in
          var webhook = found
          webhook.secret = nil
          return webhook
        })
    }
  }

  /// Makes a webhook, or changes it.
  ///
  /// - Parameter isRenewed: whether an existing one gets a new secret.
  /// - Returns: the webhook, with its secret where that is new.
  package func change(_ webhook: Webhook, renewingSecret isRenewed: Bool = false) throws(Complaint) -> Webhook {
    try webhook.requireSense()
    return try complaining {
      let isKnown = try ledger.webhooks().contains { $0.name == webhook.name }
      var changed = webhook
      changed.secret = isKnown && !isRenewed ? nil : Self.newSecret()
      try ledger.change(webhook: changed)
      return changed
    }
  }

  /// - Throws: a complaint of the class `noInput` when there is no such webhook.
  package func remove(webhook: String) throws(Complaint) {
    try complaining {
      guard try ledger.remove(webhook: webhook) else { throw Complaint(webhook, "no such webhook", .noInput) }
    }
  }

  package func deliveries(_ request: DeliveriesRequest) throws(Complaint) -> Deliveries {
    try complaining {
      let found = try ledger.deliveries(
        of: request.webhook, isFailed: request.isFailed, before: request.before, limit: request.limit + 1)
      let shown = Array(found.prefix(request.limit))
      return Deliveries(deliveries: shown, next: found.count > shown.count ? shown.last?.id : nil)
    }
  }

  /// Sends a delivery again.
  ///
  /// - Throws: a complaint of the class `noInput` when there is no such delivery.
  package func replay(delivery: Int64) throws(Complaint) {
    try complaining {
      guard try ledger.replay(delivery: delivery) else { throw Complaint("\(delivery)", "no such delivery", .noInput) }
    }
  }

  /// Takes the next delivery for a try; nil when none is due.
  package func takeDelivery() throws(Complaint) -> DeliveryOrder? { try complaining { try ledger.takeDelivery() } }

  /// Notes how a try ended: without a failure, the message was taken.
  package func settle(_ order: DeliveryOrder, status: Int?, failure: String?) throws(Complaint) {
    try complaining { try ledger.settle(order, status: status, failure: failure) }
  }

  /// A new secret: 32 random bytes from the kernel.
  private static func newSecret() -> String {
    var generator = SystemRandomNumberGenerator()
    return Webhook.secretPrefix + Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }).base64EncodedString()
  }
}

extension Webhook {
  package static let secretPrefix = "whsec_"

  fileprivate func requireSense() throws(Complaint) {
    guard name.wholeMatch(of: #/[a-z0-9][a-z0-9-]{0,62}/#) != nil else {
      throw Complaint("name", "'\(name)' is not a name of lower-case letters, digits and hyphens", .usage)
    }
    let known = Self.allEvents.joined(separator: ", ")
    guard !events.isEmpty, events.allSatisfy(Self.allEvents.contains) else {
      throw Complaint("events", "are to be some of \(known)", .usage)
    }
    guard url.wholeMatch(of: #/https?:\/\/[^\s\/@]+(?:\/\S*)?/#) != nil, url.utf8.count <= 2048, url.isPlain else {
      throw Complaint("url", "is to be a URL of http or https without user and password", .usage)
    }
    if let submitter, !SubmitterName.isValid(submitter) { throw Complaint("submitter", SubmitterName.expectation, .usage) }
  }
}
