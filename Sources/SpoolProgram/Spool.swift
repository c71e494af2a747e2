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
      run(Array(CommandLine.arguments.dropFirst()))
    }
    exit(code)
  }

  /// - Returns: the exit code.
  private static func run(_ words: [String]) -> Int32 {
    do {
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
}
