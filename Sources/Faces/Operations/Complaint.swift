package import EditFiles
internal import Ledger
internal import Linux
internal import LocalFarm
internal import Media
package import Messages
internal import Rendering
internal import Scheduling
internal import Subprocess
internal import Timeline

/// The failure of an operation: what is wrong in which place, and the class of the failure. This is where the errors of all
/// targets below become words for users.
package struct Complaint: Error, CustomStringConvertible {
  package var told: [FaultRecord]
  package let exit: ExitClass
  /// The failure of an attempt or a job that is the cause; nil when there is none.
  package var cause: Failure?
  /// The asset at fault; nil when there is none or more than one, or when it is not known.
  package private(set) var place: MediaPlace?

  /// The faults as text, to be shown as `error: place: reason`.
  package var faults: [String] { told.map(\.line) }
  package var description: String { faults.joined(separator: "\n") }

  package init(_ place: String, _ reason: String, _ exit: ExitClass) {
    self.init(told: [FaultRecord(path: place, kind: exit.word, text: reason)], exit)
  }

  package init(faults: [String], _ exit: ExitClass) {
    self.init(told: faults.map { FaultRecord(path: "", kind: exit.word, text: $0) }, exit)
  }

  package init(told: [FaultRecord], _ exit: ExitClass) { (self.told, self.exit) = (told, exit) }

  /// Whether an error tells nothing else than that somebody interrupted.
  static func isInterruption(_ error: any Error) -> Bool {
    guard let complaint = error as? Complaint else { return false }
    return complaint.exit == .interrupted && complaint.told.isEmpty
  }

  /// The complaint, with the asset at fault among an edit's assets.
  package func located(among assets: [ProbedAssets.Asset]) -> Complaint {
    var complaint = self
    let paths = Set(told.map(\.path))
    let unreadable = assets.filter { paths.contains("assets.\($0.id)") }
    complaint.place =
      cause.flatMap { MediaPlace($0.place, among: assets) }
      ?? (unreadable.count == 1 ? unreadable.first.map { MediaPlace(asset: $0.id) } : nil)
    return complaint
  }

  package init(about error: any Error) {
    switch error {
    case let error as Complaint: self = error
    case let error as EditFileError: self.init(aboutEdit: error)
    case let error as ChunkPlan.Failure: self.init("document", error.description, .badDocument)
    case let error as MediaError: self.init(told: [FaultRecord(error)], Self.exit(of: error.kind))
    case let error as Failure:
      self.init(error.place, error.reason, Self.exit(of: error.class))
      cause = error
    case let error as ComposingError: self.init(about: Failure(classifying: error))
    // A job's document, which another version of this program accepted.
    case let error as DocumentFaults: self.init(aboutEdit: .document(path: "the job's document", error))
    case let error as LedgerError: self.init(faults: [error.description], Self.exit(of: error))
    case let error as LocalFarmError: self.init(faults: [error.description], Self.exit(of: error))
    case let error as SubprocessError: self.init(faults: [error.description], .unavailable)
    default: self.init("spool", "fails in a way that nobody expected, which is a bug of it: \(error)", .software)
    }
  }

  private init(aboutEdit error: EditFileError) {
    switch error {
    case .unreadable(let path, let code):
      self.init(path, SystemWords.of(code), .noInput)
    case .tooLarge(let path, let limit): self.init(path, "is larger than \(limit >> 20) MiB", .badDocument)
    case .document(let path, let error):
      let omitted = FaultRecord(document: path, path: "", kind: "omitted", text: "and \(error.omittedCount) more faults")
      self.init(
        told: error.faults.map { FaultRecord($0, of: path) } + (error.omittedCount > 0 ? [omitted] : []), .badDocument)
    case .layers(let path, let faults):
      let exit = faults.contains(where: \.isMissingFont) ? ExitClass.noInput : .badDocument
      self.init(
        told: faults.map {
          FaultRecord(
            document: path, path: $0.place, kind: $0.isMissingFont ? "font" : "text", text: $0.reason, suggestion: $0.suggestion)
        }, exit)
    case .captions(let path, let faults):
      self.init(
        told: faults.map { FaultRecord(document: path, path: $0.place, kind: "captions", text: $0.reason) },
        faults.contains(where: \.isMissing) ? .noInput : .badDocument)
    case .lottie(let path, let faults):
      self.init(
        told: faults.map { FaultRecord(document: path, path: $0.place, kind: "lottie", text: $0.reason) },
        faults.contains(where: \.isMissing) ? .noInput : .badDocument)
    case .assets(let faults):
      self.init(
        told: faults.map { FaultRecord(path: "assets.\($0.asset)", kind: $0.error.kind.rawValue, text: $0.error.description) },
        ExitClass.gravest(faults.map { Self.exit(of: $0.error.kind) }))
    case .several(let errors):
      let complaints = errors.map { Complaint(aboutEdit: $0) }
      self.init(told: complaints.flatMap(\.told), ExitClass.gravest(complaints.map(\.exit)))
    }
  }

  private static func exit(of kind: MediaError.Kind) -> ExitClass {
    switch kind {
    case .unreadable, .missing: .noInput
    case .unsupported, .corrupt, .protected, .changed: .badDocument
    case .unreachable: .unavailable
    case .cannotWrite, .noSpace: .cannotCreate
    case .outOfMemory, .internal: .software
    }
  }

  private static func exit(of class: Failure.Class) -> ExitClass {
    switch `class` {
    case .content: .badDocument
    case .worker, .store: .cannotCreate
    case .source: .noInput
    case .transient: .unavailable
    case .bug: .software
    }
  }

  private static func exit(of error: LedgerError) -> ExitClass {
    switch error {
    // A database without this program's schema is not a farm's database.
    case .unavailable, .corrupt, .deposed: .unavailable
    case .refused: .software
    case .forbidden: .notPermitted
    case .outputTaken: .cannotCreate
    }
  }

  private static func exit(of error: LocalFarmError) -> ExitClass {
    switch error {
    case .directory, .file, .noRoom: .cannotCreate
    case .distrusted: .notPermitted
    case .database, .keepsEnding, .cannotStart: .unavailable
    }
  }
}

extension FaultRecord {
  fileprivate init(_ error: MediaError) {
    self.init(path: error.place, kind: error.kind.rawValue, text: error.words)
  }
}

/// Performs `body`, and tells its error as a complaint.
package func complaining<Result>(_ body: () throws -> Result) throws(Complaint) -> Result {
  do { return try body() } catch { throw Complaint(about: error) }
}

/// Performs the operation `body`, and locates its complaint among the edit's assets.
///
/// - Parameter body: stores the edit's assets in its argument once they are known.
func locating<Result>(
  _ body: (_ assets: inout [ProbedAssets.Asset]) throws -> Result
) throws(Complaint) -> Result {
  var assets: [ProbedAssets.Asset] = []
  do { return try body(&assets) } catch { throw Complaint(about: error).located(among: assets) }
}
