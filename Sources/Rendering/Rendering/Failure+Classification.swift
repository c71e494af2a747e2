internal import Compositing
internal import Drawing
internal import Glibc
package import Media
internal import MediaTime
package import Messages
internal import Subprocess
internal import Timeline
package import Transfer

// Only this file decides what an error means for the job: whether another try or another machine can help.

extension Failure {
  /// Classifies an error of an attempt.
  /// - Parameter place: the place of an error that names none.
  package init(classifying error: any Error, at place: String = "attempt") {
    self =
      switch error {
      case let failure as Failure: failure
      case let error as MediaError: Failure(Self.class(of: error), at: error.place, error.words)
      case let error as StoreError: Failure(Self.class(of: error), at: error.path, error.reason)
      case DrawingError.documentFont(let name, let error): Failure(Self.class(of: error), at: "assets.\(name)", "\(error)")
      case let error as DrawingError: Failure(Self.class(of: error), at: "layers", "\(error)")
      case let error as ComposingError:
        Failure(Self.class(of: error), at: "compositor '\(error.compositor)' at \(error.time) s", error.reason)
      case let error as TransferError: Failure(Self.class(of: error), at: error.place, error.reason)
      // This machine starts no process, or has no pipe for it.
      case let error as SubprocessError: Failure(.worker, at: "attempt", "\(error)")
      case is Cancellation.Cancelled: Failure(.transient, at: place, "it was cancelled")
      // A frame found no memory, or a wipe's map could not be read.
      case CompositingError.media(let error): Failure(classifying: error)
      case let error as CompositingError: Failure(.bug, at: "compositing", "\(error)")
      case let error as DocumentFaults: Failure(.content, at: "document", "\(error)")
      case let error as TimeError: Failure(.content, at: "document", "\(error)")
      default: Failure(.bug, at: place, "\(error)")
      }
  }

  /// The failure of an attempt that cannot read a winner's segment file in the store. The winner is damaged, unless the storage
  /// does not answer.
  package init(reading winner: AttemptKey, _ error: MediaError) {
    self =
      error.isOfAbsentStorage
      ? Failure(.store, at: error.place, error.reason) : Failure(lost: winner, at: error.place, error.reason)
  }

  /// The failure of an attempt that cannot fetch a winner's segment file. The winner is damaged if the server has no such file,
  /// or another one.
  package init(reading winner: AttemptKey, _ error: TransferError) {
    self =
      switch error.kind {
      case .missing, .changed: Failure(lost: winner, at: error.place, error.reason)
      case .transient, .refused, .invalid, .unranged, .local: Failure(classifying: error)
      }
  }

  private init(lost winner: AttemptKey, at place: String, _ reason: String) {
    self.init(.worker, at: place, "\(reason): it is rendered again", damaged: [winner])
  }

  /// The failure of an attempt whose store was a folder of this machine: what was full or away is not everybody's.
  package var onThisMachine: Failure {
    self.class == .store ? Failure(.worker, at: place, reason, damaged: damaged) : self
  }

  private static func `class`(of error: MediaError) -> Class {
    switch error.kind {
    case .unsupported, .corrupt, .protected, .missing, .changed: .content
    // The server answered when the job was submitted. Either this machine does not reach it, or nobody does for now.
    case .unreachable: .source
    // Attempts write to the store and beside the movie. A file that is larger than allowed is due to a limit of the worker.
    case .noSpace: error.code == -EFBIG ? .worker : .store
    case .cannotWrite: error.isOfAbsentStorage ? .store : .worker
    // The file was there when the job was submitted. Either this machine does not see it, or nobody does for now.
    case .unreadable: error.isOfAbsentFile || error.isOfAbsentStorage ? .source : .worker
    case .outOfMemory: .worker
    case .internal: .bug
    }
  }

  /// The class of an error of the segment store in S3. What is wrong with media behind URLs, the attempt's own process reports.
  private static func `class`(of error: TransferError) -> Class {
    switch error.kind {
    case .transient: .store
    // Another worker may have other credentials, another way to the server, or room.
    case .refused, .missing, .changed, .invalid, .unranged, .local: .worker
    }
  }

  /// The class of an error of a user's compositor. The program of another worker may have a compositor that is missing here.
  private static func `class`(of error: ComposingError) -> Class { error.isMissing ? .worker : .content }

  private static func `class`(of error: DrawingError) -> Class {
    switch error {
    // The edit and the fonts that the job names decide these, and they are the same on every worker.
    case .brokenLetters, .doesNotFit, .doesNotFitFrame, .rubyBroken, .notVariable, .tooManyFonts, .tooLarge, .tooFar, .vector,
      .fontNotNamed:
      .content
    // Another worker may have the font, a file that is whole, or memory.
    case .fontNotInstalled, .fontIsMedium, .documentFont, .documentFontChanged, .fontElsewhere, .fontUnreadable, .missingGlyphs,
      .noOutlines, .cairo, .outOfMemory:
      .worker
    }
  }

  private static func `class`(of error: StoreError) -> Class {
    switch error.code {
    case EEXIST: .content
    case ENOSPC, EDQUOT: .store
    case let code: absentStorage.contains(code) ? .store : .worker
    }
  }

  /// The error codes by which Linux says that a file system's server or disk does not answer.
  fileprivate static let absentStorage: Set<Int32> = [
    EIO, ESTALE, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ECONNREFUSED, ECONNRESET, ENOTCONN, ESHUTDOWN,
    EREMOTEIO,
  ]
}

extension MediaError {
  /// Whether the storage cannot be reached at the moment, as far as the operating system tells.
  var isOfAbsentStorage: Bool { code < 0 && Failure.absentStorage.contains(-code) }
  /// Whether the error says that there is no such file.
  var isOfAbsentFile: Bool { code == -ENOENT || code == -ENOTDIR }
}
