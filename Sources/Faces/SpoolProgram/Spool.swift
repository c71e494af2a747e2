import Arguments
import Glibc
import Operations
package import SpoolCompositing
import Terminal

/// The program `spool`.
public enum Spool {
  /// Runs the program with this process's command line, and ends the process.
  public static func main() -> Never { main(CommandLine.arguments.dropFirst(), CompositorRegistry()) }

  /// Runs the program, and ends the process.
  ///
  /// - Parameters:
  ///   - words: the command line, without the program's name.
  ///   - compositors: the compositors that documents may name. A worker of this executable tells the coordinator their names, and is given
  ///     chunks that need them.
  package static func main(_ words: ArraySlice<String>, _ compositors: CompositorRegistry) -> Never {
    // When the reader leaves ('spool status | head'), write(2) fails, and no signal ends the program.
    _ = signal(SIGPIPE, SIG_IGN)
    let code = CompositorRegistry.$ofProgram.withValue(compositors) { run(Array(words)) }
    exit(code)
  }

  /// Does what a command line asks for.
  /// - Returns: the exit code.
  private static func run(_ words: [String]) -> Int32 {
    do {
      try checkArguments()
      switch try Program.spool.request(words) {
      case .text(let text): try StandardStream.output.builtIn(text)
      case .run(let verb): try verb.run()
      }
      return ExitCode.ok
    } catch {
      let complaint = Complaint(ofVerb: error)
      do {
        for fault in complaint.faults { try StandardStream.error.line("error: \(fault)") }
        if error is UsageError { try StandardStream.error.line(Program.spool.hint(for: words)) }
      } catch {
        // Standard error is closed, so nobody can be told. The exit code still tells of the failure.
      }
      return complaint.exit.rawValue
    }
  }

  /// Refuses arguments that are not UTF-8. `CommandLine.arguments` repairs them without a word, so another file would be read or
  /// written.
  private static func checkArguments() throws {
    for position in 0..<Int(CommandLine.argc) {
      guard let argument = unsafe CommandLine.unsafeArgv[position] else { continue }
      guard unsafe String(validatingCString: argument) == nil else { continue }
      throw UsageError.notUTF8(unsafe String(cString: argument))
    }
  }
}
