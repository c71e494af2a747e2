import Arguments
import Formats
import FoundationEssentials
import Glibc
import Messages
import Operations
import Remote
import Rendering
import Subprocess
import Terminal

struct SweepVerb: Verb {
  static let page = Page(
    "sweep", "clear a segment store",
    description: [
      """
      Reads an order from standard input, one line of JSON. An order that names jobs clears away what they left in the store and \
      beside their movies; one that names none lists the jobs that have files in the store, a line each. Workers start it when the \
      coordinator asks them to; docs/protocol.md says what the line holds.
      """
    ],
    examples: [.init("echo '{\"over\":[]}' | spool sweep --store DIR", "The jobs that have files in the store.")],
    exitCodes: [
      .init(ExitCode.ok, "done"), .init(ExitCode.usage, "usage error"), .init(ExitCode.software, "the order cannot be read"),
      .init(ExitCode.noInput, "the store cannot be read"),
    ], isHidden: true)

  @Option("store", .text("STORE"), Store.help) var store: String
  @Option("output-root", .directory, OutputRoots.help) var outputRoots: [String]
  @Option("output-url", .outputURL, OutputRoots.urlHelp) var outputURLs: [MediaURLPrefix]
  /// The size that the segments of earlier jobs may have together.
  @Option(hidden: "reuse-size", .integer(0...1 << 30, "MIB")) var reuseSize: Int?
  @Option(hidden: "account", .account) var account: Account?
  @Option(hidden: "parent", .integer(1...Int(Int32.max))) var parent: Int?

  func run() throws {
    try account?.become()
    if let parent { try endWithParent(Int32(parent)) }
    var order: SweepOrder
    do {
      order = try SweepOrder(line: orderLine())
    } catch {
      throw Complaint("order", "\(error)", .software)
    }
    if !order.over.isEmpty {
      // Files of a job are kept as long as something of it is left in S3, so that another sweep tries again.
      order.over = S3Outputs(outputURLs.map(\.description), environment: ProcessInfo.processInfo.environment).clear(order.over) {
        // When standard error is gone, nobody reads this.
        _ = try? StandardStream.error.line("\($0)")
      }
      guard !order.over.isEmpty else { return }
    }
    for job in try order.perform(on: try Store(store).swept(), outputRoots: outputRoots) { try StandardStream.output.line(job) }
    if case .directory(let path) = try Store(store), let reuseSize {
      SegmentCache(of: SegmentStore(root: path), .own).sweep(to: Int64(reuseSize) << 20)
    }
  }
}
