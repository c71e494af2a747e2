import Console
import FarmTesting
import FoundationEssentials
import Glibc
import Operations
import Testing
import WebServer

@Suite(.serialized) struct `Artefacts over HTTP` {
  /// A movie with a file of captions, still pictures and checksums beside it.
  private static func document(_ export: String, captions: String) -> String {
    PlayBench.document.replacing(
      #""export": {"fileType": "mp4", "#,
      with: """
        "captions": [{"cues": [{"from": "0", "to": "1", "text": "One"}], "as": "\(captions)",
          "style": {"font": "DejaVu Sans", "size": 8, "language": "en"}}],
        "export": {\(export), "poster": {"at": "1"}, "thumbnails": {"interval": "1", "width": 48},
        """)
  }

  private func file() throws -> PlayBench {
    let bench = try PlayBench(document: Self.document(#""fileType": "mp4", "checksum": "sha256""#, captions: "sidecar"))
    try bench.finishAll()
    return bench
  }

  private func folder() throws -> PlayBench {
    let export = #""fileType": "cmaf", "fragmentInterval": "1", "checksum": "md5""#
    let bench = try PlayBench(document: Self.document(export, captions: "track"), output: "show/master.m3u8")
    try bench.finishAll()
    return bench
  }

  private func list(_ bench: PlayBench, _ query: String = "") throws -> ArtefactPage {
    let answer = try bench.get("artefacts\(query)")
    #expect(answer.status == 200, "\(answer.body)")
    return try answer.decoded(ArtefactPage.self)
  }

  private func content(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }

  @Test func `a document that is not read any more is told as one, and as no bug`() throws {
    let bench = try ConsoleBench(plays: true)
    try bench.submit("old", output: "\(bench.folder)/old.mp4")
    try bench.finish("old")
    let answer = try bench.get("/api/v1/jobs/old/artefacts")
    #expect(answer.status == 422 && answer.body.contains("composition"), "\(answer.status) \(answer.body)")
  }

  @Test func `the list has what the job has written, the movie first, and nothing else of the folder`() throws {
    let bench = try file()
    let (found, folder) = (try list(bench), bench.console.folder)
    #expect(found.next == nil)
    #expect(
      found.artefacts.map(\.name) == [
        "movie.mp4", "movie.en.vtt", "movie.thumbnails.vtt", "movie.poster.jpg", "movie.thumbnails-1.jpg", "movie.mp4.sha256",
      ])
    #expect(
      found.artefacts.map(\.mediaType) == [
        "video/mp4", "text/vtt", "text/vtt", "image/jpeg", "image/jpeg", "text/plain; charset=utf-8",
      ])
    for artefact in found.artefacts {
      let answer = try bench.get("artefacts/\(artefact.name)")
      #expect(answer.status == 200 && answer.headers["etag"] == artefact.etag, "\(artefact.name)")
      #expect(answer.headers["content-type"] == artefact.mediaType)
      #expect(answer.headers["content-length"] == "\(artefact.byteCount)")
      #expect(try Data(contentsOf: URL(filePath: "\(folder)/\(artefact.name)")).count == artefact.byteCount)
    }
    #expect(try bench.get("artefacts/movie.mp4.sha256").body == content("\(folder)/movie.mp4.sha256"))
    #expect(try bench.get("movie").headers["etag"] == found.artefacts.first?.etag)
    // The job's own document and medium are below the same root.
    for name in ["edit.json", "clip.mkv", "store", "movie.de.vtt", "Movie.mp4", "movie.mp4.md5"] {
      let answer = try bench.get("artefacts/\(name)")
      #expect(answer.status == 404 && answer.headers["content-type"] == "application/problem+json", "\(name)")
      #expect(answer.body.contains("the job has written no file of that name"), "\(name)")
    }
    unsafe unlink("\(folder)/movie.poster.jpg")
    #expect(try bench.get("artefacts/movie.poster.jpg").status == 404)
    // An answer is shared for a while, but not with another question.
    #expect(try list(bench, "?limit=99").artefacts.count == 5)
  }

