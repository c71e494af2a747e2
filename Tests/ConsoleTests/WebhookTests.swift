import Console
import FarmTesting
import FoundationEssentials
import Ledger
import Operations
import PostgreSQL
import Testing

/// Webhooks: a receiver by somebody else checks what it is sent.
@Suite(.serialized) struct `The webhooks` {
  private let bench: ConsoleBench
  private let farm: Farm

  init() throws {
    bench = try ConsoleBench()
    farm = Farm { [database = bench.database] in database }
  }

  /// A receiver that answers by the path: `/STATUSES/`, one for each request in turn, then 200. It writes a line for each message into a
  /// file: whether Python's hmac agrees with the signature, the message's id, its type and its job.
  private func receiver(_ file: String) throws -> PythonServer {
    try PythonServer(
      """
      import base64, hmac, http.server, json, sys, time
      seen = {}
      class Handler(http.server.BaseHTTPRequestHandler):
          def log_message(self, *args): pass
          def do_POST(self):
              body = self.rfile.read(int(self.headers["Content-Length"]))
              id, at, signature = (self.headers["webhook-" + name] for name in ("id", "timestamp", "signature"))
              key = base64.b64decode(open(sys.argv[1] + ".secret").read().removeprefix("whsec_"))
              code = base64.b64encode(hmac.digest(key, f"{id}.{at}.".encode() + body, "sha256")).decode()
              good = hmac.compare_digest("v1," + code, signature) and abs(time.time() - int(at)) < 300
              told = json.loads(body)
              with open(sys.argv[1], "a") as file:
                  print("good" if good else "bad", id, told["type"], told["data"]["job"], self.headers["content-type"], file=file)
              statuses = [s for s in self.path.strip("/").split(",") if s]
              place = seen[self.path] = seen.get(self.path, -1) + 1
              self.send_response(int(statuses[place]) if place < len(statuses) else 204)
              if place < len(statuses) and statuses[place] == "302": self.send_header("Location", "/")
              self.end_headers()
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
      print(server.server_address[1])
      server.serve_forever()
      """, arguments: [file])
  }

  private func enter(_ name: String, _ url: String, isPrivate: Bool = true, events: [String] = Webhook.allEvents) throws
    -> Webhook
  {
    let list = events.map { "\"\($0)\"" }.joined(separator: ",")
    return try bench.post(
      "/api/v1/webhooks", #"{"name":"\#(name)","url":"\#(url)","mayBePrivate":\#(isPrivate),"events":[\#(list)]}"#
    ).decoded(Webhook.self)
  }

  private func makeDue() throws {
    try Connection(url: bench.database, applicationName: "test").run(
      "update spool.delivery set due_at = now() - interval '1 s' where due_at is not null")
  }

  private var deliveries: [Delivery] {
    get throws { try bench.get("/api/v1/deliveries").decoded(Deliveries.self).deliveries.reversed() }
  }

