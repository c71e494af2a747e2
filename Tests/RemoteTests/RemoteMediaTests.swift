import FarmTesting
import Formats
import Media
import MediaTime
import Remote
import Testing
import Transfer

/// Sources are behind URLs of a server that fails as it is told.
@Suite struct RemoteMediaTests {
  private let directory = TemporaryDirectory()
  private let server: FaultyServer

  init() throws {
    // The source has several blocks.
    try SyntheticSource(width: 320, height: 240, frameCount: 60).write(
      to: directory.file("clip.mkv"), ["-vf", "noise=alls=40", "-c:v", "ffv1"])
    server = try FaultyServer(folder: directory.path, target: "/o/clip.mkv")
  }

  private func library(
    _ allowed: [String]? = nil, account: S3Account? = nil, cacheMebibytes: Int64 = 64, cache: String = "cache"
  ) throws -> MediaLibrary {
    var retries = Retries()
    (retries.tries, retries.firstMilliseconds) = (4, 1)
    return MediaLibrary(
      AllowedMedia(try (allowed ?? [server.url]).map { prefix in try MediaURLPrefix(prefix) }), account: account,
      cache: BlockCache(folder: directory.file(cache), limit: cacheMebibytes << 20), retries: retries, stallSeconds: 1)
  }

  private func policy(_ library: MediaLibrary) -> SourcePolicy { SourcePolicy(roots: [directory.path], remote: library.media) }

