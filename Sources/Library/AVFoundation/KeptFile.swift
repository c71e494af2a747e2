internal import Glibc
internal import Synchronization

/// The file of a medium as it was when the medium was first read, held open from then on. So an edit plays this file when it was removed after it was
/// inserted, or when another one has its name, as where a program writes all of its intermediate movies under one name.
// Nothing is read by way of the handle: whoever reads opens the file anew. So it may be used by several threads.
final class KeptFile: @unchecked Sendable {
  /// The fate of a file since it was first read.
  enum State: Sendable {
    case inPlace
    /// Nothing has the file's name any more.
    case removed
    /// Another file has the name.
    case replaced
    /// The file was written to, so that what it held is lost.
    case overwritten
  }

  /// The bytes that are copied at once.
  private static let piece = 1 << 20

  let place: String
  let identity: FileIdentity
  /// The open file; nil where too many are open.
  private let held: OpenFile?

  /// - Returns: nil for what is no file of this machine.
  init?(_ url: URL) {
    // What is not a file, such as a pipe, is not opened: that would wait for somebody.
    guard url.isFileURL, let seen = FileIdentity(at: url.mediaPlace) else { return nil }
    place = url.mediaPlace
    held = OpenFile(place)
    identity = held.flatMap { FileIdentity(of: $0.handle) } ?? seen
  }

  var state: State {
    let named = FileIdentity(at: place)
    if named == identity { return .inPlace }
    let isWritten = held.map { FileIdentity(of: $0.handle) != identity } ?? named.map(identity.isOneFile) ?? false
    return isWritten ? .overwritten : named == nil ? .removed : .replaced
  }

  /// The reason for which the bytes that were read first cannot be had; nil where they can.
  func loss(_ state: State) -> String? {
    let unheld = "and was not held open, as at most \(OpenFile.most) files are"
    return switch state {
    case .overwritten: "was written to after it was read, so that what it held then is lost"
    case .removed where held == nil: "was removed after it was read, \(unheld)"
    case .replaced where held == nil: "is another file than the one that was read, which has lost its name \(unheld)"
    case .inPlace, .removed, .replaced: nil
    }
  }

  /// The URL by which this process reads the file, whatever has its name now.
  ///
  /// - Throws: an `AVError` that names the file where its bytes cannot be had.
  var url: URL {
    get throws(AVError) {
      let state = state
      if let loss = loss(state) { throw fault(loss) }
      // The name under /proc leads to the file, whatever has become of its own.
      return URL(fileURLWithPath: state == .inPlace ? place : "/proc/self/fd/\(held?.handle.fileDescriptor ?? -1)")
    }
  }

  func fault(_ words: String) -> AVError {
    AVError(.failedToLoadMediaData, "\(place): \(words)", url: URL(fileURLWithPath: place))
  }

  /// Writes all of the file into a new one.
  ///
  /// - Throws: an `AVError` where its bytes cannot be had, else an error of Foundation's.
  func copy(to path: String) throws {
    let source = try FileHandle(forReadingFrom: url)
    // Where it cannot be made, opening it says why.
    _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o644])
    let target = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    while let bytes = try source.read(upToCount: Self.piece), !bytes.isEmpty { try target.write(contentsOf: bytes) }
    try target.close()
  }
}

/// A medium's file that is open.
private final class OpenFile {
  /// The most files that are open at once. A medium beyond them must keep its name until its export is over.
  static let most = 256
  private static let count = Atomic<Int>(0)

  let handle: FileHandle

  /// - Returns: nil where too many files are open.
  init?(_ place: String) {
    guard Self.count.add(1, ordering: .relaxed).newValue <= Self.most,
      // A file that cannot be opened is told of by whoever needs it.
      let handle = try? FileHandle(forReadingFrom: URL(fileURLWithPath: place))
    else {
      Self.count.subtract(1, ordering: .relaxed)
      return nil
    }
    self.handle = handle
  }

  deinit { Self.count.subtract(1, ordering: .relaxed) }
}

/// The facts that tell a file from others, and its bytes from those that it had before: its file system, its number there, its size, and the time at
/// which it was last written to.
struct FileIdentity: Hashable, Sendable, CustomStringConvertible {
  private let device: dev_t
  private let number: ino_t
  private let size: off_t
  private let seconds: Int
  private let nanoseconds: Int

  /// - Returns: nil where there is no file.
  init?(at place: String) {
    var facts = stat()
    guard unsafe stat(place, &facts) == 0 else { return nil }
    self.init(facts)
  }

  fileprivate init?(of handle: FileHandle) {
    var facts = stat()
    guard unsafe fstat(handle.fileDescriptor, &facts) == 0 else { return nil }
    self.init(facts)
  }

  private init?(_ facts: stat) {
    guard facts.st_mode & S_IFMT == S_IFREG else { return nil }
    (device, number, size) = (facts.st_dev, facts.st_ino, facts.st_size)
    (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
  }

  /// Whether both are of one file, whatever is in it.
  func isOneFile(_ other: FileIdentity) -> Bool { device == other.device && number == other.number }

  var description: String { "\(device):\(number) \(size) \(seconds).\(nanoseconds)" }
}
