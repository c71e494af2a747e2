import Console
import FarmTesting
import FoundationEssentials
import Ledger
import Operations
import Testing
import WebServer

@Suite(.serialized) struct `The console under attack` {
  @Test func `a token's role is what its bearer may do`() throws {
    let bench = try ConsoleBench(tokens: ["looker": .view, "editor": .submit, "boss": .operate])
    func status(_ token: String?, _ method: String, _ path: String) throws -> Int {
      let header = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
      return try method == "GET" ? bench.get(path, header).status : bench.post(path, "{}", header).status
    }
    #expect(try status(nil, "GET", "/healthz") == 200)
    #expect(try status(nil, "GET", "/api/v1/farm") == 401)
    #expect(try status("wrong", "GET", "/api/v1/farm") == 401)
    #expect(try status("wrong", "GET", "/healthz") == 401, "a wrong token is never taken for none")
    #expect(try status("looker", "GET", "/api/v1/farm") == 200)
    #expect(try status("looker", "POST", "/api/v1/jobs?output=/a.mp4") == 403)
    #expect(try status("editor", "POST", "/api/v1/drainage") == 403)
    #expect(try status("editor", "POST", "/api/v1/plan?output=/out/a.mp4&priority=5") == 403)
    #expect(try status("boss", "POST", "/api/v1/drainage") == 400, "the body lacks what it needs")
    #expect(try bench.get("/api/v1/farm").headers["www-authenticate"] == "Bearer")
  }

  @Test func `a file of tokens that others may write lets nobody in`() throws {
    let directory = TemporaryDirectory()
    let path = "\(directory.path)/tokens"
    try "# nobody yet\n".write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    #expect(throws: Complaint.self) { try TokenFile(path: path) }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    _ = try TokenFile(path: path)
    try "operate ana secret\n".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(throws: Complaint.self) { try TokenFile(path: path) }
  }

