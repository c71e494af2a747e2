internal import Glibc
internal import Linux
internal import Subprocess

/// A call of the program through which raw pictures and sound go, in one direction.
///
/// The program waits when nobody reads, and this process when the program is slow: nothing is kept in between. One thread at a time;
/// `cancel` may come from any.
package final class SampleCall: @unchecked Sendable {  // Its owner's lock keeps threads apart.
  private let child: ChildProcess
  private let line: Descriptor
  private var lines: LineReader
  private var complaints: TailReader
  private var said = ""

  /// Starts the program. It gets the descriptor for the samples as its third one.
  package init(_ arguments: [String]) throws(CallFailure) {
    do {
      let (near, far) = try Descriptor.pair()
      let program = try ProgramSearch(SpoolCall.environment).program()
      let command = Command(
        program, arguments + ["--data", "3"], environment: SpoolCall.environment, output: .pipe, errorOutput: .pipe)
      child = try ChildProcess(command, passing: [far])
      line = near
      guard let output = child.output, let errors = child.errorOutput else { preconditionFailure("both streams are pipes") }
      (lines, complaints) = (LineReader(output, limit: SpoolCall.lineLimit), TailReader(errors, limit: 65_536))
    } catch let failure as CallFailure { throw failure } catch { throw CallFailure("\(error)") }
  }

  /// The next bytes; fewer than asked for only at the end of the stream.
  package func bytes(_ count: Int) -> [UInt8] {
    let number = line.number
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      // A broken connection ends the stream. The program then says why.
      filled = SystemCall.read(count) { unsafe recv(number, buffer.baseAddress! + $0, count - $0, 0) }.count
    }
  }

  /// Gives bytes to the program.
  ///
  /// - Returns: false where it takes no more, because it ended.
  package func send(_ bytes: [UInt8]) -> Bool {
    let number = line.number
    return unsafe bytes.withUnsafeBytes { bytes in
      SystemCall.write(bytes.count) { position in
        unsafe Glibc.send(number, bytes.baseAddress! + position, bytes.count - position, Int32(MSG_NOSIGNAL))
      } == 0
    }
  }

  /// Waits for the program to end.
  ///
  /// - Returns: the last line that it said.
  /// - Throws: a `CallFailure` unless it ended with exit code 0.
  package func end() throws(CallFailure) -> String {
    do {
      let status = try child.wait()
      for case .text(let text) in try lines.read() { said = text }
      try complaints.read()
      guard status.isSuccess else { throw CallFailure(status, record: said, complaints: complaints.text) }
      return said
    } catch let failure as CallFailure { throw failure } catch { throw CallFailure("\(error)") }
  }

  /// Tells both sides that no more samples are wanted.
  package func cancel() { shutdown(line.number, Int32(SHUT_RDWR)) }
}
