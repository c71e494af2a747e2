import Arguments
import Operations
import Terminal

struct WriteVerb: Verb {
  static let page = Page(
    "write", "write a movie of raw pictures and raw sound from standard input",
    description: [
      """
      Reads a stream of samples (docs/cli.md), whose line of JSON says which movie they become, encodes them in this process, and \
      prints a line of JSON about the movie. Each picture is seen from the time that its record has. The Swift library writes \
      movies in this way.
      """
    ],
    examples: [.init("spool write < movie.samples", "The movie is where the stream says.")],
    exitCodes: [
      .init(ExitCode.ok, "written"), .init(ExitCode.usage, "the stream is none"),
      .init(ExitCode.badDocument, "the movie cannot be made of these samples"),
      .init(ExitCode.unavailable, "the stream ended before the movie was to be finished"),
      .init(ExitCode.cannotCreate, "the movie cannot be written, or exists already"),
    ])

  /// The descriptor with the samples, where the caller made one.
  @Option(hidden: "data", .integer(3...Int(Int32.max))) var data: Int?

  func run() throws {
    try FailureRecord.telling(if: true) {
      try StandardStream.output.json(SampleWriting.write(from: data.map(Int32.init) ?? 0))
    }
  }
}
