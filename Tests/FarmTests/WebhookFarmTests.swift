import FarmTesting
import FoundationEssentials
import Glibc
import Ledger
import Subprocess
import Testing

/// Webhooks of a farm whose processes are killed all the time.
@Suite(.serialized) struct `The webhooks of a farm` {
  /// A receiver that takes its time and refuses every fifth message. It writes a line when a message has come and before it answers: whether
  /// the signature is right, the message's id, its type and its job.
  private static let receiver = """
    import base64, hmac, http.server, itertools, json, sys, threading, time
    count, lock = itertools.count(), threading.Lock()
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *args): pass
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            id, at, signature = (self.headers["webhook-" + name] for name in ("id", "timestamp", "signature"))
            key = base64.b64decode(open(sys.argv[1] + ".secret").read().removeprefix("whsec_"))
            code = base64.b64encode(hmac.digest(key, f"{id}.{at}.".encode() + body, "sha256")).decode()
            told = json.loads(body)
            refuses = next(count) % 5 == 4
            time.sleep(0.02)
            with lock, open(sys.argv[1], "a") as file:
                print("good" if hmac.compare_digest("v1," + code, signature) else "bad", id, told["type"], told["data"]["job"],
                      "refused" if refuses else "taken", file=file)
            time.sleep(0.02)
            self.send_response(503 if refuses else 204)
            self.end_headers()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1])
    server.serve_forever()
    """

  @Test func `each message comes at least once, and in the order of its job, whatever is killed`() throws {
    let farm = try RealFarm()
    let file = "\(farm.directory)/seen"
    let server = try PythonServer(Self.receiver, arguments: [file])
    let url = "http://127.0.0.1:\(server.greeting[0])/"
    let events = Webhook.allEvents.flatMap { ["--event", $0] }
    let entered = try farm.run(["webhook", "portal", "--url", url, "--private"] + events)
    try #require(entered.status.isSuccess, Comment(rawValue: entered.errorOutput))
    try String(entered.output.prefix { $0 != "\n" }).write(toFile: file + ".secret", atomically: true, encoding: .utf8)

    var consoles = try (0..<2).map { try farm.startConsole("console-\($0)", ["--deliver"]) }
    try farm.startCoordinator()
    for name in ["anna", "ben"] { try farm.startWorker(name) }
    let jobs = try (0..<8).map { _ in try farm.submit(chunks: 2) }
    for turn in 0..<8 {
      usleep(250_000)
      try farm.kill(consoles[turn % 2])
      consoles[turn % 2] = try farm.startConsole("console-\(turn % 2)", ["--deliver"])
      if turn == 2 {
        try farm.kill(farm.coordinator)
        try farm.startCoordinator()
      }
      if turn == 4 {
        try farm.kill(farm.workers["anna"])
        try farm.startWorker("anna")
      }
    }
    for job in jobs { try farm.waitDone(job) }
    // A try that was lost with its console is made again after a minute, and one that was refused after minutes. The test waits for six
    // seconds of the one, in which no console is still at work on it, and not for the other.
    let hasten = """
      update spool.delivery set due_at = now() where tries > 0
        and (due_at > now() + interval '61 s' or due_at between now() + interval '1 s' and now() + interval '54 s')
      """
    try farm.wait("all messages are delivered", seconds: 120) {
      _ = try farm.psql(hasten)
      usleep(200_000)
      return try farm.psql("select count(*) from spool.delivery where delivered_at is null") == "0"
    }
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    #expect(lines.allSatisfy { $0.count == 5 && $0[0] == "good" })
    for job in jobs {
      let outbox = try farm.psql("select message from spool.delivery where job = '\(job)' order by id").split(separator: "\n")
        .map(String.init)
      #expect(outbox.count == 3, "it was submitted, started and done")
      let taken = lines.filter { $0[3] == job && $0[4] == "taken" }
      #expect(taken.map { $0[1] }.removingRepeats == outbox)
      #expect(taken.map { $0[2] }.removingRepeats == ["job.submitted", "job.started", "job.done"])
    }
  }
}

extension [String] {
  /// The elements without those that equal the one before.
  fileprivate var removingRepeats: [String] { indices.filter { $0 == 0 || self[$0] != self[$0 - 1] }.map { self[$0] } }
}
