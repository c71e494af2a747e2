import Arguments
import Console
import Formats
import FoundationEssentials
import Glibc
import Linux
import Operations
import SpoolCompositing
import Subprocess
import Terminal
import WebServer

struct ConsoleVerb: Verb {
  static let page = Page(
    "console", "serve the farm's pages and its HTTP API",
    description: [
      """
      Serves pages on which a farm is watched and steered, and an API under /api/v1, until it is told to stop by SIGTERM. The API \
      is described at /api/openapi.json and in docs/api.md.
      """,
      """
      It listens on this machine alone unless --listen names another address, which takes --tokens. A file of tokens has lines \
      'ROLE NAME SHA256', where ROLE is view, submit or operate. Without a token callers may do what --anyone says.
      """,
      Database.description,
    ],
    examples: [
      .init("spool console", "On http://127.0.0.1:7410, to look at."),
      .init("spool console --anyone operate", "On this machine, for everybody who can reach it."),
      .init(
        "spool console --listen 0.0.0.0:7410 --tokens tokens --tls-key key.pem --tls-certificate chain.pem --host farm.example",
        "For others, who need tokens."),
    ],
    environment: [Database.variable, MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "told to stop"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.noInput, "a file cannot be read"), .init(ExitCode.unavailable, "the address is taken"), Database.forbidden,
    ])

  @Option("listen", .listenAddress, default: .standard, shown: "127.0.0.1:7410", "The address and the port where it listens.")
  var address: ListenAddress
  @Option("database", .text("URL"), Database.help) var database: String?
  @Option("tokens", .file, "The file with the digests of tokens. It is read again when it changes.") var tokens: String?
  @Option("anyone", .choice("ROLE"), "What callers without a token may do. Default: view, and none with --tokens.")
  var anyone: Role?
  @Option("tls-key", .file, "The private key for TLS, as PEM.") var key: String?
  @Option("tls-certificate", .file, "The certificate and those of its issuers, as PEM.") var certificate: String?
  @Option("host", .text("NAME"), "A name by which clients call the server, besides addresses and localhost.") var hosts: [String]
  @Option("cors", .text("ORIGIN"), "Another site whose pages may call the API, such as https://wall.example.") var origins:
    [String]
  @Option("media-root", .directory, MediaRoots.help) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("output-root", .directory, "A folder below which movies may be read, so that they can be watched and fetched.")
  var outputRoots: [String]
  @Option(
    "store", .directory,
    "The workers' folder of segment files, so that movies can be played while they are rendered. A store in S3 cannot be played.")
  var store: String?
  @Flag("deliver", "Send the messages of webhooks, too. Several consoles of a farm may.") var delivers: Bool
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Option("log-level", .choice("LEVEL"), default: .info, shown: "info", LogWishes.level) var logLevel: LogLevel
  @Option("log-format", .choice("FORMAT"), default: .text, shown: "text", LogWishes.form) var logForm: LogForm

  func run() throws {
    chooseLog(logForm, from: logLevel)
    guard address.isLoopback || tokens != nil else {
      throw Complaint("--listen", "whoever reaches \(address) could see the farm: give --tokens", .usage)
    }
    // The signals are blocked before any thread starts.
    let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP])
    try raiseOpenFileLimit()
    var folder = Array("/tmp/spool-console-XXXXXX\0".utf8).map(CChar.init(bitPattern:))
    guard unsafe mkdtemp(&folder) != nil else { throw Complaint("/tmp", SystemWords.of(errno), .cannotCreate) }
    let path = String(decoding: folder.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { unsafe rmdir(path) }
    let (console, server) = try serve(folder: path)
    defer {
      console.stop()
      server.stop()
    }
    if delivers { Postman { [database] () throws(Complaint) in try complaining { try Database.url(database) } }.start() }
    writeLog("event=listening address=\(address) port=\(server.port)")
    while try signals.next() == nil {
      _ = Readiness.waitToRead([signals.number], within: .seconds(1))
      server.tend()
    }
  }

  private func serve(folder: String) throws -> (Console, WebServer) {
    var options = Console.Options(folder: folder)
    (options.hosts, options.origins, options.movieRoots) = (hosts, origins, outputRoots)
    options.store = try playedStore
    options.tokens = try tokens.map { path throws(Complaint) in try TokenFile(path: path) }
    options.anyone = anyone ?? (tokens == nil ? .view : .none)
    guard address.isLoopback || options.anyone == .none else {
      throw Complaint("--anyone", "is for this machine alone: callers from elsewhere need tokens", .usage)
    }
    let setting = try MediaRoots.setting(mediaRoots, mediaURLs, containment)
    let (compositors, database) = (CompositorRegistry.ofProgram, database)
    let console = Console(
      options, database: { () throws(Complaint) in try complaining { try Database.url(database) } },
      media: { MediaAccess(compositors: compositors) { _ in setting } })
    var serving = WebServer.Options(address: address)
    serving.tls = try tls
    serving.refusal = { Console.refusal($0, $1) }
    do throws(WebServerError) {
      return (console, try WebServer(serving, admit: { console.admit($0) }, respond: { console.respond($0) }))
    } catch { throw Complaint(error.place, error.reason, .unavailable) }
  }

  /// The absolute path of the folder of segment files.
  private var playedStore: String? {
    get throws(Complaint) {
      guard let store else { return nil }
      guard case .directory(let path) = try Store(store) else {
        throw Complaint("--store", "a store in S3 cannot be played from", .usage)
      }
      try requireDirectory(path, R_OK | X_OK, else: .noInput)
      guard let resolved = unsafe realpath(path, nil) else { throw Complaint(path, SystemWords.of(errno), .noInput) }
      defer { unsafe free(resolved) }
      return unsafe String(cString: resolved)
    }
  }

  private var tls: (key: String, certificate: String)? {
    get throws(Complaint) {
      switch (key, certificate) {
      case (let key?, let certificate?): (try Self.text(key), try Self.text(certificate))
      case (nil, nil): nil
      case (nil, _): throw Complaint("--tls-key", "required with --tls-certificate", .usage)
      case (_, nil): throw Complaint("--tls-certificate", "required with --tls-key", .usage)
      }
    }
  }

  private static func text(_ path: String) throws(Complaint) -> String {
    do { return try String(contentsOfFile: path, encoding: .utf8) } catch { throw Complaint(path, "cannot be read", .noInput) }
  }
}

extension ListenAddress {
  fileprivate static var standard: ListenAddress {
    guard let address = ListenAddress("127.0.0.1:7410") else { preconditionFailure("the standard address is one") }
    return address
  }
}

extension Format where Value == ListenAddress {
  /// The address and port of a server. Names are not looked up.
  fileprivate static let listenAddress = Format(
    "ADDRESS:PORT", expectation: "a numeric address and a port, such as 127.0.0.1:7410"
  ) {
    ListenAddress($0)
  }
}
