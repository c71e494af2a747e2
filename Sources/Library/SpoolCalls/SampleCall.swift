internal import Glibc
internal import Linux
internal import Subprocess
internal import Synchronization

/// A call of the program through which raw pictures and sound go, in one direction.
///
/// The program waits when nobody reads, and this process when the program is slow: nothing is kept in between. Any thread may send: what
/// one call sends stays together. One thread receives.
package final class SampleCall: Sendable {
  /// The program, what it said, and how it ended.
  private struct Course {
    /// The near end of the line for the samples.
    let line: Descriptor
    let child: ChildProcess
    var words: ProgramWords
    /// The last line that the program said.
    var said = ""
    var ending: Result<String, CallFailure>?

    mutating func read() throws(SubprocessError) {
      var last = said
      try words.read { last = $0 }
      said = last
    }

    /// Waits for the program to end.
    mutating func end() -> Result<String, CallFailure> {
      if let ending { return ending }
      let ended = Result { () throws(CallFailure) in
        do {
          let status = try follow()
          guard status.isSuccess else { throw CallFailure(status, record: said, complaints: words.complaints) }
          return said
        } catch let failure as CallFailure { throw failure } catch { throw CallFailure("\(error)") }
      }
      ending = ended
      return ended
    }

    private mutating func follow() throws(SubprocessError) -> ExitStatus {
      while true {
        let status = try child.poll()
        try read()
        if let status { return status }
        guard Readiness.waitToRead([child.exitDescriptor] + words.open, within: nil) != nil else {
          throw SubprocessError("poll", errno)
        }
      }
    }
  }

  /// The number of the line's near end, which the course owns: it is valid as long as this object lives. Threads may use it at once.
  private let number: Int32
  private let course: Mutex<Course>
  /// The turn to send.
  private let turn = Mutex(())

  /// Starts the program. It gets the descriptor for the samples as its third one.
  package init(_ arguments: [String], program: SpoolCall.Program = .spool) throws(CallFailure) {
    do {
      let (near, far) = try Descriptor.pair()
      let program = try program.path(SpoolCall.environment)
      let command = Command(
        program, arguments + ["--data", "3"], environment: SpoolCall.environment, output: .pipe, errorOutput: .pipe)
      let child = try ChildProcess(command, passing: [far])
      number = near.number
      course = Mutex(Course(line: near, child: child, words: ProgramWords(of: child)))
    } catch let failure as CallFailure { throw failure } catch { throw CallFailure("\(error)") }
  }

  /// The next bytes; fewer than asked for only at the end of the stream.
  package func bytes(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      // A broken connection ends the stream. The program then says why.
      filled =
        SystemCall.read(count) {
          wait(for: .readable)
          return unsafe recv(number, buffer.baseAddress! + $0, count - $0, 0)
        }.count
    }
  }

  /// Gives bytes to the program, the pieces after each other.
  ///
  /// - Returns: false where it takes no more, because it ended.
  package func send(_ pieces: [UInt8]...) -> Bool {
    turn.withLock { _ in pieces.allSatisfy(write) }
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      SystemCall.write(bytes.count) { position in
        wait(for: .writable)
        return unsafe Glibc.send(
          number, bytes.baseAddress! + position, bytes.count - position, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      } == 0
    }
  }

  /// Waits until the line is ready, and takes what the program says meanwhile.
  private func wait(for readiness: Readiness) {
    while true {
      let streams = course.withLock { $0.ending == nil ? $0.words.open : [] }
      let wanted = [(number, readiness)] + streams.map { ($0, Readiness.readable) }
      // A wait that fails is told by the call that follows it.
      guard let ready = Readiness.wait(for: wanted, within: nil), ready[0].isEmpty else { return }
      // What cannot be read is told at the end.
      course.withLock { course in _ = try? course.read() }
    }
  }

  /// Waits for the program to end.
  ///
  /// - Returns: the last line that it said.
  /// - Throws: a `CallFailure` unless it ended with exit code 0.
  package func end() throws(CallFailure) -> String { try course.withLock { $0.end() }.get() }

  /// Tells both sides that no more samples are wanted.
  package func cancel() { shutdown(number, Int32(SHUT_RDWR)) }
}
