internal import FoundationEssentials
internal import Glibc
internal import Ledger
internal import Linux
package import Operations
internal import Transfer
internal import WebServer

/// A message as Standard Webhooks 1.0 sends it: headers with its id, its time and its signature, and the body that was signed.
struct WebhookPost {
  let request: HTTPRequest

  /// - Parameter seconds: the time of this try, in seconds since 1970.
  /// - Throws: a complaint about a secret that is none.
  init(_ order: DeliveryOrder, at seconds: Int64) throws(Complaint) {
    guard order.secret.hasPrefix(Webhook.secretPrefix),
      let key = Data(base64Encoded: String(order.secret.dropFirst(Webhook.secretPrefix.count)))
    else { throw Complaint("secret", "is not \(Webhook.secretPrefix) and base64", .badDocument) }
    let body = Array(order.body.utf8)
    let signed = Array("\(order.message).\(seconds).".utf8) + body
    let code = Data(MessageCode.code(of: signed, key: Array(key))).base64EncodedString()
    var request = HTTPRequest(.post(body), order.url)
    request.headers = [
      ("Content-Type", "application/json"), ("webhook-id", order.message), ("webhook-timestamp", "\(seconds)"),
      ("webhook-signature", "v1,\(code)"),
    ]
    // A name that leads into a private network, now or when it is looked up, is refused unless the operator allowed it.
    request.reach = order.mayBePrivate ? .networks : .internet
    self.request = request
  }
}

/// Sends what the outbox holds, on threads of its own. Any number of consoles may do that for one farm. One that is killed loses
/// nothing: its tries count as lost after a minute and are made again.
package final class Postman: Sendable {
  /// The deliveries that are tried at once. A receiver that hangs keeps one of them for a quarter of a minute.
  private static let hands = 4
  /// The seconds after which a receiver that takes or answers nothing is given up for this time.
  private static let stallSeconds = 15
  /// The bytes of an answer that are read. The status alone counts, and an answer may have no end.
  private static let answerLimit = 64 << 10
  private static let pauseMicroseconds: UInt32 = 500_000

  private let database: @Sendable () throws(Complaint) -> String

  package init(database: @escaping @Sendable () throws(Complaint) -> String) { self.database = database }

  /// Begins to deliver. The threads end with the process.
  package func start() {
    for _ in 0..<Self.hands { _ = JoinableThread { [self] in work() } }
  }

  private func work() {
    let farm = Farm { [database] () throws(Complaint) in try database() }
    var isAway = false
    while true {
      do throws(Complaint) {
        if try !Self.deliverNext(of: farm) { usleep(Self.pauseMicroseconds) }
        isAway = false
      } catch {
        if !isAway { writeLog("event=webhooks_stand reason=\(error.told.first?.text ?? "")") }
        isAway = true
        usleep(4 * Self.pauseMicroseconds)
      }
    }
  }

  /// Makes a try of the next delivery that is due.
  ///
  /// - Returns: false when none is due.
  package static func deliverNext(of farm: Farm) throws(Complaint) -> Bool {
    guard let order = try farm.takeDelivery() else { return false }
    let (status, failure) = deliver(order)
    let answer = status.map { "\($0)" } ?? "-"
    writeLog("event=webhook message=\(order.message) try=\(order.number) status=\(answer) failed=\(failure != nil)")
    try farm.settle(order, status: status, failure: failure)
    return true
  }

  /// Makes one try.
  ///
  /// - Returns: the status of the answer, if there was one, and the reason of the failure, if it failed.
  private static func deliver(_ order: DeliveryOrder) -> (status: Int?, failure: String?) {
    var (taken, room): (Int?, Int) = (nil, answerLimit)
    do {
      var now = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &now)
      var request = try WebhookPost(order, at: Int64(now.tv_sec)).request
      request.answered = { taken = $0.status }
      let response = try HTTPClient(stallSeconds: stallSeconds).perform(request) { piece in
        room -= piece.count
        return room >= 0
      }
      // A redirect is not followed: a receiver that moved has to be entered anew.
      guard response.status < 300 else { return (response.status, "it answers \(response.status), which is no success") }
      return (response.status, nil)
    } catch let error as TransferError {
      if room < 0, let taken { return (taken, nil) }
      return (error.status, error.description)
    } catch { return (nil, "\(error)") }
  }
}
