import FoundationEssentials
import Testing

/// The page that `scripts/symbols` makes, against the sources of the library.
@Suite struct `The page of symbols` {
  private let page: String
  /// What stands in code marks on the page, without labels: `AVAsset`, `load`.
  private let named: Set<Substring>
  private let sources: [SourceFile]

  init() throws {
    page = try SourceTree.text(of: "docs/avfoundation-symbols.md")
    let words = page.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    named = Set(words.flatMap { $0.split(separator: "(")[0].split(separator: ".") })
    sources = try SourceTree.swiftFiles(below: "Sources/Library").filter { !$0.path.contains("/SpoolCalls/") }
  }

  /// The name that a line at the left margin declares in public; nil for other lines.
  private func declaration(_ line: Substring) -> Substring? {
    guard line.hasPrefix("public ") || line.hasPrefix("open ") || line.hasPrefix("@") else { return nil }
    let kinds = /(?:final )?(?:class|struct|enum|protocol|typealias|let|var|func) ([A-Za-z0-9][A-Za-z_0-9]*)/
    let access = /\b(?:public|open)\s/
    return line.firstMatch(of: access).flatMap { line[$0.range.upperBound...].prefixMatch(of: kinds)?.1 }
  }

  @Test func `every public name of the library is on it`() {
    let declared = Set(sources.flatMap { $0.lines.compactMap(declaration) })
    #expect(declared.count > 1000)
    #expect(declared.subtracting(named).sorted() == [])
  }

  @Test func `every difference that the code tells is on it`() {
    let marks = sources.flatMap(\.lines).compactMap { line -> String? in
      let text = line.drop { $0 == " " }
      let form = /\/\/\/? (?:- |All )?([Pp]artly|[Rr]efused): (.*)/
      // A regular expression for every comment would take seconds.
      let isMark = ["/// - ", "// All ", "// Partly", "// Refused"].contains { text.hasPrefix($0) }
      guard isMark, let match = text.wholeMatch(of: form) else { return nil }
      // Names of pages become links.
      let words = match.2.split(separator: "docs/")[0].drop { $0 == "(" }
      return match.1.lowercased() + ": " + words.trimmingSuffix { " (.:".contains($0) }
    }
    #expect(marks.count > 100)
    #expect(marks.filter { !page.contains($0) && $0.count > 20 } == [])
  }

  @Test func `what is absent is not declared, and is on it`() throws {
    let declared = Set(sources.flatMap { $0.lines.compactMap(declaration) })
    let absent = try SourceTree.text(of: "Sources/Library/absent.txt").split(separator: "\n").filter { !$0.hasPrefix("#") }
      .compactMap { $0.split(separator: " ").last }
    #expect(absent.count > 100)
    #expect(absent.filter(declared.contains) == [])
    #expect(absent.filter { !named.contains($0) } == [])
  }
}

extension Substring {
  /// The text without the characters at its end that are meant.
  fileprivate func trimmingSuffix(while isMeant: (Character) -> Bool) -> Substring {
    var rest = self
    while let last = rest.last, isMeant(last) { rest.removeLast() }
    return rest
  }
}
