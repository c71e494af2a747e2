import Arguments
internal import Document
import EditFiles
import Examination
import Formats
import FoundationEssentials
import Glibc
import Ledger
import Linux
import Messages
import Operations
import Remote
import Rendering
import SpoolCompositing
import Terminal
internal import Timeline
import Transfer

/// The folders that an edit's media may lie in. A user who renders for himself may read all files that he can read, and
/// everything on the internet. Workers, which render for others, are told where media are.
enum MediaRoots {
  static let help = "A directory below which media may be read; symbolic links are followed first. Default: '/'."
  static let renderHelp = """
    A directory below which media may be read; symbolic links are followed first. Default: '/'; for root the folders of DOC and of \
    the media that it names.
    """

  /// How operations read media for a verb.
  static func mediaAccess(
    _ roots: [String], _ urls: [MediaURLPrefix], _ containment: Containment
  ) -> MediaAccess {
    MediaAccess(compositors: .ofProgram) { _ throws(Complaint) in
      try presenting { try setting(roots, urls, containment) }
    }
  }

  /// The setting with which a verb reads media.
  ///
  /// - Parameters:
  ///   - urls: the prefixes of URLs that media may be fetched from. When there are none, everything on the internet may be.
  ///   - user: the user who reads the media when the caller is root.
  /// - Throws: a `Complaint` about a root that cannot be used, for example because its file system is not mounted, or about a
  ///   lack of
  ///   containment.
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

  /// The media roots of a render. Root may read everything, so unless the caller names roots, root's render gets the folders of
  /// the document, and of the media, caption and Lottie files that it names. Links that lead out of them are then not followed.
  static func ofRender(_ given: [String], _ file: DocumentFile) -> [String] {
    guard given.isEmpty, geteuid() == 0 else { return given }
    func folder(of path: String) -> String {
      let folder = FilePath.parts(of: path).folder
      return folder.isEmpty ? "." : String(folder)
    }
    let named = file.document.assets.values.compactMap { if case .file(let path) = $0 { folder(of: path) } else { nil } }
    let beside = (file.document.captionFiles.map(\.path) + file.document.lottieFiles.map(\.path)).map(folder)
    // A folder that is missing holds no media. The failure to open a medium then names the medium.
    return Set(named + beside + [folder(of: file.path)]).sorted().filter { unsafe access($0, X_OK) == 0 }
  }

  static func require(_ roots: [String]) throws(Complaint) {
    for root in roots { try requireDirectory(root, R_OK | X_OK, else: .noInput) }
  }
}

/// The URLs that media may be fetched from, and the cache for their blocks.
enum MediaURLs {
  static let help = """
    A URL below which media may be fetched, such as https://media.example/clips or s3://bucket. Hosts in private networks must \
    be named. Default: anything on the internet.
    """
  static let variable = Page.Variable(
    "SPOOL_CACHE",
    "The directory that keeps blocks of media behind URLs. Default: /var/cache/spool for root, else ~/.cache/spool.")
  static let variables = S3Account.variables + ["SSL_CERT_FILE"]
  static let internet = ["https://", "http://", "s3://"].compactMap { try? MediaURLPrefix($0) }  // All three are valid.
  static let standardMebibytes = 8192

  /// - Parameters:
  ///   - folder: the cache's folder on this machine.
  ///   - mebibytes: the most MiB that the folder's files may have.
  static func cache(_ folder: String? = nil, mebibytes: Int = standardMebibytes) -> BlockCache {
    BlockCache(folder: folder ?? standardFolder, limit: Int64(mebibytes) << 20)
  }

  /// - Throws: a `Complaint` when the cache cannot be made or written to.
  static func require(_ cache: BlockCache) throws(Complaint) {
    do throws(TransferError) { try cache.prepare() } catch { throw Complaint(error.place, error.reason, .cannotCreate) }
  }

  static func library(_ prefixes: [MediaURLPrefix], cache: BlockCache) -> MediaLibrary {
    do throws(TransferError) {
      let account = try S3Account(environment: ProcessInfo.processInfo.environment)
      return MediaLibrary(AllowedMedia(prefixes), account: account, cache: cache)
    } catch {
      return MediaLibrary(AllowedMedia(prefixes), account: nil, accountFault: error, cache: cache)
    }
  }

  static var standardFolder: String {
    let environment = ProcessInfo.processInfo.environment
    func given(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let folder = given("SPOOL_CACHE") { return folder }
    if geteuid() == 0 { return "/var/cache/spool" }
    if let home = given("XDG_CACHE_HOME"), home.hasPrefix("/") { return home + "/spool" }
    // The home folder of a service, or of nobody, may not exist.
    if let home = given("HOME"), unsafe access(home, X_OK) == 0 { return home + "/.cache/spool" }
    return "/var/tmp/spool-cache-\(geteuid())"
  }
}

extension Format where Value == MediaURLPrefix {
  static let mediaURL = Format("URL", expectation: "a URL that begins with https://, http:// or s3://") { text in
    // The message has no room for the reason why it is not valid.
    try? MediaURLPrefix(text)
  }
}

extension Format where Value == MediaURLPrefix {
  static let outputURL = Format("URL", expectation: "a place in S3, such as s3://bucket/movies") { text in
    // The message has no room for the reason why it is not valid.
    text.hasPrefix("s3://") ? try? MediaURLPrefix(text) : nil
  }
}

extension OutputRoots {
  static let help = "A directory below which movies may be written; symbolic links are followed first. Default: anywhere."
  static let urlHelp = "A place in S3 below which movies may be written, such as s3://bucket/movies. Default: none."
}
