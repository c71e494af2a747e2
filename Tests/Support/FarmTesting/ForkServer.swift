internal import FoundationEssentials
internal import Glibc
internal import Linux
package import Subprocess
internal import Synchronization

/// A program that has loaded its libraries and waits before its main function, so that a call of it costs a fork alone (CForkServer).
/// FFmpeg's tools would spend more of the processor on linking two hundred libraries than on most of what tests ask of them.
///
/// A server does one call at a time. Each caller takes an idle server of its program, or starts another.
///
/// @unchecked: `idle` gives a server to one thread at a time.
package final class ForkServer: @unchecked Sendable {
  package struct Failure: Error, CustomStringConvertible { package let description: String }

  private let process: ChildProcess
  /// The near end of the socket over which requests go.
  private let door: Descriptor

  /// The environment of all calls.
  private static let environment = ["LC_ALL": "C.UTF-8"]
  /// The library that makes a server of a program, which is built beside the tests; nil where it is not there.
  package static let library: String? = {
    // Without /proc, each call starts its program.
    guard let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
    let path = FilePath.folder(of: tests) + "/libForkServer.so"
    return unsafe access(path, R_OK) == 0 ? path : nil
  }()
  /// The servers that do nothing, by their programs.
  private static let idle = Mutex<[String: [ForkServer]]>([:])

  private init(_ program: String, _ library: String) throws {
    let far: Descriptor
    (door, far) = try Descriptor.pair()
    // Passed descriptors begin at 3.
    let environment = Self.environment.merging(["LD_PRELOAD": library, "SPOOL_FORK_SERVER": "3"]) { $1 }
    process = try ChildProcess(
      Command(program, environment: environment, output: .null, errorOutput: .null), passing: [far])
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - input: the bytes of its standard input.
  ///   - limit: the most bytes that it may write to one of its streams.
  /// - Returns: nil when it did not end in time. It is then killed.
  package static func run(
    _ program: String, _ arguments: [String], input: [UInt8], timeoutMilliseconds: Int32, limit: Int
  ) throws -> Completed? {
    guard let library else {
      let command = Command(program, arguments, environment: environment, input: .bytes(input))
      return try command.run(timeoutMilliseconds: timeoutMilliseconds, limit: limit)
    }
    let server = try idle.withLock { $0[program]?.popLast() } ?? ForkServer(program, library)
    // A server whose call fails is dropped, and ends with its child.
    let completed = try server.call([program] + arguments, input, timeoutMilliseconds, limit)
    if completed != nil { idle.withLock { $0[program, default: []].append(server) } }
    return completed
  }

  private func call(_ words: [String], _ input: [UInt8], _ timeoutMilliseconds: Int32, _ limit: Int) throws -> Completed? {
    let streams = try [Descriptor.memory(input), Descriptor.unnamed(in: "/tmp"), Descriptor.unnamed(in: "/tmp")]
    let paths = streams.map { "/proc/\(getpid())/fd/\($0.number)" }
    let request: [UInt8] = (paths + words).flatMap { (word: String) -> [UInt8] in word.utf8 + [0] }
    let length = unsafe withUnsafeBytes(of: UInt32(request.count)) { unsafe Array($0) }
    let code = SystemCall.write(length + request, to: door.number)
    guard code == 0 else { throw Failure(description: "\(words[0]): its server cannot be asked: \(SystemWords.of(code))") }
    guard let ready = Readiness.waitToRead([door.number], within: .milliseconds(timeoutMilliseconds)), ready[0] else {
      return nil
    }
    var status: Int32 = 0
    guard unsafe recv(door.number, &status, MemoryLayout<Int32>.size, Int32(MSG_WAITALL)) == MemoryLayout<Int32>.size else {
      throw Failure(description: "\(words[0]): its server has ended")
    }
    let said = try withExtendedLifetime(streams) {
      try streams.dropFirst().map { stream in
        guard try stream.byteCount <= limit else { throw Failure(description: "\(words[0]) wrote more than \(limit) bytes") }
        return try String(decoding: stream.contents(limit: Int(stream.byteCount)), as: UTF8.self)
      }
    }
    // The macros WIFEXITED, WEXITSTATUS and WTERMSIG of wait(2).
    let end: ExitStatus = status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .signalled(status & 0x7f)
    return Completed(status: end, output: said[0], errorOutput: said[1])
  }
}
