import Console
import Examination
import FarmTesting
import Operations
import SpoolCompositing
import Testing
import WebServer

@Suite(.serialized) struct `The metrics` {
  /// The samples of a page by name and labels. Each line that is no sample says HELP or TYPE of the metric that follows.
  private func samples(_ text: String) throws -> [String: String] {
    var (samples, metric): ([String: String], Substring) = ([:], "")
    for line in text.split(separator: "\n") {
      if let told = line.wholeMatch(of: /# (HELP|TYPE) ([a-z_]+) (.+)/) {
        if told.1 == "TYPE" { #expect(["counter", "gauge", "histogram"].contains(told.3)) }
        metric = told.2
        continue
      }
      let sample = try #require(
        line.wholeMatch(of: /([a-z_]+)(\{[a-z_]+="([^"\\]|\\.)*"(,[a-z_]+="([^"\\]|\\.)*")*\})? (\S+)/), "\(line)")
      #expect(sample.1.hasPrefix(metric), "\(line)")
      let value = String(sample.6)
      #expect(Double(value) != nil, "\(line)")
      #expect(samples.updateValue(value, forKey: "\(sample.1)\(sample.2 ?? "")") == nil, "\(line)")
    }
    return samples
  }

  @Test func `tell the farm and what was asked of the console`() throws {
    let bench = try ConsoleBench()
    for id in ["a", "b", "c"] { try bench.submit(id, submitter: id == "c" ? #"q"u\o"# : "ana") }
    #expect(try bench.post("/api/v1/jobs/b/steering", #"{"action":"pause"}"#).status == 200)
    #expect(try bench.post("/api/v1/jobs/a/steering", #"{"action":"cancel"}"#).status == 200)
    #expect(try bench.get("/api/v1/jobs/none").status == 404)
    let answer = try bench.get("/metrics")
    #expect(answer.status == 200 && answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
    let told = try samples(answer.body)
    let expected = [
      "spool_database_up": "1", "spool_farm_led": "0", "spool_farm_drained": "0", #"spool_jobs{state="queued"}"#: "1",
      #"spool_jobs{state="paused"}"#: "1", #"spool_jobs{state="running"}"#: "0",
      #"spool_jobs_ended_last_hour{state="cancelled"}"#: "1", #"spool_jobs_ended_last_hour{state="failed"}"#: "0",
      #"spool_tasks{kind="picture",state="ready"}"#: "4", #"spool_tasks{kind="mux",state="ready"}"#: "0",
      "spool_tasks_waiting_for_store": "0", #"spool_workers{state="set aside"}"#: "0", "spool_slots": "0",
      "spool_waiting_worker_seconds": "3",
      #"spool_deliveries{state="failing"}"#: "0", #"spool_submitter_jobs{submitter="ana"}"#: "1",
      #"spool_submitter_jobs{submitter="q\"u\\o"}"#: "1", #"spool_attempt_failures_last_hour{class="bug"}"#: "0",
      #"spool_http_requests_total{route="/api/v1/jobs/{job}/steering",method="POST",status="200"}"#: "2",
      #"spool_http_requests_total{route="/api/v1/jobs/{job}",method="GET",status="404"}"#: "1",
      #"spool_http_request_duration_seconds_bucket{route="/api/v1/jobs/{job}",method="GET",le="+Inf"}"#: "1",
      #"spool_http_request_duration_seconds_count{route="/api/v1/jobs/{job}",method="GET"}"#: "1",
    ]
    for (name, value) in expected { #expect(told[name] == value, "\(name)") }
    #expect(try #require(told["process_resident_memory_bytes"].flatMap(Double.init)) > 1_000_000)
    #expect(try #require(told["process_open_fds"].flatMap(Double.init)) > 3)
    #expect(told["spool_seconds_left"] == nil, "nobody can say without a worker")
  }

  @Test func `need a token that may look, and strangers' requests make no new names`() throws {
    let bench = try ConsoleBench(tokens: ["secret": .view])
    #expect(try bench.get("/metrics").status == 401)
    for path in ["/a", "/b", "/api/v1/c"] { #expect(try bench.send("BREW", path, [:]).status == 405) }
    let told = try samples(try bench.get("/metrics", ["Authorization": "Bearer secret"]).body)
    #expect(told[#"spool_http_requests_total{route="refused",method="other",status="405"}"#] == "3")
    #expect(told[#"spool_http_requests_total{route="refused",method="GET",status="401"}"#] == "1")
  }

  @Test func `tell that the database is away, and no numbers of the farm`() throws {
    let console = Console(
      Console.Options(folder: "/nonexistent"), database: { () throws(Complaint) in "host=/nonexistent dbname=none" },
      media: {
        MediaAccess(compositors: CompositorRegistry()) { _ in ExaminationSetting(roots: ["/nonexistent"], library: nil) }
      })
    let response = console.respond(WebRequest(method: "GET", path: "/metrics", headers: ["host": "localhost"]))
    let told = try samples(String(decoding: response.bytes, as: UTF8.self))
    #expect(response.status == 200 && told["spool_database_up"] == "0" && told["spool_farm_led"] == nil)
    #expect(told["process_cpu_seconds_total"] != nil)
  }
}
