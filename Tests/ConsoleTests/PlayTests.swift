import Console
import FarmTesting
import FoundationEssentials
import Glibc
import Ledger
import Messages
import Operations
import PostgreSQL
import Testing
import WebServer

@Suite(.serialized) struct `Movies while they are rendered` {
  private func frames(_ place: String) throws -> [String] {
    try MediaTools.ffmpeg(["-i", place, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-"], isStrict: true)
      .split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
        line.split(separator: ",").last.map { $0.trimmingPrefix(" ") }.map(String.init) ?? ""
      }
  }

  @Test func `a playlist is whole when the job is submitted, and says the movie's length`() throws {
    let bench = try PlayBench()
    let master = try bench.get("play.m3u8")
    #expect(master.status == 200 && master.headers["content-type"] == "application/vnd.apple.mpegurl")
    #expect(master.body.contains("URI=\"play/sound.m3u8\"") && master.body.hasSuffix("\nplay/picture.m3u8\n"))
    let picture = try bench.get("play/picture.m3u8").body
    #expect(picture.components(separatedBy: "#EXTINF:0.960000,\npicture/").count == 5)
    #expect(picture.contains("#EXT-X-TARGETDURATION:1\n") && picture.hasSuffix("picture/3.m4s\n#EXT-X-ENDLIST\n"))
    #expect(try bench.get("play/sound.m3u8?hold=60").body.contains("#EXTINF:3.840000,\nsound/0.m4s?hold=60\n"))
  }

  @Test func `FFmpeg plays from it the finished movie's frames and samples`() throws {
    let bench = try PlayBench()
    try bench.finishAll()
    #expect(try bench.console.ledger.status(job: bench.job)?.state == .done)
    let played = bench.address("play.m3u8")
    #expect(try frames(played) == frames(bench.movie))
    #expect(try frames(played).count == 96)
    func samples(_ place: String) throws -> [UInt8] {
      let raw = "\(bench.console.folder)/samples.raw"
      try MediaTools.ffmpeg(["-i", place, "-map", "0:a:0", "-f", "f32le", raw], isStrict: true)
      return Array(try Data(contentsOf: URL(filePath: raw)))
    }
    let (heard, expected) = try (samples(played), samples(bench.movie))
    // FFmpeg 5.1 does not leave out the priming of a movie in fragments.
    #expect(heard.count >= expected.count && heard.suffix(expected.count) == expected[...])
    let master = try bench.get("play.m3u8").body
    #expect(master.contains("CODECS=\"avc1.64") && master.contains(",mp4a.40.2\""))
    let opening = try bench.get("play/picture.mp4")
    #expect(opening.headers["content-type"]?.hasPrefix("video/mp4; codecs=\"avc1.") ?? false)
  }

  @Test func `a piece that is not rendered is waited for, and goes first with its sound`() throws {
    let bench = try PlayBench()
    let line = try Line(port: bench.console.server.port)
    line.send("GET /api/v1/jobs/\(bench.job)/play/picture/2.m4s HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let isWanted = Statement(
      "is_wanted",
      """
      select exists (select from spool.task where first_frame = 48 and precedence < 0)
        and exists (select from spool.task where kind = 'sound' and precedence < 0) as found
      """)
    let connection = try Connection(url: bench.console.database, applicationName: "test")
    for _ in 0..<500 {
      guard try connection.query(isWanted).first?.value("found", as: Bool.self) != true else { break }
      usleep(20_000)
    }
    // The sound of that place goes with it.
    #expect(try connection.query(isWanted).first?.value("found", as: Bool.self) == true)
    try bench.claim(2)
    let order = try #require(bench.order(from: 48))
    try bench.finish(order)
    let answer = WebAnswer(line.readAll())
    #expect(answer.status == 200 && answer.headers["content-type"] == "video/mp4" && answer.body.contains("moof"))
  }

  @Test func `a wait has an end, which says when to ask again`() throws {
    let bench = try PlayBench()
    for part in ["picture/0.m4s", "picture.mp4", "sound.mp4", "sound/0.m4s"] {
      let answer = try bench.get("play/\(part)?hold=0")
      #expect(answer.status == 503 && answer.headers["retry-after"] == "1" && answer.body.contains("queued"), "\(part)")
    }
    let begin = ContinuousClock.now
    #expect(try bench.get("play/picture/0.m4s?hold=1").status == 503)
    #expect(ContinuousClock.now - begin >= .milliseconds(900))
    #expect(try bench.get("play/picture/0.m4s?hold=121").status == 400)
  }

  @Test func `a longer wait than a client may be silent is answered`() throws {
    let bench = try PlayBench()
    let port = bench.console.server.port
    let line = try Line(port: port, patience: 60)
    line.send(
      "GET /api/v1/jobs/\(bench.job)/play/picture/0.m4s?hold=21 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
    #expect(WebAnswer(line.readAll()).status == 503)
  }

  @Test func `pieces that are not there are missing, and those of a job that ended are never to come`() throws {
    let bench = try PlayBench()
    for part in ["picture/4.m4s", "picture/-1.m4s", "picture/0.mp4", "music/0.m4s", "text.m3u8", "picture.txt", "picture"] {
      #expect(try bench.get("play/\(part)").status == 404, "\(part)")
    }
    #expect(try bench.console.get("/api/v1/jobs/none/play.m3u8").status == 404)
    _ = try bench.console.ledger.cancel(job: bench.job)
    let answer = try bench.get("play/picture/0.m4s")
    #expect(answer.status == 409 && answer.body.contains("cancelled"))
  }

  @Test func `segments that were removed are gone, and say so`() throws {
    let bench = try PlayBench(keepsSegments: false)
    try bench.finishAll()
    for part in ["picture/0.m4s", "picture.mp4", "sound/0.m4s"] {
      let answer = try bench.get("play/\(part)")
      #expect(answer.status == 410 && answer.body.contains("removed"), "\(part)")
    }
    #expect(try bench.get("play/picture.m3u8").status == 200)
    #expect(try bench.get("movie").status == 200)
  }

  @Test func `a damaged segment file is an error, and nothing of it is sent`() throws {
    let bench = try PlayBench()
    let order = try #require(try bench.claim(2).first { if case .picture = $0.work { true } else { false } })
    try bench.finish(order)
    let path = "\(bench.console.store)/\(bench.job)/\(order.key.task)/\(order.key.attempt).nut"
    let file = try unsafe #require(fopen(path, "r+"))
    unsafe fseek(file, 2000, Int32(SEEK_SET))
    unsafe fputs("damage", file)
    unsafe fclose(file)
    let answer = try bench.get("play/picture/0.m4s")
    #expect(answer.status == 503 && answer.body.contains("XXH3-128") && !answer.body.contains("moof"))
    unsafe unlink(path)
    let missing = try bench.get("play/picture/0.m4s")
    #expect(missing.status == 503 && missing.body.contains("not in the store"))
  }

  @Test func `only those who may submit play, and only where a store was named`() throws {
    let bench = try PlayBench(tokens: ["sam": .submit, "vera": .view])
    for part in ["play.m3u8", "play/picture.m3u8", "play/picture/0.m4s"] {
      #expect(try bench.get(part).status == 401)
      #expect(try bench.get(part, ["Authorization": "Bearer vera"]).status == 403)
    }
    #expect(try bench.get("play/picture.m3u8", ["Authorization": "Bearer sam"]).status == 200)
    let bare = try ConsoleBench()
    try bare.submit("job")
    let answer = try bare.get("/api/v1/jobs/job/play.m3u8")
    #expect(answer.status == 404 && answer.body.contains("--store"))
  }

  @Test func `a codec that players do not take is refused, with the reason`() throws {
    let bench = try PlayBench(
      document: PlayBench.document.replacing(
        #""fileType": "mp4", "video": {"codec": "h264", "crf": 23, "speed": "fast"}, "audio": {"codec": "aac"}"#,
        with: #""fileType": "mp4", "video": {"codec": "h264"}, "audio": {"codec": "alac"}"#))
    let answer = try bench.get("play.m3u8")
    #expect(answer.status == 422 && answer.body.contains("unplayable") && answer.body.contains("alac"))
  }

  @Test func `many who wait take no more than their places`() throws {
    let bench = try PlayBench()
    let lines = try (0..<60).map { _ in
      let line = try Line(port: bench.console.server.port)
      line.send("GET /api/v1/jobs/\(bench.job)/play/picture/3.m4s?hold=3 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      return line
    }
    let answers = lines.map { WebAnswer($0.readAll()) }
    #expect(answers.allSatisfy { $0.status == 503 })
    #expect(answers.count { $0.body.contains("requests wait") } >= 12)
  }
}