  @Test func `a part of a file is fetched by a range, as one of the movie is`() throws {
    let bench = try file()
    let name = "artefacts/movie.en.vtt"
    let whole = try bench.get(name)
    let (text, tag) = (whole.body, try #require(whole.headers["etag"]))
    #expect(text == "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nOne\n")
    #expect(whole.headers["accept-ranges"] == "bytes")
    #expect(whole.headers["content-disposition"] == "inline; filename*=UTF-8''movie.en.vtt")
    let part = try bench.get(name, ["Range": "bytes=0-5"])
    #expect(part.status == 206 && part.body == "WEBVTT")
    #expect(part.headers["content-range"] == "bytes 0-5/\(text.utf8.count)")
    #expect(try bench.get(name, ["Range": "bytes=-4"]).body == "One\n")
    #expect(try bench.get(name, ["Range": "bytes=0-5", "If-Range": tag]).status == 206)
    #expect(try bench.get(name, ["Range": "bytes=0-5", "If-Range": "\"other\""]).status == 200)
    #expect(try bench.get(name, ["If-None-Match": tag]).status == 304)
    let beyond = try bench.get(name, ["Range": "bytes=\(text.utf8.count)-"])
    #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */\(text.utf8.count)")
    let head = try bench.console.send("HEAD", "/api/v1/jobs/\(bench.job)/\(name)", [:])
    #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "\(text.utf8.count)")
  }

  @Test func `a movie that is a folder plays from there`() throws {
    let bench = try folder()
    let place = "\(bench.console.folder)/show"
    let there = try FileManager.default.contentsOfDirectory(atPath: place)
    #expect(there.contains("picture-00001.m4s") && there.contains("sound-00001.m4s") && there.contains("text.vtt"))
    let found = try list(bench).artefacts
    #expect(found.prefix(2).map(\.name) == ["show/master.m3u8", "show/manifest.mpd"])
    #expect(found.map(\.name).sorted() == (there.map { "show/\($0)" } + ["show.md5"]).sorted())
    let types = Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0.mediaType) })
    #expect(types["show/master.m3u8"] == "application/vnd.apple.mpegurl" && types["show/manifest.mpd"] == "application/dash+xml")
    #expect(types["show/sound-00001.m4s"] == "audio/mp4" && types["show/thumbnails-1.jpg"] == "image/jpeg")
    let piece = try bench.get("artefacts/show/picture-00001.m4s", ["Range": "bytes=0-7"])
    let size = found.first { $0.name == "show/picture-00001.m4s" }?.byteCount ?? 0
    #expect(piece.status == 206 && piece.headers["content-range"] == "bytes 0-7/\(size)")
    #expect(piece.headers["content-type"] == "video/mp4")
    func frames(_ movie: String) throws -> [String] {
      try MediaTools.ffmpeg(["-i", movie, "-map", "0:v:0", "-f", "framemd5", "-"]).split(separator: "\n").map(String.init)
        .filter { !$0.hasPrefix("#") }
    }
    let played = try frames(bench.address("artefacts/show/master.m3u8"))
    #expect(try played.count == 96 && played == frames("\(place)/master.m3u8"))
    try "of somebody else".write(toFile: "\(place)/notes.txt", atomically: true, encoding: .utf8)
    for name in ["notes.txt", "picture-00099.m4s", "picture2.m3u8", "sound2-00001.m4s", "text2.vtt", "picture-1.m4s"] {
      #expect(try bench.get("artefacts/show/\(name)").status == 404, "\(name)")
    }
    #expect(try bench.get("artefacts/show").status == 404 && bench.get("artefacts/master.m3u8").status == 404)
    #expect(try bench.get("movie").status == 404)
    // A link in the place of the movie's folder leads nowhere, whatever is there.
    try #require(unsafe rename(place, "\(place).old") == 0 && symlink("\(place).old", place) == 0)
    #expect(try bench.get("artefacts/show/master.m3u8").status == 404)
    #expect(try list(bench, "?limit=99").artefacts.map(\.name) == ["show.md5"])
  }

  @Test func `the list of a sequence of pictures comes in pages`() throws {
    let document = """
      {"spool": 1, "assets": {"clip": {"path": "clip.mkv"}},
       "composition": {"tracks": [
         {"id": "picture", "media": "video", "segments": [{"asset": "clip", "source": {"start": "0", "duration": "3.84"}}]}]},
       "export": {"fileType": "jpegSequence"}}
      """
    let bench = try PlayBench(document: document, output: "frames/%04d.jpg")
    try bench.finishAll()
    var (names, sizes, cursor): ([String], [Int], String?) = ([], [], nil)
    repeat {
      let page = try list(bench, "?limit=40" + (cursor.map { "&cursor=\($0)" } ?? ""))
      names += page.artefacts.map(\.name)
      sizes.append(page.artefacts.count)
      cursor = page.next
    } while cursor != nil && sizes.count < 9
    #expect(sizes == [40, 40, 16])
    #expect(names == (0..<96).map { "frames/00\($0 < 10 ? "0" : "")\($0).jpg" })
    #expect(try bench.get("artefacts/frames/0095.jpg").headers["content-type"] == "image/jpeg")
    // The edit has 96 frames, whoever puts pictures beside theirs.
    let folder = "\(bench.console.folder)/frames"
    try "x".write(toFile: "\(folder)/0096.jpg", atomically: true, encoding: .utf8)
    unsafe unlink("\(folder)/0050.jpg")
    for name in ["0096.jpg", "0050.jpg", "00000.jpg", "95.jpg"] {
      #expect(try bench.get("artefacts/frames/\(name)").status == 404, "\(name)")
    }
    #expect(try list(bench, "?limit=1000").artefacts.count == 95, "what is missing hides nothing behind it")
    for query in ["limit=0", "limit=10001", "cursor=x", "cursor=-1-2", "cursor=1-99999999999999999999"] {
      #expect(try bench.get("artefacts?\(query)").status == 400, "\(query)")
    }
    #expect(try list(bench, "?cursor=999999999-999999999").artefacts.isEmpty)
  }

  @Test func `no name and no link leads to another file`() throws {
    let bench = try file()
    let folder = bench.console.folder
    for name in [
      "..%2fedit.json", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "%2fetc%2fpasswd", "/etc/passwd", "../../../../../etc/passwd", ".",
      "..",
      "", "./edit.json", "edit.json%00.vtt", "edit.json%00", "movie.mp4%2f..%2fedit.json", "store%2f..", "movie.mp4%ff", "%",
    ] {
      let answer = try bench.get("artefacts/\(name)")
      #expect([400, 404].contains(answer.status), "\(name): \(answer.status)")
      #expect(!answer.body.contains("root:") && !answer.body.contains("\"composition\""), "\(name)")
    }
    for target in ["/etc/passwd", "\(folder)/edit.json"] {
      unsafe unlink("\(folder)/movie.en.vtt")
      try #require(unsafe symlink(target, "\(folder)/movie.en.vtt") == 0)
      let answer = try bench.get("artefacts/movie.en.vtt")
      #expect(answer.status == 404 && !answer.body.contains("root:") && !answer.body.contains("\"composition\""), "\(target)")
    }
    #expect(try !list(bench).artefacts.map(\.name).contains("movie.en.vtt"))
    // A pipe keeps nobody waiting.
    unsafe unlink("\(folder)/movie.en.vtt")
    try #require(unsafe mkfifo("\(folder)/movie.en.vtt", 0o600) == 0)
    #expect(try bench.get("artefacts/movie.en.vtt").status == 404)
    // The whole job lies outside of the roots.
    try bench.console.run("update spool.job set output = '/etc/passwd' where id = '\(bench.job)'")
    for part in ["artefacts?limit=5", "artefacts/passwd"] {
      let answer = try bench.get(part)
      #expect(answer.status == 404 && !answer.body.contains("root:") && answer.body.contains("outside"), "\(part)")
    }
  }

  @Test func `they are for those who may read the movie, of jobs that are done`() throws {
    let bench = try PlayBench(tokens: ["sam": .submit, "vera": .view])
    let console = bench.console
    try console.submit("far", output: "s3://bucket/movie.mp4")
    try console.finish("far")
    for part in ["artefacts", "artefacts/movie.mp4", "artefacts/show/master.m3u8"] {
      #expect(try bench.get(part).status == 401)
      #expect(try bench.get(part, ["Authorization": "Bearer vera"]).status == 403)
      func status(_ job: String) throws -> WebAnswer {
        try console.get("/api/v1/jobs/\(job)/\(part)", ["Authorization": "Bearer sam"])
      }
      let (open, far) = (try status(bench.job), try status("far"))
      #expect(open.status == 409 && open.body.contains("queued"), "\(part)")
      #expect(far.status == 404 && far.body.contains("is in S3"), "\(part)")
      #expect(try status("none").status == 404)
    }
    let bare = try ConsoleBench(hasRoots: false)
    try bare.submit("job")
    try bare.finish("job")
    for part in ["artefacts", "artefacts/job.mp4"] {
      let answer = try bare.get("/api/v1/jobs/job/\(part)")
      #expect(answer.status == 404 && answer.body.contains("--output-root"), "\(part)")
    }
    try bench.finishAll()
    #expect(try bench.get("artefacts", ["Authorization": "Bearer sam"]).status == 200)
    #expect(try bench.get("artefacts/movie.mp4", ["Authorization": "Bearer sam"]).status == 200)
  }
}
