import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

/// The command lines in README.md, docs and deploy are compared with the program.
@Suite struct `The documentation` {
  private let verbs: Verbs

  init() throws { verbs = try Verbs.ofProgram.get() }

  static let pages =
    ["README.md", "SECURITY.md"] + Shipped.files(below: "docs", [".md"]) + Shipped.files(below: "deploy", [".md"])
  static let manifests = Shipped.files(below: "deploy", [".yaml", ".service", ".env"])

  @Test(arguments: pages) func `a page prints no verb and no option that the program has not`(page: String) throws {
    let faults = try Shipped.joined(try Shipped.text(page)).flatMap { try verbs.faults(in: $0) }
    #expect(faults == [])
  }

  @Test(arguments: pages) func `what a page calls an option by itself is one of some verb`(page: String) throws {
    let all = Set(try verbs.names.flatMap { try verbs.options(of: $0) })
    let named = try Shipped.text(page).matches(of: /`(--[a-z][a-z0-9-]*)(?:[ =][^`]*)?`/).map { String($0.1) }
    #expect(named.filter { !all.contains($0) && !Self.others.contains($0) } == [])
  }

  /// Options that no help page shows: those for the program's own use, and one of the program with planted faults.
  private static let others: Set = ["--control-group", "--leash", "--limits", "--media-line", "--order", "--parent", "--plant"]

  @Test(arguments: manifests) func `a manifest or unit gives no option that its verb has not`(file: String) throws {
    var faults: [String] = []
    var verb: String?
    if file.hasSuffix(".env") { verb = file.hasSuffix("worker.env") ? "worker" : "coordinator" }
    for word in try Shipped.text(file).split(whereSeparator: { " \n,[]\"".contains($0) }).map(String.init) {
      if word.hasSuffix(":") { verb = nil }
      if verbs.names.contains(word) { verb = word }
      guard let verb, let option = word.firstMatch(of: /(?:^|=)(--[a-z][a-z0-9-]*)/).map({ String($0.1) }) else { continue }
      if try !verbs.options(of: verb).contains(option) { faults.append("\(verb) \(option)") }
    }
    #expect(faults == [])
  }

  @Test func `each verb that prints JSON is in the page for scripts, with its keys`() throws {
    let page = try Shipped.text("docs/cli.md")
    let section = try #require(page.split(separator: "## For scripts\n", maxSplits: 1).last)
    let sentence = String(section.prefix(upTo: try #require(section.firstRange(of: "take `--json`")).lowerBound))
    let listed = Set(sentence.matches(of: /`([a-z-]+)`/).map { String($0.1) })
    let printing = try verbs.names.filter { try verbs.options(of: $0).contains("--json") }
    #expect(listed == printing)
    #expect(printing.filter { !section.contains("\n| `\($0)` | ") } == [])
  }

  @Test func `its reader finds a verb and an option that there are not, and lets others be`() throws {
    #expect(try verbs.faults(in: "`spool status`, `spool guard`") == ["spool guard"])
    #expect(try verbs.faults(in: "`spool status`, `guard` and `why` work with it") == ["spool guard"])
    #expect(try verbs.faults(in: "    spool submit e.json -o m.mp4 --fast | wc --lines") == ["spool submit --fast"])
    #expect(try verbs.faults(in: "`coordinator --no-speculation`, `worker --slow`") == ["spool worker --slow"])
    #expect(try verbs.faults(in: "    runuser -u spool -- spool submit --require gpu; ls --all") == [])
    #expect(try verbs.faults(in: "    A=b:///spool kubectl -n spool exec deploy/coordinator -- spool cancle") == ["spool cancle"])
  }

  @Test func `databases on other machines are reached by who they are known to be`() throws {
    let files = Self.pages + Self.manifests + Shipped.files(below: "Sources/Faces/SpoolProgram", [".swift"])
    let remote = try files.flatMap { file in
      try Shipped.text(file).matches(of: /postgresql:\/\/[^\s'"`]*\.example[^\s'"`]*/).map { "\(file): \($0.0)" }
    }
    #expect(remote.count > 4)
    #expect(remote.filter { !$0.contains("sslmode=verify-full") } == [])
  }
}

