import Arguments
import Console
import Formats
import FoundationEssentials
import Glibc
import Linux
import Media
import Messages
import Operations
import Remote
import Rendering
import SpoolCompositing
import Subprocess
import Timeline
import Transfer
import WebServer
import Worker
import ZeroMQ

struct WorkerVerb: Verb {
  static let page = Page(
    "worker", "work for a farm",
    description: [
      """
      Connects to a coordinator and renders what it is given, each attempt in a process of its own, until it is told to \
      stop. SIGTERM lets the running attempts finish; a second one ends them, and others render them again.
      """,
      """
      All workers of a farm see the segment store and the media below the same paths. A worker may only read media below its \
      media roots, and write movies below its output roots and output URLs.
      """,
      """
      Each attempt runs under limits. As far as the kernel has Landlock and seccomp, it can reach no files but its own, no \
      network and no other processes. The worker's log (event=containment) and the view worker_status say what is in force \
      (docs/security.md).
      """,
    ],
    examples: [
      .init(
        "spool worker --connect tcp://farm:7400 --store /srv/store --media-root /srv/media --curve-secret-key w.key --curve-server-key coordinator.pub",
        "One worker, an attempt at once for each core."),
      .init(
        "spool worker --connect ipc:///run/spool/farm --store /srv/store --media-root /srv/media --media-url s3://footage --media-cache /var/cache/spool",
        "One that reads media from S3, too."),
    ],
    environment: [MediaURLs.variable],
    exitCodes: [
      .init(ExitCode.ok, "told to stop"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.noInput, "a key file or a media root cannot be read"),
      .init(
        ExitCode.unavailable,
        "refused by the coordinator, or the kernel lacks a containment that is required, or the address for health is taken"),
      .init(ExitCode.cannotCreate, "the store cannot be written"),
    ])

