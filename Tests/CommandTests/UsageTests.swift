import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

@Suite struct `The command line` {
  @Test func `nothing given is a usage error that points to the help`() throws {
    let run = try SpoolProgram.run()
    #expect(run.code == 64 && run.output.isEmpty)
    #expect(run.errorOutput == "error: command: none given\nsee 'spool --help'\n")
  }

  @Test func `an unknown verb is a usage error with the nearest known one`() throws {
    let run = try SpoolProgram.run("completoins")
    #expect(run.code == 64)
    #expect(run.errorOutput == "error: completoins: unknown command; did you mean completions?\nsee 'spool --help'\n")
  }

  @Test func `an unknown option is a usage error that points to the verb's help`() throws {
    let run = try SpoolProgram.run("keys", "--pubilc", "x")
    #expect(run.code == 64)
    #expect(run.errorOutput == "error: --pubilc: unknown option; did you mean --public?\nsee 'spool keys --help'\n")
  }

  @Test(arguments: [
    ("render edit.json", "--output: required, but not given"),
    ("render edit.json -o m.mp4 --workers 0", "--workers: '0' is not a whole number from 1 to 256"),
    ("render edit.json -o m.mp4 --workers 9999999999999999999999", "--workers: '9999999999999999999999' is not a whole number"),
    ("render edit.json -o m.mp4 --chunk-frames 1.5", "--chunk-frames: '1.5' is not a whole number from 1 to 1000000"),
    ("render edit.json -o m.mp4 --data=", "--data: '' is not a path"),
    ("render edit.json other.json -o m.mp4", "other.json: unexpected argument"),
    ("frames edit.json --range 5..5", "--range: '5..5' is not a range of frames such as 0..100"),
    ("verify edit.json m.mp4 --floor nan", "--floor: 'nan' is not a number of decibels from 0 to 200"),
    ("status --limit 0", "--limit: '0' is not a whole number from 1 to 10000"),
    ("coordinator --endpoint farm", "--endpoint: 'farm' is not an endpoint such as tcp://farm:7400 or ipc:///run/spool/farm"),
    (
      "coordinator --endpoint tcp://127.0.0.1:7400",
      "--endpoint: whoever reaches tcp://127.0.0.1:7400 could work for the farm: give "
    ),
    ("worker --connect tcp://farm --store / --media-root /", "--connect: 'tcp://farm' is not an endpoint such as "),
    ("worker --connect tcp://farm:1 --store /", "--media-root: required, but not given"),
  ])
  func `a wrong value is a usage error that says what is right`(line: String, complaint: String) throws {
    let run = try SpoolProgram.run(line.split(separator: " ").map(String.init))
    #expect(run.code == 64 && run.output.isEmpty)
    #expect(run.errorOutput.hasPrefix("error: " + complaint), "\(run.errorOutput)")
  }

  @Test func `what is quoted of a command line steers no terminal`() throws {
    let run = try SpoolProgram.run("status", "--limit", "\u{1b}]0;owned\u{7}\nerror: forged")
    #expect(run.code == 64)
    #expect(
      run.errorOutput == """
        error: --limit: '\\u{1B}]0;owned\\u{7}\\nerror: forged' is not a whole number from 1 to 10000
        see 'spool status --help'

        """)
  }

  @Test func `help lists the verbs, each of which has a page within 80 columns`() throws {
    let overview = try SpoolProgram.run("--help")
    #expect(overview.code == 0 && overview.errorOutput.isEmpty)
    let listing = try #require(overview.output.split(separator: "COMMANDS\n", maxSplits: 1).last)
    let verbs = listing.split(separator: "\n").compactMap { line in
      line.hasPrefix("  ") && !line.hasPrefix("   ") ? line.split(separator: " ").first.map(String.init) : nil
    }
    #expect(verbs.contains("keys") && verbs.contains("completions") && !verbs.contains("attempt"))
    for verb in verbs {
      let page = try SpoolProgram.run(verb, "--help")
      let same = try SpoolProgram.run("help", verb)
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
    let overview = try SpoolProgram.run("help")
    let listing = try #require(overview.output.split(separator: "COMMANDS\n", maxSplits: 1).last)
    let verbs = listing.split(separator: "\n").filter { !$0.hasPrefix("   ") }.compactMap { $0.split(separator: " ").first }
    #expect(verbs.count > 10)
    #expect(verbs.filter { !documented.contains("| `\($0) ") } == [])
  }

  @Test func `the version is a line of name and number`() throws {
    let run = try SpoolProgram.run("--version")
    #expect(run.code == 0)
    let match = run.output.wholeMatch(of: #/spool \d+\.\d+\.\d+\n/#)
    #expect(match != nil)
  }
}
