import Console
import FarmTesting
import FoundationEssentials
import Glibc
import Operations
import Testing
import WebServer

@Suite(.serialized) struct `Movies over HTTP` {
  private let bench: ConsoleBench
  private let content = String((0..<1000).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })

  init() throws {
    bench = try ConsoleBench()
    let path = "\(bench.folder)/ein Film.mp4"
    try content.write(toFile: path, atomically: true, encoding: .utf8)
    try bench.submit("job", output: path)
    try bench.finish("job")
  }

  private func fetch(_ headers: [String: String] = [:]) throws -> WebAnswer { try bench.get("/api/v1/jobs/job/movie", headers) }

  @Test func `a movie is fetched whole, with its type, its name and its tag`() throws {
    let whole = try fetch()
    #expect(whole.status == 200 && whole.body == content && whole.headers["content-type"] == "video/mp4")
    #expect(whole.headers["content-disposition"] == "inline; filename*=UTF-8''ein%20Film.mp4")
    #expect(whole.headers["accept-ranges"] == "bytes")
    let tag = try #require(whole.headers["etag"])
    #expect(try fetch(["If-None-Match": tag]).status == 304)
    let head = try bench.send("HEAD", "/api/v1/jobs/job/movie", [:])
    #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "1000")
  }

  @Test(arguments: [
    ("bytes=0-4", 0..<5), ("bytes=5-", 5..<1000), ("bytes=-3", 997..<1000), ("bytes=990-2000", 990..<1000),
    ("bytes=-5000", 0..<1000),
    ("bytes=999-999", 999..<1000),
  ]) func `a part of it is fetched by a range`(header: String, bytes: Range<Int>) throws {
    let part = try fetch(["Range": header])
    #expect(part.status == 206)
    #expect(part.headers["content-range"] == "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/1000")
    #expect(part.body == String(Array(content)[bytes]) && part.headers["content-length"] == "\(bytes.count)")
  }

  @Test(arguments: ["bytes=1000-", "bytes=1000-1005", "bytes=-0"]) func `a range without a byte of it is refused`(header: String)
    throws
  {
    let refused = try fetch(["Range": header])
    #expect(refused.status == 416 && refused.headers["content-range"] == "bytes */1000")
  }

  @Test(arguments: ["bytes=4-2", "bytes=-", "lines=1-2", "bytes=0-1,4-5", "bytes=99999999999999999999-", "bytes=a-b"])
  func `a range that is not understood is none`(header: String) throws {
    #expect(try fetch(["Range": header]).body == content)
  }

  @Test func `a range of another movie is none`() throws {
    let tag = try #require(try fetch().headers["etag"])
    #expect(try fetch(["Range": "bytes=0-4", "If-Range": tag]).status == 206)
    #expect(try fetch(["Range": "bytes=0-4", "If-Range": "\"other\""]).status == 200)
  }

  @Test func `whoever may submit reads the movies of others, and who may only look reads none`() throws {
    let guarded = try ConsoleBench(tokens: ["sam": .submit, "vera": .view])
    let path = "\(guarded.folder)/a.mp4"
    try content.write(toFile: path, atomically: true, encoding: .utf8)
    try guarded.submit("job", submitter: "ana", output: path)
    try guarded.finish("job")
    let movie = "/api/v1/jobs/job/movie"
    let read = try guarded.get(movie, ["Authorization": "Bearer sam"])
    #expect(read.status == 200 && read.body == content)
    #expect(try guarded.get(movie, ["Authorization": "Bearer vera"]).status == 403)
    #expect(try guarded.get(movie).status == 401)
  }

  @Test func `only movies of jobs that are done are there, and only below the folders that were named`() throws {
    try bench.submit("open", output: "\(bench.folder)/open.mp4")
    #expect(try bench.get("/api/v1/jobs/open/movie").status == 409)
    #expect(try bench.get("/api/v1/jobs/none/movie").status == 404)
    try bench.submit("outside", output: "/etc/passwd")
    let link = "\(bench.folder)/link.mp4"
    try #require(unsafe symlink("/etc/passwd", link) == 0)
    try bench.submit("linked", output: link)
    try bench.submit("gone", output: "\(bench.folder)/gone.mp4")
    for job in ["outside", "linked", "gone"] {
      try bench.finish(job)
      let answer = try bench.get("/api/v1/jobs/\(job)/movie")
      #expect(answer.status == 404 && !answer.body.contains("root:"), "\(job)")
    }
  }
}
