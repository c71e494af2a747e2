import Arguments
import Messages
import Operations
import Rendering
import Subprocess
import Terminal

struct JoinVerb: Verb {
  static let page = Page(
    "join", "join a movie while it is rendered",
    description: [
      """
      Reads an order of an attempt from standard input, one line of JSON, and joins the movie of its job into a hidden file beside the \
      output, as its segments come. Workers start it; it ends once the movie is joined, or its job is over, and the mux takes the file \
      if it is the movie of all segments that were committed.
      """
    ],
    examples: [.init("spool join --store DIR < order.json", "By hand, to see why it fails.")],
    exitCodes: [
      .init(ExitCode.ok, "joined, or not to be joined here"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.software, "the order cannot be read, or the movie cannot be joined yet"),
    ], isHidden: true)

  @Option("store", .directory, "The segment store.") var store: String
  @Option("output-root", .directory, OutputRoots.help) var outputRoots: [String]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.help) var containment: Containment
  /// The limits that the process sets itself before it does anything else. Without them, as by hand, they stay as they are.
  @Option(hidden: "limits", .limits) var limits: ResourceLimits?
  @Option(hidden: "parent", .integer(1...Int(Int32.max))) var parent: Int?

  func run() throws {
    try limits?.limitThisProcess()
    if let parent { try endWithParent(Int32(parent)) }
    do {
      let order = try AttemptOrder(line: orderLine())
      _ = try EarlyJoin(order: order, store: SegmentStore(root: store), outputRoots: outputRoots) { [containment] reach in
        try containment.confine(to: reach)
      }
      .run()
    } catch {
      throw Complaint("join", "\(error)", .software)
    }
  }
}
