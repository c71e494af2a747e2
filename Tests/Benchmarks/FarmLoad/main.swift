// Measures how much load a farm's coordinator and database bear (`scripts/load`), and how an edit's time falls with the number of
// slots (`scripts/scale`).
import Arguments
import Glibc
import Terminal

let program = Program(
  name: "FarmLoad", version: "1", summary: "measures a farm under load", description: [],
  verbs: [LoadVerb.self, ScaleVerb.self, SteadyVerb.self])
do {
  switch try program.request(Array(CommandLine.arguments.dropFirst())) {
  case .text(let text): try StandardStream.output.builtIn(text)
  case .run(let verb): try verb.run()
  }
} catch {
  try StandardStream.error.line("error: load: \(error)")
  exit(70)
}
