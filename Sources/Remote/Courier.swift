internal import Glibc
package import Messages
internal import Rendering
package import Subprocess
internal import Transfer

/// Performs an attempt whose store is in S3: brings what it reads to this machine, lets the attempt's own process do the work
/// on a folder as if that were the store, and takes the result to S3.
///
/// That process never sees credentials, and needs no network: what it is made of decodes strangers' bytes.
package struct Courier {
  private let order: AttemptOrder
  private let store: S3SegmentStore
  private let scratchFolder: String
  private let attempt: (_ store: String) -> Command
  private let report: (AttemptReport) -> Void

  /// - Parameters:
  ///   - scratchFolder: on this machine, with room for the segments of the longest movie.
  ///   - attempt: the command that performs an attempt with a folder as its store; its input and output are set here.
  package init(
    order: AttemptOrder, store: S3SegmentStore, scratchFolder: String, attempt: @escaping (_ store: String) -> Command,
    report: @escaping (AttemptReport) -> Void
  ) {
    (self.order, self.store, self.scratchFolder) = (order, store, scratchFolder)
    (self.attempt, self.report) = (attempt, report)
  }

  /// Runs to the end.
  ///
  /// - Returns: how the attempt's process ended; nil when it was not started, which was reported.
  package func run() -> ExitStatus? {
    do {
      guard SegmentStore.isJobName(order.job) else { throw Failure(.bug, at: "order", "'\(order.job)' is not a job's name") }
      let scratch = try Scratch(in: scratchFolder)
      let fetched = try fetch(into: scratch)
      return try perform(scratch, after: fetched)
    } catch {
      report(.failed(Failure(delivering: error)))
      return nil
    }
  }

  /// Brings the segments that the attempt joins.
  ///
  /// - Returns: their mebibytes: units of progress.
  private func fetch(into scratch: Scratch) throws -> Int64 {
    guard case .mux(let pictures, let sound) = order.work else { return 0 }
    let winners = pictures + [sound].compactMap(\.self)
    let byteCount = winners.reduce(0) { $0 + $1.proof.byteCount }
    try scratch.requireRoom(for: byteCount)
    let progress = Freight(mebibytes: byteCount >> 20, report)
    var before: Int64 = 0
    for winner in winners {
      let name = name(winner.key)
      do throws(TransferError) {
        try store.get(
          name, to: scratch.path(makingFoldersFor: name), byteCount: winner.proof.byteCount,
          progress: { progress.advance(to: before + $0) })
      } catch {
        guard error.kind == .missing || error.kind == .changed else { throw error }
        throw Failure(.worker, at: error.place, "\(error.reason): it is rendered again", damaged: [winner.key])
      }
      before += winner.proof.byteCount
    }
    return byteCount >> 20
  }

  private func perform(_ scratch: Scratch, after fetched: Int64) throws -> ExitStatus {
    _ = try scratch.path(makingFoldersFor: name(order.key))
    var command = attempt(scratch.path)
    (command.input, command.output, command.leadsProcessGroup) = (.bytes(try order.line()), .pipe, false)
    let child = try ChildProcess(command)
    guard let output = child.output else { preconditionFailure("its output is a pipe") }
    var lines = LineReader(output, limit: Wire.longestReport)
    var (last, done): (AttemptReport?, Int64) = (nil, fetched)
    while true {
      // The end first: what is read after it is all there was.
      let status = try child.poll()
      for case .text(let line) in try lines.read() {
        switch try AttemptReport(line: line) {
        case .progress(let units, let total):
          done = fetched + units
          report(.progress(done: done, total: fetched + total))
        case let end: last = end
        }
      }
      guard let status else {
        Self.wait(for: child, lines.isAtEnd ? nil : output)
        continue
      }
      if status.isSuccess, let last { report(try delivered(last, from: scratch, after: done)) }
      return status
    }
  }

  /// Takes what the attempt made to where it belongs.
  private func delivered(_ end: AttemptReport, from scratch: Scratch, after done: Int64) throws -> AttemptReport {
    guard case .finished(let proof) = end else { return ofThisMachine(end) }
    switch order.work {
    case .picture, .sound:
      let progress = Freight(after: done, mebibytes: proof.byteCount >> 20, report)
      try store.put("\(scratch.path)/\(name(order.key))", as: name(order.key)) { progress.advance(to: $0) }
    case .publish where !order.spec.keepsSegments:
      // The movie is there: what is left of its segments is swept.
      try? store.remove(job: order.job)
    case .mux, .publish: break
    }
    return end
  }

  /// The folder that was full for an attempt at a segment is not the store, but this machine's.
  private func ofThisMachine(_ end: AttemptReport) -> AttemptReport {
    guard case .failed(var failure) = end, failure.class == .store, !order.work.kind.writesOutput else { return end }
    failure.class = .worker
    return .failed(failure)
  }

  private func name(_ key: AttemptKey) -> String {
    SegmentStore(root: "").name(job: order.job, key: key, extension: SegmentStore.segmentExtension)
  }

  private static func wait(for child: ChildProcess, _ output: Descriptor?) {
    var entries = [pollfd(fd: child.exitDescriptor, events: Int16(POLLIN), revents: 0)]
    if let output { entries.append(pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)) }
    // Interrupted or not, both are looked at again.
    _ = unsafe Glibc.poll(&entries, nfds_t(entries.count), -1)
  }
}

/// Bytes on their way as progress, in mebibytes, at most one report a second.
private final class Freight {
  private let before: Int64
  private let mebibytes: Int64
  private let report: (AttemptReport) -> Void
  private var reported = 0

  init(after before: Int64 = 0, mebibytes: Int64, _ report: @escaping (AttemptReport) -> Void) {
    (self.before, self.mebibytes, self.report) = (before, mebibytes, report)
  }

  func advance(to byteCount: Int64) {
    let now = time(nil)
    guard now != reported else { return }
    reported = now
    report(.progress(done: before + min(byteCount >> 20, mebibytes), total: before + mebibytes + 1))
  }
}

extension Failure {
  /// What went wrong between this machine and the store.
  fileprivate init(delivering error: any Error) {
    self =
      switch error {
      case let failure as Failure: failure
      case let error as TransferError: Failure(error.kind == .transient ? .store : .worker, at: error.place, error.reason)
      case let error as SubprocessError: Failure(.worker, at: "attempt", "\(error)")
      default: Failure(.bug, at: "courier", "\(error)")
      }
  }
}
