import Arguments
import Console
import Coordinator
import Glibc
import Ledger
import Linux
import Operations
import PlainText
import Scheduling
import Subprocess
import Terminal
import WebServer
import ZeroMQ

struct CoordinatorVerb: Verb {
  static let page = Page(
    "coordinator", "give out a farm's work",
    description: [
      """
      Takes jobs from the database, gives their tasks to workers and notes what the workers report, until it is told to \
      stop by SIGTERM. All that counts is in the database: a coordinator may end and be started again at any time. \
      Several may run on one database: one leads, and when it ends or loses the database, another one leads within seconds. \
      Give workers the endpoints of all of them.
      """,
      """
      It waits for a database that is not there yet. If its role owns the schema, it makes the schema or brings an older one up \
      to date; otherwise 'spool migrate' does that. Without CURVE keys, everybody who reaches an endpoint can be a worker. So \
      tcp:// is refused without them, unless --insecure is given.
      """,
    ],
    examples: [
      .init(
        "spool coordinator --endpoint 'tcp://*:7400' --curve-secret-key coordinator.key --authorized-keys authorized",
        "For workers whose public keys are lines of the file authorized."),
      .init("spool coordinator --database postgresql:///farm --endpoint ipc:///run/spool/farm", "For workers of this machine."),
    ],
    environment: [Database.variable],
    exitCodes: [
      .init(ExitCode.ok, "told to stop"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.noInput, "a key file cannot be read"),
      .init(ExitCode.unavailable, "the database cannot be reached or used, or an endpoint or the address for health is taken"),
      Database.forbidden,
    ])

  @Option("database", .text("URL"), Database.help) var database: String?
  @Option("endpoint", .endpoint, minimum: 1, "The address where it listens for workers, such as tcp://*:7400.") var endpoints:
    [String]
  @Option("name", .name, "The coordinator's name, unique in the farm and the same at every start. Default: host and endpoint.")
  var name: String?
  @Option("curve-secret-key", .file, "The coordinator's secret key, from 'spool keys'.") var secretKey: String?
  @Option(
    "authorized-keys", .file,
    "The workers' public keys, one on each line with the names that it is for. The file is read again when it changes."
  )
  var authorizedKeys: String?
  @Flag("insecure", "Listen at tcp:// without keys: whoever reaches the port works for the farm.") var insecure: Bool
  @Option(
    "lease", .integer(3...3600, "SECONDS"), default: 10, shown: "10",
    "How long a worker may be silent before its work is given to others.") var lease: Int
  @Option(
    "keep-history", .integer(1...1200, "MONTHS"), default: 12, shown: "12",
    "How many months changes of state stay in spool.history, besides the current month.") var historyMonths: Int
  @Option(
    "store-patience", .integer(0...604_800, "SECONDS"), default: 2880, shown: "2880",
    "How long a task is tried again while its store or its movie's folder is full or cannot be reached, or its media are away.")
  var storePatience: Int
  @Option(
    "ageing", .integer(0...525_600, "MINUTES"), default: 60, shown: "60",
    """
    How long a submitter's jobs of one priority are given nothing before they rise by one priority; 0: never.
    """)
  var ageingMinutes: Int
  @Flag(
    "speculation", negatableDefault: true, "Use idle workers for second attempts at chunks that are slow: the first result wins.")
  var speculation: Bool
  @Flag(
    "split", negatableDefault: true, "Use idle workers for the rests of costly chunks, which are divided while they run.")
  var split: Bool
  @Option("health", .healthAddress, HealthVerb.help) var health: ListenAddress?
  @Option("log-level", .choice("LEVEL"), default: .info, shown: "info", LogWishes.level) var logLevel: LogLevel
  @Option("log-format", .choice("FORMAT"), default: .text, shown: "text", LogWishes.form) var logForm: LogForm
  @Option(hidden: "account", .account) var account: Account?
  @Option(hidden: "parent", .integer(1...Int(Int32.max))) var parent: Int?
  @Option(hidden: "schema", .choice("WHO")) var schemaMaker: SchemaMaker?

  /// The maker of the database's schema, where it is not this process: the one that started it.
  enum SchemaMaker: String, CaseIterable { case parent }

  func run() throws {
    chooseLog(logForm, from: logLevel)
    try account?.become()
    if let parent { try endWithParent(Int32(parent)) }
    let keys = try keys
    if let open = endpoints.first(where: { !$0.hasPrefix("ipc://") }), keys == nil, !insecure {
      throw Complaint(
        "--endpoint",
        "whoever reaches \(open) could work for the farm: give --curve-secret-key and --authorized-keys, or --insecure",
        .usage)
    }
    // The program may have to wait for the database, so wrong key files are reported before that.
    if let keys { _ = try (CurveKeyPair(secretKeyFile: keys.secretKeyFile), AllowList(path: keys.allowListFile)) }
    guard try !Database.url(database).contains("pool=transaction") else {
      throw Complaint(
        "--database", "a coordinator listens for changes, so it takes the server's own address, and no pool's", .usage)
    }
    try raiseOpenFileLimit()
    let health = try health.map { address throws(Complaint) in try HealthServer(at: address, tellers: [.loop]) }
    health?.tendForever()
    var timing = LedgerTiming()
    timing.lease = lease * 1000
    timing.historyMonths = historyMonths
    timing.ageing = ageingMinutes * 60_000
    let name = name ?? "\(hostName) \(endpoints[0])".plain
    let ledger = PostgreSQLLedger(
      url: try Database.url(database), role: "coordinator \(name)", timing: timing,
      retryPolicy: RetryPolicy(storePatience: storePatience))
    if schemaMaker == .parent { try ledger.awaitSchema() } else { try ledger.migratePatiently() }
    try ledger.require(role: "spool_coordinator", "to give out a farm's work")
    try Coordinator(
      CoordinatorOptions(
        name: name, endpoints: endpoints, keys: keys, heartbeatMilliseconds: heartbeatMilliseconds, speculates: speculation,
        splits: split),
      ledger: ledger, tell: { health?.tell($0, by: .loop) }
    ).run()
  }

  /// The time between heartbeats: at most a second, and less when leases are short. A worker leaves a leader that has not
  /// answered four heartbeats. It must find the next one before its lease ends.
  private var heartbeatMilliseconds: Int { min(1000, lease * 1000 / 6) }

  private var keys: CoordinatorOptions.Keys? {
    get throws(Complaint) {
      switch (secretKey, authorizedKeys) {
      case (let secretKey?, let authorizedKeys?): .init(secretKeyFile: secretKey, allowListFile: authorizedKeys)
      case (nil, nil): nil
      case (nil, _): throw Complaint("--curve-secret-key", "required with --authorized-keys", .usage)
      case (_, nil): throw Complaint("--authorized-keys", "required with --curve-secret-key", .usage)
      }
    }
  }
}