  @Test func `messages are signed as the standard says, repeated until they are taken, in order for each job`() throws {
    let file = "\(bench.folder)/seen"
    let server = try receiver(file)
    let webhook = try enter("portal", "http://127.0.0.1:\(server.greeting[0])/500,302,429/")
    try #require(webhook.secret).write(toFile: file + ".secret", atomically: true, encoding: .utf8)
    try bench.submit("a")
    try bench.submit("b")
    _ = try bench.ledger.cancel(job: "a")
    _ = try bench.ledger.change(job: "a", .retry)
    // The first message of each job is tried. Both fail, so those behind them wait.
    #expect(try Postman.deliverNext(of: farm) && Postman.deliverNext(of: farm) && !Postman.deliverNext(of: farm))
    #expect(try deliveries.map(\.tries) == [1, 1, 0, 0] && deliveries.map(\.status) == [500, 302, nil, nil])
    while try deliveries.contains(where: { $0.dueAt != nil }) {
      try makeDue()
      _ = try Postman.deliverNext(of: farm)
    }
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    #expect(lines.allSatisfy { $0[0] == "good" && $0[4] == "application/json" })
    let ofA = lines.filter { $0[3] == "a" }.map { $0[2] }
    #expect(
      ofA.suffix(3) == ["job.submitted", "job.cancelled", "job.retried"] && ofA.count + lines.count(where: { $0[3] == "b" }) == 7)
    #expect(Set(lines.filter { $0[3] == "b" }.map { $0[1] }).count == 1, "a message keeps its id")
    #expect(try deliveries.allSatisfy { $0.deliveredAt != nil && $0.failure == nil && $0.status == 204 })
    // One is sent again, with its id.
    let first = try #require(try deliveries.first)
    #expect(try bench.post("/api/v1/deliveries/replay", #"{"delivery":\#(first.id)}"#).status == 200)
    #expect(try Postman.deliverNext(of: farm))
    #expect(
      try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").last?.hasPrefix("good \(first.message) ") == true)
    #expect(
      try bench.get("/api/v1/audit").decoded(Audit.self).entries.map(\.verb).filter { $0 == "replay" || $0 == "webhook" }.count
        == 2)
  }

  @Test func `a private address is refused unless it is allowed, whatever its name`() throws {
    let file = "\(bench.folder)/seen"
    let server = try receiver(file)
    for (name, host) in [("a", "127.0.0.1"), ("b", "localhost"), ("c", "[::ffff:127.0.0.1]"), ("d", "2130706433")] {
      _ = try enter(name, "http://\(host):\(server.greeting[0])/", isPrivate: false, events: ["job.submitted"])
    }
    try bench.submit("job")
    for _ in 0..<4 { #expect(try Postman.deliverNext(of: farm)) }
    #expect(try deliveries.allSatisfy { $0.status == nil && $0.failure != nil && $0.deliveredAt == nil })
    #expect(try deliveries.filter { $0.failure?.contains("its address is a private one") == true }.count >= 2)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func `where clouds keep their secrets no message goes, whatever is allowed`() throws {
    for (name, host) in [("a", "169.254.169.254"), ("b", "100.100.100.200"), ("c", "168.63.129.16"), ("d", "2852039166")] {
      _ = try enter(name, "http://\(host)/latest/meta-data/", events: ["job.submitted"])
    }
    try bench.submit("job")
    for _ in 0..<4 { #expect(try Postman.deliverNext(of: farm)) }
    let sent = try deliveries
    #expect(sent.count == 4 && sent.allSatisfy { $0.status == nil && $0.deliveredAt == nil })
    #expect(sent.allSatisfy { $0.failure?.hasSuffix("its address is the link's") == true }, "\(sent.map(\.failure))")
  }

  @Test func `what is tried too often is given up, and those behind it go on`() throws {
    _ = try enter("nobody", "http://127.0.0.1:1/", events: ["job.submitted", "job.cancelled"])
    try bench.submit("job")
    _ = try bench.ledger.cancel(job: "job")
    for _ in 0..<9 {
      try makeDue()
      #expect(try Postman.deliverNext(of: farm))
    }
    #expect(try deliveries.map(\.tries) == [9, 0] && deliveries.map { $0.dueAt == nil } == [true, false])
    #expect(try Postman.deliverNext(of: farm) && deliveries.map(\.tries) == [9, 1])
  }

  /// A receiver that answered holds none of those who deliver, whatever it sends behind that.
  @Test(arguments: [200, 500]) func `an answer without an end is not read to its end`(status: Int) throws {
    let server = try PythonServer(
      """
      import http.server, threading
      (over, sent) = (threading.Event(), [0])
      class Handler(http.server.BaseHTTPRequestHandler):
          def log_message(self, *args): pass
          def do_POST(self):
              self.rfile.read(int(self.headers["Content-Length"]))
              try:
                  self.send_response(int(self.path[1:]))
                  self.end_headers()
                  while sent[0] < 64 << 20: sent[0] += self.wfile.write(b"x" * 65536)
              except OSError: pass
              over.set()
          def do_GET(self):
              over.wait()
              self.send_response(200)
              self.end_headers()
              self.wfile.write(b"sent %d." % sent[0])
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
      print(server.server_address[1])
      server.serve_forever()
      """)
    _ = try enter("talker", "http://127.0.0.1:\(server.greeting[0])/\(status)", events: ["job.submitted"])
    try bench.submit("job")
    #expect(try Postman.deliverNext(of: farm))
    let delivery = try #require(try deliveries.first)
    #expect(delivery.status == status)
    #expect((delivery.deliveredAt != nil) == (status == 200) && (delivery.failure == nil) == (status == 200))
    let line = try Line(port: try #require(UInt16(server.greeting[0])))
    line.send("GET / HTTP/1.0\r\n\r\n")
    let told = String(decoding: line.readAll(), as: UTF8.self)
    let sent = try #require(told.firstMatch(of: /sent ([0-9]+)\./).flatMap { Int($0.1) })
    // The system's buffers take a few MiB.
    #expect(sent < 32 << 20)
  }

  @Test func `webhooks are checked, changed, shown without their secrets and removed`() throws {
    struct Told: Decodable {
      struct Fault: Decodable { let path: String }
      let faults: [Fault]
    }
    for (body, place) in [
      (#"{"name":"A","url":"https://a.example/"}"#, "name"), (#"{"name":"a","url":"ftp://a.example/"}"#, "url"),
      (#"{"name":"a","url":"https://u:p@a.example/"}"#, "url"),
      (#"{"name":"a","url":"https://a.example/","events":["job.flown"]}"#, "events"),
      (#"{"name":"a","url":"https://a.example/","events":[]}"#, "events"),
    ] { #expect(try bench.post("/api/v1/webhooks", body).decoded(Told.self).faults.map(\.path) == [place], "\(body)") }
    let first = try enter("a", "https://a.example/")
    #expect(first.secret?.hasPrefix("whsec_") == true)
    #expect(try enter("a", "https://b.example/", events: ["job.done"]).secret == nil)
    let listed = try bench.get("/api/v1/webhooks").decoded(Webhooks.self).webhooks
    #expect(listed.map(\.url) == ["https://b.example/"] && listed[0].secret == nil && listed[0].events == ["job.done"])
    let renewed = try bench.post("/api/v1/webhooks", #"{"name":"a","url":"https://b.example/","renewsSecret":true}"#).decoded(
      Webhook.self)
    #expect(renewed.secret != nil && renewed.secret != first.secret)
    #expect(try bench.post("/api/v1/webhooks/removal", #"{"name":"a"}"#).decoded(Webhooks.self).webhooks.isEmpty)
    #expect(try bench.post("/api/v1/webhooks/removal", #"{"name":"a"}"#).status == 404)
    try bench.submit("job")
    #expect(try deliveries.isEmpty)
  }

  @Test func `who is no operator sees no webhook`() throws {
    let guarded = try ConsoleBench(tokens: ["v": .view, "s": .submit])
    for token in ["v", "s"] {
      for path in ["webhooks", "deliveries"] {
        #expect(try guarded.get("/api/v1/\(path)", ["Authorization": "Bearer \(token)"]).status == 403)
      }
    }
  }
}
