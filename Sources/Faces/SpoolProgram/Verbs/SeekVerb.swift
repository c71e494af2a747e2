import Arguments
import Glibc
import Messages
import Operations
import Rendering
import Subprocess
import Terminal

struct SeekVerb: Verb {
  static let page = Page(
    "seek", "look for fonts of this machine",
    description: [
      """
      Reads an order from standard input, one line of JSON that names font files by their tags, and writes the tags of the files \
      that are installed, one on each line. Workers start it when the coordinator asks them for fonts; docs/protocol.md says \
      what the line holds.
      """
    ],
    examples: [
      .init(
        #"echo '{"wanted":["font=DejaVu_Sans:757076:0123456789abcdef0123456789abcdef"]}' | spool seek"#,
        "Whether that file is here.")
    ],
    exitCodes: [
      .init(ExitCode.ok, "done"), .init(ExitCode.usage, "usage error"), .init(ExitCode.software, "the order cannot be read"),
      .init(ExitCode.cannotCreate, "the machine's fonts cannot be listed"),
    ], isHidden: true)

  @Option(hidden: "parent", .integer(1...Int(Int32.max))) var parent: Int?

  func run() throws {
    if let parent { try endWithParent(Int32(parent)) }
    let order: FontOrder
    do {
      order = try FontOrder(line: orderLine())
    } catch {
      throw Complaint("order", "\(error)", .software)
    }
    for tag in try FontSearch.found(order.wanted) { try StandardStream.output.line(tag) }
  }
}