  @Test func `a name that is resolved to this machine, and pages of other sites, are refused`() throws {
    let bench = try ConsoleBench(origins: ["https://wall.example"])
    #expect(try bench.get("/api/v1/farm", ["Host": "evil.example"]).status == 421)
    #expect(try bench.get("/api/v1/farm", ["Host": "localhost.evil.example:80"]).status == 421)
    #expect(try bench.get("/api/v1/farm", ["Host": "localhost:1"]).status == 200)
    #expect(try bench.post("/api/v1/drainage", "{}", ["Origin": "https://evil.example"]).status == 403)
    #expect(try bench.post("/api/v1/drainage", "{}", ["Origin": "null"]).status == 403)
    #expect(try bench.get("/api/v1/farm", ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"]).status == 403)
    let shared = try bench.get("/api/v1/farm", ["Origin": "https://wall.example"])
    #expect(shared.status == 200 && shared.headers["access-control-allow-origin"] == "https://wall.example")
    #expect(try bench.get("/api/v1/farm").headers["access-control-allow-origin"] == nil)
    let form = try bench.post("/api/v1/drainage", #"{"isDrained":true}"#, ["Content-Type": "text/plain"])
    #expect(form.status == 415, "a form of another site can send this type unasked")
    #expect(try bench.ledger.farm().drainedAt == nil)
  }

  @Test func `paths lead to no file`() throws {
    let bench = try ConsoleBench()
    for path in [
      "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/jobs/..%2f..%2fetc%2fpasswd", "/console.js%00.html", "//etc/passwd",
    ] {
      let answer = try bench.get(path)
      #expect([400, 404].contains(answer.status) || !answer.body.contains("root:"), "\(path)")
      #expect(!answer.body.contains("root:"))
    }
    #expect(try bench.send("DELETE", "/api/v1/jobs", [:]).status == 405)
  }

  @Test func `what a token may not do is in the audit, and what strangers try is not`() throws {
    let bench = try ConsoleBench(tokens: ["vera": .view, "sam": .submit])
    try bench.submit("job")
    for path in ["jobs/job/steering", "steering", "drainage", "shares", "webhooks", "deliveries/replay"] {
      #expect(try bench.post("/api/v1/\(path)", "{}", ["Authorization": "Bearer sam"]).status == 403)
      #expect(try bench.post("/api/v1/\(path)", "{}").status == 401)
    }
    for _ in 0..<2 { #expect(try bench.post("/api/v1/jobs?output=/a.mp4", "{}", ["Authorization": "Bearer vera"]).status == 403) }
    let urgent = try bench.post("/api/v1/jobs?output=/a.mp4&priority=1", "{}", ["Authorization": "Bearer sam"])
    #expect(urgent.status == 403)
    #expect(try bench.get("/api/v1/webhooks", ["Authorization": "Bearer sam"]).status == 403)
    let audit = try bench.get("/api/v1/audit?refused=true", ["Authorization": "Bearer vera"]).decoded(Audit.self).entries
      .reversed()
    #expect(audit.map(\.verb) == ["steer", "steer", "drain", "share", "webhook", "replay", "submit", "submit"])
    #expect(audit.map(\.caller) == Array(repeating: "sam-name", count: 6) + ["vera-name", "sam-name"])
    #expect(audit.map(\.job) == ["job"] + Array(repeating: nil, count: 7) && audit.map(\.times) == [1, 1, 1, 1, 1, 1, 2, 1])
    #expect(audit.first?.refusal == "it takes the role operate, and the token has submit")
  }

  @Test func `a large body is refused before it is sent, and an unasked one is not read`() throws {
    let bench = try ConsoleBench(tokens: ["looker": .view])
    let head = "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    #expect(try bench.exchange(head + "Content-Length: 1073741824\r\n\r\n").status == 413)
    let unsent = head + "Content-Length: 1000\r\n"
    #expect(try bench.exchange(unsent + "\r\n").status == 401)
    #expect(try bench.exchange(unsent + "Authorization: Bearer looker\r\n\r\n").status == 403)
    #expect(try bench.exchange(unsent + "Origin: https://evil.example\r\n\r\n").status == 403)
    #expect(try bench.exchange(unsent.replacing("localhost", with: "evil.example") + "\r\n").status == 421)
    let twice = head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    #expect([400, 0].contains(try bench.exchange(twice).status))
    let hosts = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"
    #expect([400, 0].contains(try bench.exchange(hosts).status))
    let long = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n"
    #expect([431, 413, 0].contains(try bench.exchange(long).status))
  }

  @Test func `a request that comes drop by drop is ended, and others are served meanwhile`() throws {
    let bench = try ConsoleBench(requestPatience: .milliseconds(300))
    let slow = try Line(port: bench.server.port)
    let begin = ContinuousClock.now
    for drop in "GET /healthz HTTP/1.1\r\nHo" { slow.send(String(drop)) }
    #expect(try bench.get("/healthz").status == 200)
    while ContinuousClock.now - begin < .milliseconds(400) { bench.server.tend() }
    bench.server.tend()
    #expect(slow.readAll().isEmpty)
    #expect(ContinuousClock.now - begin < .seconds(15), "libmicrohttpd's own limit for silence is longer")
  }

  @Test func `text of others stays text, and each answer forbids scripts of others`() throws {
    let bench = try ConsoleBench()
    try bench.submit("job", submitter: "<script>alert(1)</script>")
    let listed = try bench.get("/api/v1/jobs")
    #expect(listed.headers["content-type"] == "application/json" && listed.headers["x-content-type-options"] == "nosniff")
    for path in ["/", "/jobs/job", "/api/v1/farm", "/nowhere"] {
      let answer = try bench.get(path)
      #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'") == true, "\(path)")
      #expect(answer.headers["set-cookie"] == nil)
    }
  }

  @Test func `no page makes markup of text, and none names another host`() throws {
    let bench = try ConsoleBench()
    for path in ["/", "/console.js", "/pages.js", "/map.js", "/console.css"] {
      let text = try bench.get(path).body
      #expect(!text.contains(/insertAdjacentHTML|outerHTML|document\.write|innerHTML\s*=[^=]|eval\(|https?:\/\//), "\(path)")
    }
  }
}
