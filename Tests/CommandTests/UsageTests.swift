import FoundationEssentials
import Testing

@Suite struct `The command line` {
  @Test func `nothing given is a usage error that points to the help`() throws {
    let run = try Spool.run()
    #expect(run.code == 64 && run.output.isEmpty)
    #expect(run.errors == "error: command: none given\nsee 'spool --help'\n")
  }

  @Test func `an unknown verb is a usage error with the nearest known one`() throws {
    let run = try Spool.run("completoins")
    #expect(run.code == 64)
    #expect(run.errors == "error: completoins: unknown command; did you mean completions?\nsee 'spool --help'\n")
  }

  @Test func `an unknown option is a usage error that points to the verb's help`() throws {
    let run = try Spool.run("keys", "--pubilc", "x")
    #expect(run.code == 64)
    #expect(run.errors == "error: --pubilc: unknown option; did you mean --public?\nsee 'spool keys --help'\n")
  }

  @Test func `help lists the verbs, each of which has a page within 80 columns`() throws {
    let overview = try Spool.run("--help")
    #expect(overview.code == 0 && overview.errors.isEmpty)
    let listing = try #require(overview.output.split(separator: "COMMANDS\n", maxSplits: 1).last)
    let verbs = listing.split(separator: "\n").compactMap { line in
      line.hasPrefix("  ") && !line.hasPrefix("   ") ? line.split(separator: " ").first.map(String.init) : nil
    }
    #expect(verbs.contains("keys") && verbs.contains("completions") && !verbs.contains("attempt"))
    for verb in verbs {
      let page = try Spool.run(verb, "--help")
      let same = try Spool.run("help", verb)
      #expect(page.code == 0 && page.output == same.output)
      #expect(page.output.hasPrefix("NAME\n  spool \(verb) - "), "\(verb)")
      for section in ["SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS"] {
        #expect(page.lines.contains { $0 == section }, "\(verb) has no \(section)")
      }
      #expect(page.lines.filter { $0.count > 80 && !$0.hasPrefix("  $ ") } == [], "\(verb)")
    }
  }

  @Test func `the documentation names every verb`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/cli.md").standardized
    let documented = try String(contentsOf: page, encoding: .utf8)
    let overview = try Spool.run("help")
    let listing = try #require(overview.output.split(separator: "COMMANDS\n", maxSplits: 1).last)
    let verbs = listing.split(separator: "\n").filter { !$0.hasPrefix("   ") }.compactMap { $0.split(separator: " ").first }
    #expect(verbs.count > 10)
    #expect(verbs.filter { !documented.contains("| `\($0) ") } == [])
  }

  @Test func `the version is a line of name and number`() throws {
    let run = try Spool.run("--version")
    #expect(run.code == 0)
    let match = run.output.wholeMatch(of: #/spool \d+\.\d+\.\d+\n/#)
    #expect(match != nil)
  }
}
