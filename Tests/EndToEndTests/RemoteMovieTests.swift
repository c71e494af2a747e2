import FarmTesting
import Glibc
import Subprocess
import Testing

/// Tests of edits with media behind URLs. The server uses TLS with a test certificate authority, and fails as it is told.
@Suite(.serialized) struct RemoteMovieTests {
  private let directory = TemporaryDirectory()
  private let server: FaultyServer
  private let environment: [String: String]

  init() throws {
    #expect(unsafe chmod(directory.path, 0o755) == 0)
    // The clip is several blocks long.
    try SyntheticSource(width: 320, height: 240, frameCount: 50).write(
      to: directory.file("clip.mkv"), ["-vf", "noise=alls=40:allf=t", "-c:v", "ffv1"])
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=r=48000:d=3", directory.file("song.wav")])
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=32x32", "-frames:v", "1", directory.file("logo.png")])
    let certificate = try TestCertificate(in: directory)
    server = try FaultyServer(folder: directory.path, certificate: certificate.machine)
    environment = ["SPOOL_CACHE": directory.file("cache"), "SSL_CERT_FILE": certificate.authority]
  }

  private func document(_ name: String, faults: String?) throws {
    func asset(_ file: String) -> String {
      if let faults { "{\"url\": \"\(server.url)/\(faults)/\(file)?token=secret\"}" } else { "{\"path\": \"\(file)\"}" }
    }
    try """
    {"spool": 1, "assets": {"clip": \(asset("clip.mkv")), "song": \(asset("song.wav")), "logo": \(asset("logo.png"))},
     "composition": {"tracks": [
       {"id": "v", "media": "video", "segments": [{"asset": "clip", "source": {"start": "0", "duration": "2"}}]},
       {"id": "s", "media": "audio", "segments": [{"asset": "song", "source": {"start": "0.5", "duration": "2"}}]}]},
     "videoComposition": {"renderSize": [160, 96], "frameDuration": "1/25"},
     "layers": [{"image": "logo", "frame": [8, 8, 32, 32]}],
     "export": {"fileType": "mkv", "video": {"codec": "ffv1"}, "audio": {"codec": "flac"}}}
    """.write(toFile: directory.file(name))
  }

  private func spool(_ arguments: [String], without: String = "", cache: String? = nil) throws -> Completed {
    var environment = environment.filter { $0.key != without }
    if let cache { environment["SPOOL_CACHE"] = cache }
    return try SpoolProgram.run(arguments, folder: directory.path, environment: environment)
  }

  private func spool(_ arguments: String...) throws -> Completed { try spool(arguments) }

  private func render(_ document: String, _ movie: String, cache: String? = nil) throws -> Completed {
    try spool(
      ["render", document, "-o", movie, "--data", "data", "--chunk-frames", "20", "--media-url", server.url], cache: cache)
  }

  @Test func `every verb takes URLs, and shows what it shows of files`() throws {
    try document("files.json", faults: nil)
    try document("urls.json", faults: "c")
    let local = try render("files.json", "files.mkv")
    #expect(local.code == 0, "\(local.errorOutput)")
    let remote = try render("urls.json", "urls.mkv")
    #expect(remote.code == 0, "\(remote.errorOutput)")
    #expect(try [UInt8](contentsOf: directory.file("urls.mkv")) == [UInt8](contentsOf: directory.file("files.mkv")))

    let verified = try spool("verify", "urls.json", "files.mkv", "--media-url", server.url)
    #expect(verified.code == 0 && verified.output.contains("equal to the edit"), "\(verified.errorOutput)")
    for arguments in [["frames"], ["validate", "--json"]] {
      let (near, far) = try (spool(arguments + ["files.json"]), spool(arguments + ["urls.json", "--media-url", server.url]))
      #expect(near.code == 0 && far.code == 0, "\(near.errorOutput)\(far.errorOutput)")
      #expect(near.output == far.output)
    }
    for name in ["files", "urls"] {
      let frame = try spool("frame", "\(name).json", "--index", "7", "-o", "\(name).png", "--media-url", server.url)
      #expect(frame.code == 0, "\(frame.errorOutput)")
    }
    #expect(try [UInt8](contentsOf: directory.file("urls.png")) == [UInt8](contentsOf: directory.file("files.png")))
    let probed = try spool("probe", "\(server.url)/o/clip.mkv", "--media-url", server.url)
    #expect(try probed.output == spool("probe", "clip.mkv").output && probed.code == 0, "\(probed.errorOutput)")
  }

  @Test func `a cache that cannot be made stops no render that needs none, and is named where one does`() throws {
    // Nobody can make a folder below a file, not even root.
    let cache = directory.file("song.wav") + "/cache"
    try document("files.json", faults: nil)
    let local = try render("files.json", "files.mkv", cache: cache)
    #expect(local.code == 0, "\(local.errorOutput)")
    try document("urls.json", faults: "c")
    let remote = try render("urls.json", "urls.mkv", cache: cache)
    #expect(remote.code == 66)
    let reason = "\(cache): no cache of media can be made there: Not a directory"
    #expect(remote.errorOutput.contains("error: assets.clip: \(server.url)/c/clip.mkv: \(reason)\n"), "\(remote.errorOutput)")
    #expect(try server.requests(of: "c") == 0)
    // A worker that is given a cache by name does not start without it.
    let worker = try spool(
      "worker", "--connect", "ipc:///nowhere", "--store", directory.path, "--media-root", "/", "--media-url", server.url,
      "--media-cache", cache)
    #expect(worker.code == 73 && worker.errorOutput == "error: \(reason)\n", "\(worker.errorOutput)")
  }

  @Test func `a source that changes after it was probed fails the job, by its name in the document`() throws {
    try document("counted.json", faults: "o")
    #expect(try spool("validate", "counted.json", "--media-url", server.url).code == 0)
    let probing = try server.requests(of: "o")
    try document("edit.json", faults: String(repeating: "o", count: probing) + "v")
    let run = try render("edit.json", "movie.mkv")
    #expect(run.code == 65)
    let complaints = run.errorOutput.split(separator: "\n").filter { $0.hasPrefix("error: ") }
    #expect(complaints.count == 1 && complaints[0].hasPrefix("error: assets.clip.url: \(server.url)/ooo"), "\(run.errorOutput)")
    #expect(complaints[0].hasSuffix("/clip.mkv: has changed since it was probed") && !run.errorOutput.contains("secret"))
  }

  @Test func `what cannot be fetched is told before anything is rendered`() throws {
    try document("edit.json", faults: "4")
    let missing = try spool("validate", "edit.json", "--media-url", server.url)
    #expect(missing.code == 66)
    #expect(
      missing.errorOutput.contains(
        "error: assets.clip: \(server.url)/4/clip.mkv: there is no such thing there (HTTP status 404)\n"),
      "\(missing.errorOutput)")
    #expect(!missing.errorOutput.contains("secret"))
    try document("edit.json", faults: "o")
    let unknown = try spool(["validate", "edit.json", "--media-url", server.url], without: "SSL_CERT_FILE")
    #expect(unknown.code == 66 && unknown.errorOutput.contains("certificate"), "\(unknown.errorOutput)")
    let local = try spool("validate", "edit.json")
    #expect(local.code == 66 && local.errorOutput.contains("its address is a private one: its host must be allowed by name"))
    let usage = try spool("validate", "edit.json", "--media-url", "ftp://host")
    #expect(usage.code == 64)
  }
}
