import FoundationEssentials
import Glibc
import Operations
import Remote
import Rendering
import Transfer

/// A segment store as `--store` names it: a folder, or a place in S3.
enum Store {
  case directory(String)
  case s3(S3Location)

  static let help = "The segment store that all workers of the farm share: a directory, or a place in S3 (s3://BUCKET/PREFIX)."

  init(_ text: String) throws(Complaint) {
    guard text.hasPrefix("s3:") else {
      self = .directory(text)
      return
    }
    guard let location = S3Location(text) else {
      throw Complaint("--store", "'\(text)' is not s3://BUCKET/PREFIX", .usage)
    }
    self = .s3(location)
  }

  /// - Throws: a `Complaint` when the store is missing or may not be used.
  func requireUsable() throws {
    switch self {
    // The folder is not made when it is missing: its file system may just not be mounted.
    case .directory(let path): try requireDirectory(path, W_OK | X_OK, else: .cannotCreate)
    case .s3(let location):
      do throws(TransferError) {
        try Self.store(at: location).requireReachable()
      } catch {
        throw Complaint(error.place, error.reason, .cannotCreate)
      }
    }
  }

  /// The store for clearing up.
  func swept() throws -> any SweptStore {
    switch self {
    case .directory(let path): SegmentStore(root: path)
    case .s3(let location): try Self.store(at: location)
    }
  }

  static func store(at location: S3Location) throws(TransferError) -> S3SegmentStore {
    let account = try S3Account(environment: ProcessInfo.processInfo.environment)
    return S3SegmentStore(try S3Bucket(location, account))
  }
}