  @Option("connect", .endpoint, minimum: 1, "A coordinator's endpoint; of several, the worker finds the one that leads.")
  var endpoints: [String]
  @Option("store", .text("STORE"), Store.help) var store: String
  @Option(
    "scratch", .directory,
    "A directory of this machine for segments on their way to and from S3, with room for those of the longest movie. Default: /var/tmp."
  )
  var scratch: String?
  @Option("reuse", .choice("WHOSE"), default: .own, shown: "own", Reuse.help) var reuse: Reuse
  @Option(
    "reuse-size", .integer(0...1 << 30, "MIB"), default: Reuse.standardMebibytes, shown: "\(Reuse.standardMebibytes)",
    Reuse.sizeHelp) var reuseSize: Int
  @Option("media-root", .directory, minimum: 1, "A directory that media may be read from, links resolved.") var mediaRoots:
    [String]
  @Option(
    "media-url", .mediaURL,
    "A URL below which media may be fetched, such as https://media.example/clips or s3://bucket. Default: none.")
  var mediaURLs: [MediaURLPrefix]
  @Option(
    "media-cache", .directory,
    """
    A directory of this machine for blocks of media behind URLs, which must be writable from the start. Default: \
    /var/cache/spool for root, else ~/.cache/spool, made when the first are read.
    """)
  var mediaCache: String?
  @Option(
    "media-cache-size", .integer(64...1 << 30, "MIB"), default: MediaURLs.standardMebibytes,
    shown: "\(MediaURLs.standardMebibytes)",
    "The size that all files of the media cache may have together.") var mediaCacheSize: Int
  @Option("output-root", .directory, OutputRoots.help) var outputRoots: [String]
  @Option("output-url", .outputURL, OutputRoots.urlHelp) var outputURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.help) var containment: Containment
  @Option("slots", .integer(1...1024), "The number of attempts to run at once. Default: one for each core.") var slots: Int?
  @Option("tag", .tag, "Something that this worker has and that jobs may require, such as gpu or site=tokyo.") var tags: [String]
  @Option(
    "slot-memory", .integer(1...16_777_216, "MIB"),
    "The memory for each slot. Default: the machine's memory divided by the slots.")
  var slotMemory: Int?
  @Option("name", .text("NAME"), "The worker's name, unique in the farm and the same at every start. Default: the host's name.")
  var name: String?
  @Option("curve-secret-key", .file, "The worker's secret key, from 'spool keys'.") var secretKey: String?
  @Option("curve-server-key", .file, "The coordinator's public key, as 'spool keys' printed it.") var serverKey: String?
  @Option(
    "stall", .integer(1...86_400, "SECONDS"),
    "How long an attempt may make no progress before it is killed. Default: 30 seconds longer than the coordinator allows.")
  var stall: Int?
  @Option(
    "notice", .integer(1...86_400, "SECONDS"),
    """
    How long after SIGTERM the machine ends, as on spot machines. What will not be done by then is split off its chunk and left to other workers. \
    Default: chunks are not split.
    """)
  var notice: Int?
  @Option("attempt-memory", .integer(256...16_777_216, "MIB"), Self.memoryHelp) var memory: Int?
  @Option(
    "attempt-file-size", .integer(1...1 << 30, "MIB"), default: 1 << 20, shown: "1048576",
    "The size of any file that an attempt may write.") var fileSize: Int
  @Option("health", .healthAddress, HealthVerb.help) var health: ListenAddress?
  @Option("log-level", .choice("LEVEL"), default: .info, shown: "info", LogWishes.level) var logLevel: LogLevel
  @Option("log-format", .choice("FORMAT"), default: .text, shown: "text", LogWishes.form) var logForm: LogForm
  @Option(hidden: "account", .account) var account: Account?
  /// The folder of the sockets from which attempts get their media files as open descriptors from the submitter.
  @Option(hidden: "media-handout", .directory) var mediaHandout: String?
  @Option(hidden: "parent", .integer(1...Int(Int32.max))) var parent: Int?
  /// The program that runs attempts in place of this one, for example a build of the attempt with planted faults.
  @Option(hidden: "attempt-program", .file) var attemptProgram: String?

  func run() throws {
    chooseLog(logForm, from: logLevel)
    try account?.become()
    if let parent { try endWithParent(Int32(parent)) }
    let keys = try keys
    guard capabilities(limitsMemory: true).tags.count <= Capabilities.mostTags else {
      throw Complaint(
        "--tag", "at most \(Capabilities.mostTags), one for each compositor of this program among them", .usage)
    }
    try Store(store).requireUsable()
    if let scratch { try requireDirectory(scratch, W_OK | X_OK, else: .cannotCreate) }
    try MediaRoots.require(mediaRoots)
    // A cache without a name is made when media behind a URL are first read.
    if !mediaURLs.isEmpty, mediaCache != nil { try MediaURLs.require(cache) }
    // The output root of root's own farm is root's. Only the folders below it belong to the worker.
    let writing = account == nil ? W_OK | X_OK : X_OK
    for root in outputRoots { try requireDirectory(root, writing, else: .cannotCreate) }
    try containment.requireOffered()
    try requireCredentials()
    let programs = try programs(
      ["--containment", containment.rawValue] + mediaRoots.flatMap { ["--media-root", $0] } + roots
        + (mediaHandout.map { ["--media-handout", $0] } ?? []))
    let (groups, whyNoGroups) = Self.claimGroups()
    var options = WorkerOptions(
      name: name ?? hostName, endpoints: endpoints, keys: keys, slots: slots ?? coreCount,
      capabilities: capabilities(limitsMemory: groups != nil), program: programs.usual, courier: programs.courier,
      sweeper: WorkerOptions.Program(
        arguments: ["sweep", "--store", store, "--reuse-size", "\(reuse == .none ? 0 : reuseSize)"] + roots + places,
        passedOn: S3Account.variables),
      stallSeconds: stall, attemptMemoryBytes: attemptMebibytes(isReal: groups != nil) << 20,
      attemptFileBytes: fileSize << 20, containment: containment.parts.map(\.rawValue))
    (options.handsMedia, options.noticeSeconds) = (mediaHandout != nil, notice)
    // With a store in S3 a courier starts the attempts, so none waits here.
    if programs.courier != nil, attemptProgram == nil { options.waitingAttempts = min(options.slots, Self.mostWaiting) }
    (options.attemptGroups, options.whyNoGroups) = (groups, whyNoGroups)
    options.outputRoots = OutputRoots.told(outputRoots, outputURLs.map(\.description))
    (options.missingContainment, options.whyNotContained) = (containment.missing.map(\.rawValue), containment.whyMissing)
    let health = try health.map { address throws(Complaint) in try HealthServer(at: address, tellers: [.loop, .store]) }
    health?.tendForever()
    if case .directory(let path) = try Store(store) {
      let segments = SegmentStore(root: path)
      options.keep = SegmentKeeper(segments, reuse.scope.map { SegmentCache(of: segments, $0) }).keep
      options.joiner = WorkerOptions.Program(
        arguments: ["join", "--store", path, "--containment", containment.rawValue] + roots)
      options.recaller = recaller(in: path)
    }
    if let health { StoreWatch(try Store(store)).start(telling: health) }
    try Worker(options, tell: { health?.tell($0, by: .loop) }).run()
  }

  /// The most processes that wait for an order. Each holds about ten megabytes.
  private static let mostWaiting = 4

  private static func claimGroups() -> (AttemptGroups?, whyNot: String) {
    do { return (try AttemptGroups(claiming: .own()), "") } catch { return (nil, error.description) }
  }

  private func capabilities(limitsMemory: Bool) -> Capabilities {
    let compositors = CompositorRegistry.ofProgram.names.map(Capabilities.tag(ofCompositor:))
    let contained = (containment.parts.map(\.rawValue) + (limitsMemory ? ["memory"] : [])).map { "contained=\($0)" }
    let encoders = ExportSettings.optionalEncoders.filter(Encoders.have).map(Capabilities.tag(ofEncoder:))
    return Capabilities(tags: tags + compositors + encoders + contained, memory: slotMemory ?? machineShare)
  }

  private static let memoryHelp = """
    The memory that an attempt may have, or its address space if the worker has no cgroup of its own (docs/security.md). \
    Default: --slot-memory, and at least 2048, or 4096 of address space.
    """

  /// - Parameter isReal: whether only used memory counts. Address space is mostly unused, so its limit is higher.
  private func attemptMebibytes(isReal: Bool) -> Int { memory ?? max(isReal ? 2048 : 4096, slotMemory ?? machineShare) }

  /// The memory in MiB for each slot. It is a share of the machine's memory or, where that is less, of what this worker's cgroup
  /// may have.
  private var machineShare: Int {
    let machine = Int(ProcessInfo.processInfo.physicalMemory)
    return max(1, (min(machine, ControlGroup.own()?.memoryLimit ?? machine) >> 20) / (slots ?? coreCount))
  }

  private var cache: BlockCache { MediaURLs.cache(mediaCache, mebibytes: mediaCacheSize) }

  /// The programs that run an attempt. An attempt that needs the network, or writes in several places, runs below a courier, which
  /// has the network and the credentials.
  private func programs(
    _ arguments: [String]
  ) throws(Complaint) -> (usual: WorkerOptions.Program, courier: WorkerOptions.Program?) {
    let arguments = arguments + (try keepsSegments ? reuse.arguments : [])
    let urls = mediaURLs.flatMap { ["--media-url", $0.description] }
    let courier = WorkerOptions.Program(
      arguments: ["courier", "--store", store, "--scratch", scratch ?? CourierVerb.standardScratch] + urls
        + ["--media-cache", cache.folder, "--media-cache-size", "\(mediaCacheSize)"] + roots + places
        + arguments.map { "--argument=\($0)" } + (attemptProgram.map { ["--attempt-program", $0] } ?? []),
      passedOn: MediaURLs.variables)
    guard case .directory(let path) = try Store(store) else { return (courier, nil) }
    let usual = WorkerOptions.Program(
      executable: attemptProgram ?? "/proc/self/exe", arguments: ["attempt", "--store", path] + arguments)
    return (usual, courier)
  }

  /// The program that looks for segments of earlier jobs; nil where none are looked for, or where another program runs attempts.
  private func recaller(in store: String) -> WorkerOptions.Program? {
    guard let scope = reuse.scope, attemptProgram == nil else { return nil }
    return WorkerOptions.Program(
      arguments: ["recall", "--store", store, "--reuse", scope.rawValue] + mediaRoots.flatMap { ["--media-root", $0] }
        + (mediaHandout.map { ["--media-handout", $0] } ?? []))
  }

  private var roots: [String] { outputRoots.flatMap { ["--output-root", $0] } }
  private var places: [String] { outputURLs.flatMap { ["--output-url", $0.description] } }

  /// Refuses to start where movies are to go to S3 and there are no credentials.
  private func requireCredentials() throws(Complaint) {
    guard !outputURLs.isEmpty else { return }
    do throws(TransferError) { _ = try S3Account(environment: ProcessInfo.processInfo.environment) } catch {
      throw Complaint("--output-url", "\(error.place): \(error.reason)", .cannotCreate)
    }
  }

  /// Whether segments of earlier jobs can be found in the store: only in a folder.
  private var keepsSegments: Bool {
    get throws(Complaint) { if case .directory = try Store(store) { true } else { false } }
  }

  private var keys: WorkerOptions.Keys? {
    get throws(Complaint) {
      switch (secretKey, serverKey) {
      case (let secretKey?, let serverKey?): .init(secretKeyFile: secretKey, coordinatorKey: try Self.publicKey(in: serverKey))
      case (nil, nil): nil
      case (nil, _): throw Complaint("--curve-secret-key", "required with --curve-server-key", .usage)
      case (_, nil): throw Complaint("--curve-server-key", "required with --curve-secret-key", .usage)
      }
    }
  }

  /// The public key in a file that `spool keys` has printed. It is the file's first word.
  private static func publicKey(in file: String) throws(Complaint) -> String {
    let text: String
    do {
      text = try String(contentsOfFile: file, encoding: .utf8)
    } catch {
      throw Complaint(file, "cannot be read as text", .noInput)
    }
    let key = text.prefix { !$0.isWhitespace }
    guard CurveKey(key) != nil else { throw Complaint(file, "not a public key of 40 Z85 characters", .noInput) }
    return String(key)
  }

}