  private func digests(of path: String, _ policy: SourcePolicy) throws -> [String] {
    let facts = try AssetProbe.facts(of: path, policy: policy)
    var policy = policy
    // The version is known, as it is in an edit.
    if let url = try? MediaURL(path), let tag = facts.version {
      policy.knownVersions[url] = RemoteVersion(byteCount: facts.byteCount, tag: tag)
    }
    let reader = try VideoReader(path: path, track: try #require(facts.playableTracks(.video).first), policy: policy)
    // The order makes the reader seek.
    return try [0, 59, 20, 21, 22, 23, 24, 1, 40].map { number in try reader.frame(at: Rational(Int128(number), over: 25)).md5() }
  }

  /// The blocks that the clip has.
  private var blockCount: Int { get throws { try [UInt8](contentsOf: directory.file("clip.mkv")).count >> 20 + 1 } }

  private func failure(of path: String, _ library: MediaLibrary) throws -> MediaError {
    try #require(throws: MediaError.self) { _ = try digests(of: path, policy(library)) }
  }

  @Test(arguments: ["o", "c5s", "ocow", "w", "6", "r", "cr"])
  func `frames from a URL are those of the file, whatever passing trouble there is`(faults: String) throws {
    let (url, policy) = ("\(server.url)/\(faults)/clip.mkv", policy(try library()))
    #expect(try digests(of: url, policy) == digests(of: directory.file("clip.mkv"), policy))
    var (far, near) = (
      try AssetProbe.facts(of: url, policy: policy), try AssetProbe.facts(of: directory.file("clip.mkv"), policy: policy)
    )
    #expect(far.version == "\"1\"")
    (far.version, near.version) = (nil, nil)
    #expect(far == near)
    // The trouble was met: each fault of one request took one more.
    switch faults {
    case "r", "cr": #expect(try server.requests(of: faults) >= 2)
    case "6": #expect(try server.requests(of: "o") > 0)
    default:
      let troubles = faults.count { "c5s".contains($0) }
      #expect(try server.requests(of: faults) >= blockCount + 1 + troubles)
    }
  }

  @Test func `what the cache holds of a version that is known is not asked for again`() throws {
    let path = "\(server.url)/o/clip.mkv"
    let policy = policy(try library())
    let first = try digests(of: path, policy)
    let requests = try server.requests(of: "o")
    #expect(try digests(of: path, policy) == first)
    // Only probing asks for the version.
    #expect(try server.requests(of: "o") == requests + 1)
    let blocks = try blockCount
    #expect(requests == blocks && blocks > 2, "\(requests) requests for \(blocks) blocks")
  }

  @Test func `a server without ranges is asked for all of it once, and not at all for more than half of the cache`() throws {
    let path = "\(server.url)/r/clip.mkv"
    _ = try digests(of: path, policy(try library()))
    // Two requests were made: one for a range, whose answer was the whole source and was dropped, and one for the whole source.
    #expect(try server.requests(of: "r") == 2)
    let error = try failure(of: path, try library(cacheMebibytes: 4, cache: "small"))
    #expect(error.kind == .unsupported && error.reason.contains("does not answer requests for ranges"))
  }

  @Test func `what changes while it is read fails as changed`() throws {
    let error = try failure(of: "\(server.url)/ov/clip.mkv", try library())
    #expect(error == MediaError(.changed, at: "\(server.url)/ov/clip.mkv", "has changed since it was probed"))
  }

  @Test(arguments: [
    ("4", MediaError.Kind.missing, "there is no such thing there (HTTP status 404)"),
    ("3", .missing, "the server refuses it (HTTP status 403)"),
    ("f", .unreachable, "the server cannot answer now (HTTP status 503)"),
    (
      "n", .unsupported, "the server does not say which version it is (neither ETag nor Last-Modified): it could change unnoticed"
    ),
  ])
  func `what the server refuses is told`(faults: String, kind: MediaError.Kind, reason: String) throws {
    let path = "\(server.url)/\(faults)/clip.mkv"
    #expect(try failure(of: path, try library()) == MediaError(kind, at: path, reason))
  }

  @Test(arguments: ["http", "s3"])
  func `a cache that cannot be made is named, and nothing is asked for`(scheme: String) throws {
    let account = try S3Account(environment: [
      "AWS_ENDPOINT_URL": server.url, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
    ])
    let library = try library([server.url, "s3://bucket"], account: account, cache: "clip.mkv/cache")
    let path = scheme == "s3" ? "s3://bucket/clip.mkv" : "\(server.url)/o/clip.mkv"
    let reason = "\(directory.file("clip.mkv"))/cache: no cache of media can be made there: Not a directory"
    #expect(try failure(of: path, library) == MediaError(.unreadable, at: path, reason))
    #expect(try server.requests(of: scheme == "s3" ? "bucket" : "o") == 0)
  }

  @Test func `what is not media, or empty, is told as of a file`() throws {
    try "nothing".write(toFile: directory.file("text"))
    try "".write(toFile: directory.file("empty"))
    #expect(try failure(of: "\(server.url)/o/text", try library()).kind == .unsupported)
    #expect(try failure(of: "\(server.url)/o/empty", try library()).reason == "is empty")
  }

  @Test(arguments: [[], ["https://"], ["http://127.0.0.1:1"], ["s3://bucket"]])
  func `what is not allowed is not asked for`(allowed: [String]) throws {
    let error = try failure(of: "\(server.url)/o/clip.mkv", try library(allowed))
    #expect(error.kind == .unreadable && error.reason == "is not below a URL that media may be fetched from (--media-url)")
    #expect(try server.requests(of: "o") == 0)
  }

  @Test func `a host that is not named is not reached in a private network, whatever its name`() throws {
    for host in ["127.0.0.1", "localhost", "[::1]", "0x7f000001", "2130706433", "127.1"] {
      let url = server.url.replacing("127.0.0.1", with: host) + "/o/clip.mkv"
      let error = try failure(of: url, try library(["http://"]))
      #expect(error.kind == .unreadable, "\(host): \(error)")
      #expect(error.reason.hasSuffix("its address is a private one: its host must be allowed by name"), "\(host): \(error)")
    }
    #expect(try server.requests(of: "o") == 0)
  }

  @Test func `the link's own addresses are not reached though they are named`() throws {
    let url = "http://169.254.169.254/latest/meta-data"
    #expect(try failure(of: url, try library([url])) == MediaError(.unreadable, at: url, "its address is the link's"))
  }

  @Test(arguments: ["http://169.254.169.254/x", "http://elsewhere.example/x", "//elsewhere.example/x"])
  func `a redirection to what is not allowed is not followed`(target: String) throws {
    let server = try FaultyServer(folder: directory.path, target: target)
    let error = try failure(of: "\(server.url)/6/clip.mkv", try library([server.url]))
    #expect(error.kind == .unreadable, "\(error)")
    #expect(error.reason.hasSuffix("is not below a URL that media may be fetched from (--media-url)"), "\(error)")
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://h/x", "/o/../x"])
  func `a redirection to what is no URL of media is not followed`(target: String) throws {
    let server = try FaultyServer(folder: directory.path, target: target)
    let error = try failure(of: "\(server.url)/6/clip.mkv", try library([server.url]))
    #expect(error.kind == .unsupported && error.reason.contains("its redirection "), "\(error)")
    #expect(try server.requests(of: "o") == 0)
  }

  @Test func `a redirection within an allowed host is judged as if it were asked for`() throws {
    // The host's clips are allowed by name. Elsewhere everything on the internet is allowed, and this host is not on it.
    let server = try FaultyServer(folder: directory.path, target: "/oo/clip.mkv")
    let error = try failure(of: "\(server.url)/6/clip.mkv", try library(["\(server.url)/6", "http://"]))
    #expect(error.kind == .unreadable, "\(error)")
    #expect(error.reason.hasSuffix("its address is a private one: its host must be allowed by name"), "\(error)")
    #expect(try server.requests(of: "oo") == 0)
  }

  @Test(arguments: ["/6/..;/o/clip.mkv", "/6/%252e%252e/o/clip.mkv", "/6/%2e%2e/o/clip.mkv", "/6/..%5co/clip.mkv"])
  func `a redirection out of an allowed path is not followed`(target: String) throws {
    let server = try FaultyServer(folder: directory.path, target: target)
    let error = try failure(of: "\(server.url)/6/clip.mkv", try library(["\(server.url)/6"]))
    #expect(error.reason.hasSuffix("its redirection has '.' or '..' in its path"), "\(error)")
    #expect(try server.requests(of: "o") == 0)
  }

  @Test func `a URL of S3 without credentials is refused, with the reason why there are none`() throws {
    let fault = try #require(throws: TransferError.self) { try S3Account(environment: ["AWS_ENDPOINT_URL": "ftp://h"]) }
    let library = MediaLibrary(
      AllowedMedia([try MediaURLPrefix("s3://bucket")]), account: nil, accountFault: fault,
      cache: BlockCache(folder: directory.file("cache"), limit: 64 << 20))
    let reason = "there are no credentials for S3: ftp://h: not an endpoint: it begins with https:// or http://"
    #expect(try failure(of: "s3://bucket/clip.mkv", library) == MediaError(.unreadable, at: "s3://bucket/clip.mkv", reason))
  }

  @Test func `a query is asked with, and not told`() throws {
    let error = try failure(of: "\(server.url)/4/clip.mkv?token=secret", try library())
    #expect(error.place == "\(server.url)/4/clip.mkv" && !error.description.contains("secret"))
    #expect(try server.queries(of: "4") == ["token=secret"])
  }
}
