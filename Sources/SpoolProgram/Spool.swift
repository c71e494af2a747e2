import Arguments
import Glibc
public import SpoolCompositing
import Terminal

/// The program `spool`, to be built into an executable of one's own.
public enum Spool {
  /// Runs the program on this process's command line, and ends the process.
  ///
  /// - Parameter compositors: what documents may name as `compositor`, by their names. An executable that is a farm's worker
  ///   tells the coordinator which it has, and is given chunks that need them.
  /// - Precondition: no two compositors have the same name.
  public static func main(compositors: [any VideoCompositing.Type] = []) -> Never {
    // A reader that leaves ('spool status | head') is an error of write(2), not a death.
    _ = signal(SIGPIPE, SIG_IGN)
    let code = CompositorRegistry.$ofProgram.withValue(CompositorRegistry(compositors)) {
      run()
    }
    exit(code)
  }

  /// Does what the command line asks for.
  /// - Returns: the exit code.
  private static func run() -> Int32 {
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      try checkArguments()
      switch try Program.spool.request(words) {
      case .text(let text): try StandardStream.output.builtIn(text)
      case .run(let verb): try verb.run()
      }
      return ExitCode.ok
    } catch {
      let complaint = Complaint(about: error)
      do {
        for fault in complaint.faults { try StandardStream.error.line("error: \(fault)") }
        if error is UsageError { try StandardStream.error.line(Program.spool.hint(for: words)) }
      } catch {
        // Standard error is closed: nobody can be told, and the exit code says it still.
      }
      return complaint.code
    }
  }

  /// Refuses arguments that are not UTF-8. `CommandLine.arguments` repairs them without a word, so another file would be read or written.
  private static func checkArguments() throws {
    for argument in unsafe UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)) {
      guard let argument = unsafe argument else { continue }
      guard unsafe String(validatingCString: argument) != nil else { throw UsageError.notUTF8(unsafe String(cString: argument)) }
    }
  }
}
