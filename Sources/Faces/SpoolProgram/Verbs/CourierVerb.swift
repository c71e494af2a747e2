import Arguments
import Formats
import FoundationEssentials
import Glibc
import Messages
import Operations
import Remote
import Subprocess
import Terminal
import Transfer

struct CourierVerb: Verb {
  static let page = Page(
    "courier",
    "do the work of one attempt whose store is in S3, or its media behind URLs, or publish a movie in S3 or in several places",
    description: [
      """
      Reads an order and writes reports as 'spool attempt' does. It starts that verb, without credentials, and answers its \
      requests for media behind URLs. If the store is in S3, it fetches the segments that the attempt muxes, gives it a local \
      folder in place of the store, and stores the result in S3. A movie in S3 it publishes by itself, and a movie \
      that was published it copies to its further places. Workers start it.
      """
    ],
    examples: [
      .init(
        "spool courier --store s3://farm/segments --argument=--media-root --argument=DIR < order.json",
        "By hand, to see why an attempt fails.")
    ],
    exitCodes: [
      .init(ExitCode.ok, "the last report says how it ended"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.software, "the order cannot be read"),
    ], isHidden: true)

  @Option("store", .text("STORE"), Store.help) var store: String
  @Option("scratch", .directory, "A directory of this machine for segments on their way.") var scratch: String?
  @Option("media-url", .mediaURL, "A URL below which media may be fetched.") var mediaURLs: [MediaURLPrefix]
  @Option("media-cache", .directory, "A directory of this machine for blocks of media.") var mediaCache: String?
  @Option(
    "media-cache-size", .integer(64...1 << 30, "MIB"), default: MediaURLs.standardMebibytes,
    shown: "\(MediaURLs.standardMebibytes)",
    "The size that all files of the media cache may have together.") var mediaCacheSize: Int
  @Option("output-root", .directory, OutputRoots.help) var outputRoots: [String]
  @Option("output-url", .outputURL, OutputRoots.urlHelp) var outputURLs: [MediaURLPrefix]
  @Option("argument", .text("WORD"), "An argument of the attempt.") var arguments: [String]
  @Option(hidden: "attempt-program", .file) var attemptProgram: String?
  /// The path of the control group that this process joins, with the processes that it starts.
  @Option(hidden: "control-group", .directory) var controlGroup: String?
  /// The descriptor of the leash that the worker holds.
  @Option(hidden: "leash", .integer(3...3)) var leash: Int?
  /// The limits that the process sets itself before it does anything else. Without them, as by hand, they stay as they are.
  @Option(hidden: "limits", .limits) var limits: ResourceLimits?
  @Option(hidden: "parent", .integer(1...Int(Int32.max))) var parent: Int?

  func run() throws {
    try limits?.limitThisProcess()
    if let parent { try endWithParent(Int32(parent)) }
    let leash = leash.map { LeashEnd(owning: Int32($0)) }
    try leash?.endProcessWhenCut()
    guard AttemptVerb.joins(controlGroup) else { return }
    // A SIGTERM is meant for the attempt, which is in the same process group. The courier ends when the attempt does.
    _ = signal(SIGTERM, SIG_IGN)
    let order: AttemptOrder
    do {
      order = try AttemptOrder(line: orderLine())
    } catch {
      throw Complaint("order", "\(error)", .software)
    }
    let environment = ProcessInfo.processInfo.environment.filter { !MediaURLs.variables.contains($0.key) }
    let cache = MediaURLs.cache(mediaCache, mebibytes: mediaCacheSize)
    let courier = Courier(
      order: order, leash: leash?.descriptor, store: try place,
      media: mediaURLs.isEmpty ? nil : MediaURLs.library(mediaURLs, cache: cache),
      outputs: S3Outputs(outputURLs.map(\.description), environment: ProcessInfo.processInfo.environment),
      outputRoots: outputRoots,
      attempt: { folder, suppliesMedia in
        let line = suppliesMedia ? ["--media-line", "3"] : []
        let last = leash == nil ? [] : ["--leash", suppliesMedia ? "4" : "3"]
        return Command(
          attemptProgram ?? "/proc/self/exe",
          ["attempt", "--store", folder] + arguments + line + last + ["--parent", "\(getpid())"], environment: environment)
      }, report: AttemptVerb.report)
    switch courier.run() {
    case nil, .exited(0): return
    // The attempt's last message is already on this process's standard error.
    case .exited(let code): exit(code)
    case .signalled(let number):
      _ = signal(number, SIG_DFL)
      raise(number)
    }
  }

  private var place: Courier.Store {
    get throws {
      switch try Store(store) {
      case .directory(let path): .directory(path)
      case .s3(let location): .s3(try Store.store(at: location), scratch: scratch ?? Self.standardScratch)
      }
    }
  }

  static let standardScratch = "/var/tmp"
}
