internal import Ledger
internal import PlainText

/// A kind of names that a shell completes.
package enum OfferedKind: String, Hashable, Sendable, CaseIterable {
  case jobs
  /// Jobs that have not ended.
  case unfinishedJobs = "unfinished-jobs"
  case pausedJobs = "paused-jobs"
  /// Jobs that a retry goes on with.
  case stoppedJobs = "stopped-jobs"
  case workers, submitters

  /// The states of the jobs; nil for what is no job.
  fileprivate var states: [JobFilter.State]? {
    switch self {
    case .jobs: []
    case .unfinishedJobs: [.running, .queued, .paused]
    case .pausedJobs: [.paused]
    case .stoppedJobs: [.failed, .cancelled]
    case .workers, .submitters: nil
    }
  }
}

/// A name that a shell completes, with some words about it.
package struct OfferedName: Hashable, Sendable {
  package var name: String
  /// The words, of plain text in one line.
  package var words: String

  /// Nil for a name that a shell could read as more than a word. Somebody else chose it, and it would stand on a command line.
  fileprivate init?(_ name: String, _ words: String) {
    let isPlain = name.utf8.allSatisfy {
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || "._@+-/".utf8.contains($0)
    }
    guard isPlain, let first = name.utf8.first, first != UInt8(ascii: "-") else { return nil }
    (self.name, self.words) = (name, String(words.plain.map { $0 == "\t" || $0 == ":" ? " " : $0 }))
  }
}

extension FarmFace {
  /// The most jobs that a shell is offered: the running ones, then the waiting ones, then the newest that ended.
  private static var mostOffered: Int { 200 }

  /// The names of a kind that begin with a text.
  package func offers(_ kind: OfferedKind, beginningWith prefix: String) throws(Complaint) -> [OfferedName] {
    let all: [OfferedName?]
    if let states = kind.states {
      all = try jobs(JobFilter(states: states, limit: Self.mostOffered)).map { job in
        let output = job.output.split(separator: "/").last.map(String.init) ?? job.output
        let state = job.isPaused && !job.state.isFinal ? "paused" : job.state.rawValue
        return OfferedName(job.id, "\(state), \(output), \(job.submitter)")
      }
    } else if kind == .workers {
      all = try workers().filter { $0.state != "left" }.map {
        OfferedName($0.name, "\($0.state), \($0.running) of \($0.slots) slots")
      }
    } else {
      all = try shares(SharesRequest()).submitters.map { OfferedName($0.name, "weight \($0.weight), \($0.jobs) open jobs") }
    }
    return all.compactMap(\.self).filter { $0.name.hasPrefix(prefix) }
  }
}
