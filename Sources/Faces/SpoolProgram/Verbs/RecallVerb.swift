import Arguments
import Glibc
import Media
import Messages
import Operations
import Rendering
import Subprocess
import Terminal

struct RecallVerb: Verb {
  static let page = Page(
    "recall", "find segments of a job that were made before",
    description: [
      """
      Reads an order of an attempt from standard input, one line of JSON, then questions for segments of its job from the leash, a line each, \
      and writes an answer to each to standard output. Workers start it; docs/protocol.md says what the lines hold. It ends with the leash.
      """
    ],
    examples: [.init("spool recall --store DIR --media-root DIR --reuse own < order.json", "By hand, to see why it fails.")],
    exitCodes: [
      .init(ExitCode.ok, "nobody asks any more"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.software, "the order cannot be read, or its edit, or its media"),
    ], isHidden: true)

  @Option("store", .directory, "The segment store.") var store: String
  @Option("media-root", .directory, minimum: 1, "A directory that media may be read from.") var mediaRoots: [String]
  @Option("reuse", .choice("WHOSE"), default: .own, shown: "own", Reuse.help) var reuse: SegmentCache.Scope
  /// The folder of the socket from which the process gets the media files as open descriptors.
  @Option(hidden: "media-handout", .directory) var mediaHandout: String?
  /// The descriptor of the leash that the worker holds.
  @Option(hidden: "leash", .integer(3...3)) var leash: Int?
  /// The limits that the process sets itself before it does anything else. Without them, as by hand, they stay as they are.
  @Option(hidden: "limits", .limits) var limits: ResourceLimits?
  @Option(hidden: "parent", .integer(1...Int(Int32.max))) var parent: Int?

  func run() throws {
    try limits?.limitThisProcess()
    if let parent { try endWithParent(Int32(parent)) }
    // What is rendered meanwhile takes longer than what is found, so it goes first.
    ProcessorTurn.comesLast()
    guard let leash else { return }
    var questions = LineReader(Descriptor(owning: Int32(leash)), limit: Wire.longestAmendment)
    do {
      let order = try AttemptOrder(line: orderLine())
      var policy = SourcePolicy(roots: mediaRoots)
      // The media stay open as long as the process runs.
      let handed = try handedMedia(for: order)
      defer { withExtendedLifetime(handed) {} }
      policy.hand(handed.map(\.key), handed.map(\.value.number))
      let store = SegmentStore(root: store)
      var recall = try SegmentRecall(
        order: order, store: store, policy: policy, cache: SegmentCache(of: store, reuse), threads: coreCount)
      while let asked = try Self.next(&questions, from: Int32(leash)) {
        for answer in recall.answers(to: asked) { try StandardStream.output.json(line: answer.line()) }
      }
    } catch {
      throw Complaint("recall", "\(error)", .software)
    }
  }

  /// Waits for questions, and takes all that have arrived; nil once there will be none.
  private static func next(_ questions: inout LineReader, from descriptor: Int32) throws -> [RecallQuestion]? {
    while !questions.isAtEnd {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&waiting, 1, -1) >= 0 || errno == EINTR else { throw SubprocessError("poll", errno) }
      let asked = try questions.read().compactMap { line throws(WireError) -> RecallQuestion? in
        // A line of another length is no question of this version. The worker waits for its answer only so long.
        if case .text(let text) = line { try RecallQuestion(line: text) } else { nil }
      }
      if !asked.isEmpty { return asked }
    }
    return nil
  }

  private func handedMedia(for order: AttemptOrder) throws -> [String: Descriptor] {
    guard let mediaHandout, !order.spec.mediaFiles.isEmpty else { return [:] }
    return try DescriptorHandout.take(from: mediaHandout, order.job)
  }
}
