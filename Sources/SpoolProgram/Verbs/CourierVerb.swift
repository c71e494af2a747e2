import Arguments
import FoundationEssentials
import Glibc
import Messages
import Remote
import Subprocess
import Terminal
import Transfer

struct CourierVerb: Verb {
  static let page = Page(
    "courier", "do the work of one attempt whose store is in S3",
    description: [
      """
      Reads an order and writes reports as 'spool attempt' does. Brings the segments that are joined from S3, runs 'spool attempt' \
      on a folder in their place, without credentials, and takes its result to S3. Workers start it.
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

  @Option("store", .text("URL"), "The place in S3.") var store: String
  @Option("scratch", .directory, "A directory of this machine for segments on their way.") var scratch: String?
  @Option("argument", .text("WORD"), "An argument of the attempt.") var arguments: [String]
  @Option(hidden: "attempt-program", .file) var attemptProgram: String?
  @Option(hidden: "parent", .integer(1...Int(Int32.max))) var parent: Int?

  func run() throws {
    if let parent { try endWithParent(Int32(parent)) }
    // Told to stop is the attempt, in the same group, by whose end we end.
    _ = signal(SIGTERM, SIG_IGN)
    guard case .s3(let location) = try Store(store) else { throw Complaint("--store", "not a place in S3", ExitCode.usage) }
    let order: AttemptOrder
    do {
      order = try AttemptOrder(line: orderLine())
    } catch {
      throw Complaint("order", "\(error)", ExitCode.software)
    }
    let environment = ProcessInfo.processInfo.environment.filter { !S3Account.variables.contains($0.key) }
    let courier = Courier(
      order: order, store: try Store.store(at: location), scratchFolder: scratch ?? Self.standardScratch,
      attempt: { folder in
        Command(
          attemptProgram ?? "/proc/self/exe",
          ["attempt", "--store", folder] + arguments + ["--parent", "\(getpid())"], environment: environment)
      }, report: AttemptVerb.report)
    switch courier.run() {
    case nil, .exited(0): return
    // Its last words are on our standard error already.
    case .exited(let code): exit(code)
    case .signalled(let number):
      _ = signal(number, SIG_DFL)
      raise(number)
    }
  }

  static let standardScratch = "/var/tmp"
}
