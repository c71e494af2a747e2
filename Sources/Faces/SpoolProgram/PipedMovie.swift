import Glibc
import Linux
import Operations
import Terminal

/// Standard output as the place of a movie (`-o -`). The movie is rendered into a file first, which has to be whole and proved before its first
/// byte goes out, so that whoever reads gets all of a movie or nothing. What the program tells goes to standard error meanwhile.
final class PipedMovie {
  /// The path of the file, in a folder of its own.
  let path: String
  private let folder: String
  /// Standard output as it was.
  private let output: Int32

  /// The bytes that are copied at once.
  private static let blockSize = 1 << 20

  /// - Parameter temporary: the folder for temporary files.
  init(in temporary: String) throws(Complaint) {
    guard !StandardStream.output.isTerminal else {
      throw Complaint(
        "-o", "a movie is not written to a terminal: name a file, or send standard output to another program", .usage)
    }
    var template = Array("\(temporary)/spool-movie-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Complaint(temporary, SystemWords.of(errno), .cannotCreate) }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    path = folder + "/movie"
    output = fcntl(1, F_DUPFD_CLOEXEC, 3)
    guard output >= 0, dup2(2, 1) >= 0 else { throw Complaint("standard output", SystemWords.of(errno), .cannotCreate) }
  }

  deinit {
    unsafe unlink(path)
    unsafe rmdir(folder)
    if output >= 0 { close(output) }
  }

  /// Sends the movie to standard output.
  ///
  /// - Throws: a `Complaint`, or a `StreamError` where standard output takes it no more.
  func send() throws {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Complaint(path, SystemWords.of(errno), .noInput) }
    defer { close(file) }
    // A program that is killed from here on leaves no file.
    unsafe unlink(path)
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    while true {
      let count = unsafe block.withUnsafeMutableBytes { bytes in
        SystemCall.uninterrupted { unsafe read(file, bytes.baseAddress, bytes.count) }
      }
      guard count >= 0 else { throw Complaint(path, SystemWords.of(errno), .noInput) }
      guard count > 0 else { return }
      let code = SystemCall.write(Array(block[..<count]), to: output)
      guard code == 0 else { throw StreamError(code: code) }
    }
  }
}
