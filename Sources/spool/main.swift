import Arguments
import Glibc
import Terminal

// A reader that leaves ('spool status | head') is an error of write(2), not a death.
_ = signal(SIGPIPE, SIG_IGN)

let words = Array(CommandLine.arguments.dropFirst())
do {
  switch try Program.spool.request(words) {
  case .text(let text): try StandardStream.output.write(text)
  case .run(let verb): try verb.run()
  }
} catch {
  let complaint = Complaint(about: error)
  do {
    for fault in complaint.faults { try StandardStream.error.line("error: \(fault)") }
    if error is UsageError { try StandardStream.error.line(Program.spool.hint(for: words)) }
  } catch {
    // Standard error is closed: nobody can be told, and the exit code says it still.
  }
  exit(complaint.code)
}
