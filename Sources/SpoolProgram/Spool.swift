import Arguments
import Glibc
import Terminal

/// The program `spool`, to be built into an executable of one's own.
public enum Spool {
  /// Runs the program on this process's command line, and ends the process.
  public static func main() -> Never {
    // A reader that leaves ('spool status | head') is an error of write(2), not a death.
    _ = signal(SIGPIPE, SIG_IGN)
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// - Returns: the exit code.
  private static func run(_ words: [String]) -> Int32 {
    do {
      switch try Program.spool.request(words) {
      case .text(let text): try StandardStream.output.write(text)
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
