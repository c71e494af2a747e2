import Arguments
import Examination
import FoundationEssentials
import Glibc
import Ledger
import Messages
import Remote
import Rendering
import SpoolCompositing
import SystemWords
import Terminal
import Timeline
import Transfer

/// Where the media of an edit may lie. Who renders for himself may read what he may read, and whatever is on the internet; who
/// renders for others says where their media are.
enum MediaRoots {
  static let help = "A directory that media may be read from, links resolved; '/' unless given."
  static let renderHelp =
    "A directory that media may be read from, links resolved; unless given '/', for root the folders of DOC and of the media it names."

  /// How a verb reads the media.
  ///
  /// - Parameters:
  ///   - urls: where media may be fetched from; anywhere on the internet when there are none.
  ///   - user: as whom media are read, where the caller is root.
  /// - Throws: a `Complaint` about a root that is none: a file system that is not mounted, say; or about a containment that is missing.
  static func setting(
    _ roots: [String], _ urls: [MediaURLPrefix], _ containment: Containment, user: String? = nil
  ) throws -> ExaminationSetting {
    let account = try OrdinaryUser.chosen(user)
    try require(roots)
    try containment.requireOffered(to: .media)
    if let warning = containment.warning { try StandardStream.error.line("warning: \(warning)") }
    let library = MediaURLs.library(urls.isEmpty ? MediaURLs.internet : urls, cache: MediaURLs.cache())
    var setting = ExaminationSetting(
      roots: roots.isEmpty ? ["/"] : roots, library: library, arguments: ["--containment", containment.rawValue],
      sharesErrorOutput: !CompositorRegistry.ofProgram.names.isEmpty)
    setting.account = account
    return setting
  }

  /// Those of a render: root, who may read everything, follows no link out of the folders of the document and of the media that it names,
  /// unless he says where media may lie.
  static func ofRender(_ given: [String], _ file: DocumentFile) -> [String] {
    guard given.isEmpty, geteuid() == 0 else { return given }
    func folder(of path: String) -> String {
      path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? "."
    }
    let named = file.document.assets.values.compactMap { if case .file(let path) = $0 { folder(of: path) } else { nil } }
    // One that is not there holds no media: what it is to hold is told by its own name.
    return Set(named + [folder(of: file.path)]).sorted().filter { unsafe access($0, X_OK) == 0 }
  }

  static func require(_ roots: [String]) throws(Complaint) {
    for root in roots { try requireDirectory(root, R_OK | X_OK, else: ExitCode.noInput) }
  }
}

/// Where media may be fetched from, and where they are kept meanwhile.
enum MediaURLs {
  static let help = """
    URLs below which media may be fetched, such as https://media.example/clips or s3://bucket; hosts in private networks must be \
    named. Unless given, anything on the internet.
    """
  static let variable = Page.Variable(
    "SPOOL_CACHE", "Where blocks of media behind URLs are kept. Default: /var/cache/spool for root, else ~/.cache/spool.")
  static let variables = S3Account.variables + ["SSL_CERT_FILE"]
  static let internet = ["https://", "http://", "s3://"].compactMap { try? MediaURLPrefix($0) }  // All are.
  static let standardMebibytes = 8192

  /// - Parameters:
  ///   - folder: of blocks on this machine.
  ///   - mebibytes: of the folder.
  static func cache(_ folder: String? = nil, mebibytes: Int = standardMebibytes) -> BlockCache {
    BlockCache(folder: folder ?? standardFolder, limit: Int64(mebibytes) << 20)
  }

  /// - Throws: a `Complaint` when the cache cannot be made or written.
  static func require(_ cache: BlockCache) throws(Complaint) {
    do throws(TransferError) { try cache.prepare() } catch { throw Complaint(error.place, error.reason, ExitCode.cannotCreate) }
  }

  static func library(_ prefixes: [MediaURLPrefix], cache: BlockCache) -> MediaLibrary {
    // Who has none is told when s3:// is needed.
    let account = try? S3Account(environment: ProcessInfo.processInfo.environment)
    return MediaLibrary(AllowedMedia(prefixes), account: account, cache: cache)
  }

  static var standardFolder: String {
    let environment = ProcessInfo.processInfo.environment
    func given(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let folder = given("SPOOL_CACHE") { return folder }
    if geteuid() == 0 { return "/var/cache/spool" }
    if let home = given("XDG_CACHE_HOME"), home.hasPrefix("/") { return home + "/spool" }
    // The home of a service, or of nobody, may be one that is not there.
    if let home = given("HOME"), unsafe access(home, X_OK) == 0 { return home + "/.cache/spool" }
    return "/var/tmp/spool-cache-\(geteuid())"
  }
}

extension Format where Value == MediaURLPrefix {
  static let mediaURL = Format("URL", expectation: "a URL that begins with https://, http:// or s3://") { text in
    // Why it is none does not fit here.
    try? MediaURLPrefix(text)
  }
}

/// Where workers may write movies.
enum OutputRoots {
  static let help = "A directory that movies may be written below, links resolved; anywhere unless given."

  /// What a worker tells of its roots: their absolute paths, and those that their links lead to.
  static func absolute(_ roots: [String]) -> [String] {
    let here = resolved(".")
    var told: [String] = []
    for root in roots {
      let named = root.hasPrefix("/") ? root : here.map { "\($0)/\(root)" }
      for path in [named, resolved(root)].compactMap(\.self) where !told.contains(path) { told.append(path) }
    }
    return told
  }

  /// The path under which a farm's workers know the movie that is to be written to `path`: as it is named or with its folder's links resolved.
  ///
  /// - Parameters:
  ///   - path: absolute.
  ///   - workers: all that are known; those that have left count only where all have.
  /// - Throws: a `Complaint` that names the workers' roots when none of them may write it. Where no worker is known, who comes may.
  static func path(_ path: String, writableBy workers: [WorkerStatus]) throws(Complaint) -> String {
    let present = workers.filter { $0.state != "left" }
    let asked = present.isEmpty ? workers : present
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    let others = resolved(String(path[..<end]) + "/").map { ($0 == "/" ? "" : $0) + String(path[end...]) }
    for candidate in [path, others].compactMap(\.self)
    where asked.isEmpty || asked.contains(where: { WorkerHello.mayWrite(candidate, below: $0.outputRoots) }) {
      return candidate
    }
    let roots = Set(asked.flatMap { $0.outputRoots ?? [] }).sorted().joined(separator: ", ")
    throw Complaint(
      path, "no worker of the farm may write it: their output roots are \(roots.isEmpty ? "none" : roots)", ExitCode.cannotCreate)
  }

  /// What is told of a movie as long as no worker is known.
  static func untold(_ path: String) -> FaultRecord {
    FaultRecord(
      path: path, kind: "output",
      text:
        "no worker is known yet, so that nobody can say whether one may write it; if none of those to come may, the job waits, "
        + "and 'spool why' says so")
  }

  private static func resolved(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}

/// - Parameters:
///   - mode: what must be allowed there, as access(2) takes it.
///   - code: that of the `Complaint` about one that is missing, no directory or not accessible.
func requireDirectory(_ path: String, _ mode: Int32, else code: Int32) throws(Complaint) {
  var facts = stat()
  guard unsafe stat(path, &facts) == 0 else { throw Complaint(path, SystemWords.of(errno), code) }
  guard facts.st_mode & S_IFMT == S_IFDIR else { throw Complaint(path, "is not a directory", code) }
  guard unsafe access(path, mode) == 0 else { throw Complaint(path, SystemWords.of(errno), code) }
}
