import Arguments
import Examination
import FoundationEssentials
import Glibc
import Messages
import Operations
import SpoolCompositing
import Subprocess
import Synchronization
import Terminal

struct ExamineVerb: Verb {
  static let page = Page(
    "examine", "read media for another verb, contained",
    description: [
      """
      Reads an order from standard input, gives up all access that it does not need for it, and writes what it finds to standard \
      output. The order and each answer are a line of JSON. The verbs that look at media or edits start it. Attempts read media \
      without it.
      """
    ],
    examples: [
      .init(
        #"echo '{"assets":{"_0":[{"id":"a","path":"/srv/a.mp4"}]}}' | spool examine --media-root /srv"#,
        "By hand, to see why an examination fails.")
    ],
    exitCodes: [
      .init(ExitCode.ok, "all is told, or why it cannot be"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.software, "the order cannot be read"),
    ], isHidden: true)

  @Option("media-root", .directory, minimum: 1, "A directory that media may be read from.") var mediaRoots: [String]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.help) var containment: Containment
  /// The number of lines to the process that has media behind URLs. They are the descriptors from 3 on; the file for a picture
  /// follows.
  @Option(hidden: "media-lines", .integer(1...ExaminationSetting.probingLines)) var mediaLines: Int?
  /// The number of the order's files that are handed over as descriptors, after the ones above.
  @Option(hidden: "handed-media", .integer(0...1 << 16)) var handedMedia: Int?
  @Option(hidden: "account", .account) var account: Account?
  /// The limits that the process sets itself before it does anything else. Without them, as by hand, they stay as they are.
  @Option(hidden: "limits", .limits) var limits: ResourceLimits?
  /// The descriptor of the leash that the command holds. It is the last one.
  @Option(hidden: "leash", .integer(3...Int(Int32.max))) var leash: Int?
  @Option(hidden: "parent", .integer(1...Int(Int32.max))) var parent: Int?

  func run() throws {
    try (limits ?? ResourceLimits()).limitThisProcess()
    try account?.become()
    if let parent { try endWithParent(Int32(parent)) }
    let order: ExaminationOrder
    do {
      order = try JSONDecoder().decode(ExaminationOrder.self, from: Data(orderLine()))
    } catch {
      throw Complaint("order", "\(error)", .software)
    }
    let lines = (0..<Int32(mediaLines ?? 0)).map { Descriptor(owning: 3 + $0) }
    let picture = order.makesPicture ? Descriptor(owning: Int32(3 + lines.count)) : nil
    let first = Int32(3 + lines.count + (picture == nil ? 0 : 1))
    let handed = handedMedia.map { count in (0..<Int32(count)).map { Descriptor(owning: first + $0) } }
    let leash = leash.map { LeashEnd(owning: Int32($0)) }
    Examiner(
      order, roots: mediaRoots, lines: lines, handed: handed, picture: picture, compositors: .ofProgram,
      confine: { [containment] reach in
        try containment.confine(to: reach)
        try leash?.endProcessWhenCut()
      },
      report: Self.report
    ).run()
  }

  /// Reports are written as whole lines, because several threads probe assets.
  private static let turn = Mutex(())

  @Sendable private static func report(_ report: ExaminationReport) {
    do {
      let line = Array(try JSONEncoder().encode(report))
      try turn.withLock { _ in try StandardStream.output.json(line: line) }
    } catch {
      // The caller is gone, or cannot be told. It will count this as a crash.
      exit(ExitCode.software)
    }
  }
}
