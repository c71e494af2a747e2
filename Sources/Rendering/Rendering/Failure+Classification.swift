internal import Compositing
internal import Drawing
internal import Glibc
internal import Media
internal import MediaTime
package import Messages
internal import Timeline

extension Failure {
  /// Classifies an error. Only this code decides what an error means for the job: whether another try or another machine can
  /// help.
  package init(classifying error: any Error) {
    self =
      switch error {
      case let failure as Failure: failure
      case let error as MediaError: Failure(Self.class(of: error), at: error.place, Self.reason(error))
      case let error as StoreError: Failure(Self.class(of: error), at: error.path, error.reason)
      case let error as DrawingError: Failure(Self.class(of: error), at: "layers", "\(error)")
      case let error as ComposingError: Failure(error)
      case is Cancellation.Cancelled: Failure(.transient, at: "attempt", "it was cancelled")
      // A frame found no memory, or a wipe's map could not be read.
      case CompositingError.media(let error): Failure(classifying: error)
      case let error as CompositingError: Failure(.bug, at: "compositing", "\(error)")
      case let error as DocumentFaults: Failure(.content, at: "document", "\(error)")
      case let error as TimeError: Failure(.content, at: "document", "\(error)")
      default: Failure(.bug, at: "attempt", "\(error)")
      }
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

  private static func `class`(of error: DrawingError) -> Class {
    switch error {
    // The edit and the fonts that the job names decide these, and they are the same on every worker.
    case .doesNotFit, .tooManyFonts, .fontNotNamed: .content
    // Another worker may have the font, a file that is whole, or memory.
    case .fontNotInstalled, .fontElsewhere, .fontUnreadable, .missingGlyphs, .noOutlines, .cairo, .outOfMemory: .worker
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

  private static func reason(_ error: MediaError) -> String {
    error.words
  }
}

extension MediaError {
  /// Whether the storage cannot be reached at the moment, as far as the operating system tells.
  var isOfAbsentStorage: Bool { code < 0 && Failure.absentStorage.contains(-code) }
  /// Whether the error says that there is no such file.
  var isOfAbsentFile: Bool { code == -ENOENT || code == -ENOTDIR }
}