/// The verbs of the program, with the hidden ones, and their options from their help pages.
private struct Verbs {
  /// The pages are read once for all tests, because there are many.
  static let ofProgram = Result { try Verbs() }

  let names: Set<String>
  private let pages: [String: Set<String>]

  init() throws {
    let overview = try SpoolProgram.run("help")
    let listing = try #require(overview.output.split(separator: "COMMANDS\n", maxSplits: 1).last)
    let listed = listing.split(separator: "\n").filter { !$0.hasPrefix("   ") }.compactMap { $0.split(separator: " ").first }
    var pages: [String: Set<String>] = [:]
    for verb in listed.map(String.init) + ["attempt", "courier", "examine", "join", "recall", "seek", "sweep"] {
      let page = try SpoolProgram.run("help", verb).output
      pages[verb] = Set(page.matches(of: /--[a-z][a-z0-9-]*/).map { String($0.0) })
    }
    pages["help"] = []
    (names, self.pages) = (Set(pages.keys), pages)
  }

  func options(of verb: String) throws -> Set<String> { try #require(pages[verb]) }

  /// The commands in a line that the program would not understand. In code they are `spool VERB …`; in backquotes also `VERB
  /// --option …`.
  func faults(in line: String) throws -> [String] {
    let isCode = line.hasPrefix("    ") || line.contains("ExecStart=")
    let snippets =
      isCode
      ? [line]
      : line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    // A list may go on without the program's name: `spool pause`, `resume` and `retry`.
    let listed = line.matches(of: /`spool [a-z]+`((?:,? (?:and |or )?`[a-z]+`)+)/).flatMap { list in
      String(list.1).matches(of: /[a-z]+(?=`)/).map { String($0.0) }.filter { !names.contains($0) }.map { "spool \($0)" }
    }
    return try listed
      + snippets.flatMap { snippet -> [String] in
        let parts = snippet.split(whereSeparator: { "|;&#>)".contains($0) })
        return try parts.flatMap { part -> [String] in
          guard let (verb, rest) = command(in: part) else { return [] }
          guard names.contains(verb) else { return ["spool \(verb)"] }
          let known = try options(of: verb)
          return rest.matches(of: /(?:^|[\s\[(])(--[a-z][a-z0-9-]*)/).map { String($0.1) }.filter { !known.contains($0) }
            .map { "spool \(verb) \($0)" }
        }
      }
  }

  private func command(in part: Substring) -> (verb: String, rest: Substring)? {
    // In `kubectl -n spool get`, the word is a namespace.
    let named = part.matches(of: /(?:^|[\s"]|\/bin\/)spool ([a-z]+)\b/).first { !part[..<$0.range.lowerBound].hasSuffix("-n") }
    if let match = named {
      return (String(match.1), part[match.range.upperBound...])
    }
    guard let match = part.prefixMatch(of: /([a-z]+) (?=-)/), names.contains(String(match.1)) else { return nil }
    return (String(match.1), part[match.range.upperBound...])
  }
}

/// The files that are shipped with the program.
private enum Shipped {
  static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func files(below folder: String, _ endings: [String]) -> [String] {
    // When the folder is missing, there is nothing to test, and the count that a test expects is wrong.
    let paths = (try? FileManager.default.subpathsOfDirectory(atPath: top.appending(path: folder).path)) ?? []
    return paths.filter { path in endings.contains { path.hasSuffix($0) } }.sorted().map { "\(folder)/\($0)" }
  }

  static func text(_ path: String) throws -> String { try String(contentsOf: top.appending(path: path), encoding: .utf8) }

  /// The lines of a text. A line that ends with a backslash is joined with the next one.
  static func joined(_ text: String) -> [String] {
    text.replacing(/\\\n\s*/, with: " ").split(separator: "\n").map(String.init)
  }
}
