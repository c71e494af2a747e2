import Arguments
import Coordinator
import EditFiles
import Glibc
import Ledger
import Linux
import LocalFarm
import Media
import Messages
import Rendering
import Scheduling
import Subprocess
import Terminal
internal import Timeline
import Worker
import ZeroMQ

/// The messages and the exit code of a verb that fails. This is the only place that knows every error type.
struct Complaint: Error {
  let told: [FaultRecord]
  let code: Int32
  /// The failure of an attempt or a job that is the cause; nil when there is none.
  var cause: Failure?

  /// The faults as text, to be shown as `error: place: reason`.
  var faults: [String] { told.map(\.line) }

  init(_ place: String, _ reason: String, _ code: Int32) {
    self.init(told: [FaultRecord(path: place, kind: ExitCode.kind(of: code), text: reason)], code)
  }

  init(faults: [String], _ code: Int32) {
    self.init(told: faults.map { FaultRecord(path: "", kind: ExitCode.kind(of: code), text: $0) }, code)
  }

  init(told: [FaultRecord], _ code: Int32) { (self.told, self.code) = (told, code) }

  init(about error: any Error) {
    switch error {
    case let error as Complaint: self = error
    case let error as UsageError: self.init(error.place, error.reason, ExitCode.usage)
    case let error as EditFileError: self.init(aboutEdit: error)
    case let error as ChunkPlan.Failure: self.init("document", error.description, ExitCode.badDocument)
    case let error as MediaError: self.init(told: [FaultRecord(error)], Self.code(of: error.kind))
    case let error as Failure:
      self.init(error.place, error.reason, Self.code(of: error.class))
      cause = error
    case let error as ComposingError: self.init(about: Failure(classifying: error))
    case let error as LedgerError: self.init(faults: [error.description], Self.code(of: error))
    case let error as LocalFarmError: self.init(faults: [error.description], Self.code(of: error))
    case let error as SubprocessError: self.init(faults: [error.description], ExitCode.unavailable)
    case let error as ZeroMQError: self.init(faults: [error.description], Self.code(of: error))
    case let error as CoordinatorError:
      switch error {
      case .network(let error): self.init(about: error)
      case .system(let error): self.init(about: error)
      }
    case let error as WorkerError:
      switch error {
      case .network(let error): self.init(about: error)
      case .system(let error): self.init(about: error)
      case .notAWorker(let name): self.init("--name", "'\(name)' is no worker's name: printable, no spaces", ExitCode.usage)
      case .refused(let reason): self.init("coordinator", "refuses this worker: \(reason)", ExitCode.unavailable)
      }
    case let error as StreamError where error.isClosed: self.init(faults: [], ExitCode.outputClosed)
    case let error as StreamError: self.init("standard output", error.description, ExitCode.cannotCreate)
    default: self.init("spool", "fails in a way that nobody expected, which is a bug of it: \(error)", ExitCode.software)
    }
  }

  private init(aboutEdit error: EditFileError) {
    switch error {
    case .unreadable(let path, let code):
      self.init(path, SystemWords.of(code), ExitCode.noInput)
    case .tooLarge(let path, let limit): self.init(path, "is larger than \(limit >> 20) MiB", ExitCode.badDocument)
    case .document(let path, let error):
      let omitted = FaultRecord(document: path, path: "", kind: "omitted", text: "and \(error.omittedCount) more faults")
      self.init(
        told: error.faults.map { FaultRecord($0, of: path) } + (error.omittedCount > 0 ? [omitted] : []), ExitCode.badDocument)
    case .layers(let path, let faults):
      let code = faults.contains(where: \.isMissingFont) ? ExitCode.noInput : ExitCode.badDocument
      self.init(
        told: faults.map {
          FaultRecord(
            document: path, path: $0.place, kind: $0.isMissingFont ? "font" : "text", text: $0.reason, suggestion: $0.suggestion)
        }, code)
    case .assets(let faults):
      self.init(
        told: faults.map { FaultRecord(path: "assets.\($0.asset)", kind: $0.error.kind.rawValue, text: $0.error.description) },
        Self.gravest(faults.map { Self.code(of: $0.error.kind) }))
    case .several(let errors):
      let complaints = errors.map { Complaint(aboutEdit: $0) }
      self.init(told: complaints.flatMap(\.told), Self.gravest(complaints.map(\.code)))
    }
  }

  /// The exit code of the gravest fault. A missing input outweighs a bad one, because it is what to look for first.
  private static func gravest(_ codes: [Int32]) -> Int32 {
    codes.contains(ExitCode.noInput) ? ExitCode.noInput : codes.max() ?? ExitCode.software
  }

  private static func code(of kind: MediaError.Kind) -> Int32 {
    switch kind {
    case .unreadable, .missing: ExitCode.noInput
    case .unsupported, .corrupt, .protected, .changed: ExitCode.badDocument
    case .unreachable: ExitCode.unavailable
    case .cannotWrite, .noSpace: ExitCode.cannotCreate
    case .outOfMemory, .internal: ExitCode.software
    }
  }

  private static func code(of class: Failure.Class) -> Int32 {
    switch `class` {
    case .content: ExitCode.badDocument
    case .worker, .store: ExitCode.cannotCreate
    case .source: ExitCode.noInput
    case .transient: ExitCode.unavailable
    case .bug: ExitCode.software
    }
  }

  private static func code(of error: LedgerError) -> Int32 {
    switch error {
    // A database without this program's schema is not a farm's database.
    case .unavailable, .corrupt, .deposed: ExitCode.unavailable
    case .refused: ExitCode.software
    case .forbidden: ExitCode.notPermitted
    case .outputTaken: ExitCode.cannotCreate
    }
  }

  /// A call of ZeroMQ fails on an endpoint. `open` fails on a key file.
  private static func code(of error: ZeroMQError) -> Int32 {
    error.call.hasPrefix("zmq_") ? ExitCode.unavailable : ExitCode.noInput
  }

  private static func code(of error: LocalFarmError) -> Int32 {
    switch error {
    case .directory, .file, .noRoom: ExitCode.cannotCreate
    case .distrusted: ExitCode.notPermitted
    case .database, .keepsEnding, .cannotStart: ExitCode.unavailable
    }
  }
}

extension FaultRecord {
  fileprivate init(_ error: MediaError) {
    self.init(path: error.place, kind: error.kind.rawValue, text: error.words)
  }
}
