import Arguments
import Glibc
import Linux
import Media
import Messages
import Operations
import Remote
import Rendering
import SpoolCompositing
import Subprocess
import Terminal

struct AttemptVerb: Verb {
  static let page = Page(
    "attempt", "do the work of one attempt",
    description: [
      """
      Reads an order from standard input, one line of JSON, does its work and writes reports to standard output, one line of \
      JSON each. Workers start it; docs/protocol.md says what the lines hold.
      """
    ],
    examples: [.init("spool attempt --store DIR --media-root DIR < order.json", "By hand, to see why an attempt fails.")],
    exitCodes: [
      .init(ExitCode.ok, "the last report says how it ended"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.software, "the order cannot be read"),
    ], isHidden: true)

  @Option("store", .directory, "The segment store.") var store: String
  @Option("media-root", .directory, minimum: 1, "A directory that media may be read from.") var mediaRoots: [String]
  @Option("output-root", .directory, OutputRoots.help) var outputRoots: [String]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.help) var containment: Containment
  /// The jobs whose segments are found in the store, and kept there; nil where none are.
  @Option(hidden: "reuse", .choice("WHOSE")) var reuse: SegmentCache.Scope?
  /// The descriptor of the line to the courier.
  @Option(hidden: "media-line", .integer(3...3)) var mediaLine: Int?
  /// The folder of the socket from which the attempt gets its media files as open descriptors.
  @Option(hidden: "media-handout", .directory) var mediaHandout: String?
  /// The path of the control group that this process joins, with the processes that it starts.
  @Option(hidden: "control-group", .directory) var controlGroup: String?
  /// The descriptor of the leash that the worker holds.
  @Option(hidden: "leash", .integer(3...4)) var leash: Int?
  /// The descriptor over which the order comes as an open file, with the limits and the path of the control group; nil for standard input.
  @Option(hidden: "order", .integer(4...4)) var orderNumber: Int?
  /// The limits that the process sets itself before it does anything else. Without them, as by hand, they stay as they are.
  @Option(hidden: "limits", .limits) var limits: ResourceLimits?
  @Option(hidden: "parent", .integer(1...Int(Int32.max))) var parent: Int?

  func run() throws {
    try limits?.limitThisProcess()
    if let parent { try endWithParent(Int32(parent)) }
    MediaWarnings.tell()
    let leash = leash.map { LeashEnd(owning: Int32($0)) }
    guard let order = try takeOrder() else { return }
    let remote = mediaLine.map { SuppliedMedia.media(for: order.spec, over: Descriptor(owning: Int32($0))) }
    var policy = SourcePolicy(roots: mediaRoots, remote: remote)
    // The media stay open as long as the attempt runs.
    guard let handed = handedMedia(for: order) else { return }
    defer { withExtendedLifetime(handed) {} }
    policy.hand(handed.map(\.key), handed.map(\.value.number))
    let compositors = CompositorRegistry.ofProgram
    let cancellation = Cancellation()
    // Only custom compositors have requests to finish. In all other cases the signal ends the process at once.
    let drains = !compositors.names.isEmpty && order.work.kind == .picture
    // The runner lets go of what it need not keep of the order, so nobody else holds it.
    let runner = AttemptRunner(
      order: consume order, store: SegmentStore(root: store), policy: policy, compositors: compositors,
      cancellation: cancellation, outputRoots: outputRoots,
      cache: reuse.map { SegmentCache(of: SegmentStore(root: store), $0) }, amendments: Amendments(leash).next,
      confine: { [containment] reach in
        try containment.confine(to: reach)
        // The edit was read, which took more memory than it needs from now on.
        FreedMemory.keep()
        // No thread may start before the process is confined, so the leash's thread starts now.
        try leash?.endProcessWhenCut()
        if drains { Self.cancelWhenTold(cancellation) }
      }, report: Self.report)
    (consume runner).run()
  }

  /// Takes the order, from standard input or as an open file for which it waits. It limits itself and joins the control group before it reads
  /// the order.
  ///
  /// - Returns: nil when the worker has no order for this process, or when the group could not be joined, which was reported.
  private func takeOrder() throws -> AttemptOrder? {
    do {
      if let number = orderNumber {
        guard let (file, words) = try FileLine.receive(over: Descriptor(owning: Int32(number))) else { return nil }
        let parts = words.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let limits = ResourceLimits(word: parts[0]) else { throw WireError.malformed("no limits") }
        try limits.limitThisProcess()
        guard Self.joins(parts[1].isEmpty ? nil : parts[1]) else { return nil }
        try file.becomeStandardInput()
      } else {
        guard Self.joins(controlGroup) else { return nil }
      }
      return try AttemptOrder(line: orderLine())
    } catch {
      throw Complaint("order", "\(error)", .software)
    }
  }

  /// - Returns: the open media by their paths; nil when they could not be taken, which was reported.
  private func handedMedia(for order: AttemptOrder) -> [String: Descriptor]? {
    guard let mediaHandout, [.picture, .sound].contains(order.work.kind), !order.spec.mediaFiles.isEmpty else { return [:] }
    do {
      return try DescriptorHandout.take(from: mediaHandout, order.job)
    } catch {
      Self.report(.failed(Failure(.worker, at: "media", "who submitted the job does not hand them over: \(error)")))
      return nil
    }
  }

  /// Cancels the attempt on SIGTERM. Call it before any other thread starts: threads inherit the blocked signal and leave it to
  /// this one.
  private static func cancelWhenTold(_ cancellation: Cancellation) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGTERM)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    _ = JoinableThread { [signals] in
      var (signals, signal) = (signals, Int32())
      guard unsafe sigwait(&signals, &signal) == 0 else { return }
      cancellation.cancel()
    }
  }

  /// Moves this process, and so the processes that it starts, into a control group.
  ///
  /// - Returns: false when that failed, which was reported.
  static func joins(_ group: String?) -> Bool {
    guard let group else { return true }
    do {
      try ControlGroup(path: group).take(0)
      return true
    } catch {
      report(.failed(Failure(.worker, at: "containment", "\(error)")))
      return false
    }
  }

  static func report(_ report: AttemptReport) {
    if case .finished(.picture(let chunk)) = report, let quality = chunk.quality, !chunk.isFound {
      // The attempt's log is its standard error. A log that cannot be written must not cost the attempt.
      try? StandardStream.error.line("frames \(chunk.frames.first)..<\(chunk.frames.indices.upperBound): \(quality.words)")
    }
    do {
      try StandardStream.output.json(line: report.line())
    } catch {
      // The worker is gone, or cannot be told how the attempt ended. It will count this as a crash.
      exit(ExitCode.software)
    }
  }
}
