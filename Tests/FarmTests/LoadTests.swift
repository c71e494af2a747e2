import FarmTesting
import Subprocess
import Testing

/// The short form of scripts/load.
struct LoadTests {
  @Test func `every attempt given to simulated workers is committed, in one job and in many`() throws {
    let folder = try #require(CommandLine.arguments.first).split(separator: "/").dropLast().joined(separator: "/")
    let load = Command(
      "/\(folder)/FarmLoad",
      [
        "load", "--workers", "20", "--chunks", "100", "--jobs", "5", "--attempt", "200", "--queue", "50", "--cancelled", "2000",
        "--history", "1000", "--people", "2", "--knowledge", "analyzed", "--json",
      ],
      environment: ["PATH": "/usr/bin:/bin"]
    ).endingWithTests()
    let completed = try #require(try load.run(timeoutMilliseconds: 240_000))
    #expect(completed.status.isSuccess, Comment(rawValue: completed.errorOutput))
    let counts = completed.output.split(separator: "\n").compactMap { line in
      line.split(separator: ",").first { $0.contains("\"completions\"") }?.split(separator: ":").last
    }
    // The phases are: one job, five jobs, the steady load, the crowd (100 jobs of two people beside a steady load), one job
    // beside 5 waiting ones, one beside 50, the waiting jobs themselves, and one job after some history.
    #expect(
      counts.map(String.init).enumerated().allSatisfy {
        $0 < 8 && ($0 == 6 || ["102", "110", "102", "1202", "102", "102", "", "102"][$0] == $1)
      })
    #expect(counts.count == 8)
  }
}
