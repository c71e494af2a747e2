import FarmTesting
import Foundation
import Testing

/// The pages about the library, against its sources.
@Suite struct `The page of symbols` {
  private let page: [String: String]
  private let declared: Set<String>
  private let words: Set<String>

  init() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let sections = try ["avfoundation", "avfoundation-pictures"].flatMap { name in
      let text = try String(contentsOf: root.appendingPathComponent("docs/\(name).md"), encoding: .utf8)
      return text.components(separatedBy: "\n### ").dropFirst().map {
        $0.components(separatedBy: "\n## ")[0].split(separator: "\n", maxSplits: 1).map(String.init)
      }
    }
    page = Dictionary(sections.map { ($0[0], $0.count > 1 ? $0[1] : "") }, uniquingKeysWith: { $0 + "\n" + $1 })
    let folder = root.appendingPathComponent("Sources/Library")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    let sources = try files.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }.joined(
      separator: "\n")
    let form =
      /(?m)^(?:@available.* )?(?:public|open)(?: final)? (?:class|struct|enum|protocol|typealias|let|func) ([A-Za-z_0-9]+)/
    declared = Set(sources.matches(of: form).map { String($0.1) })
    words = Set(sources.matches(of: /[A-Za-z_0-9]+/).map { String($0.0) })
  }

  /// The first words of what stands in code marks in a section.
  private func symbols(_ section: String) throws -> Set<String> {
    let text = try #require(page[section])
    return Set(text.matches(of: /`([A-Za-z_][A-Za-z_0-9]*)/).map { String($0.1) })
  }

  @Test func `what it says is there is declared`() throws {
    let named = try symbols("What works").union(symbols("What is refused"))
    #expect(named.count > 100)
    #expect(named.subtracting(words).sorted() == [])
  }

  @Test func `what it says is absent is not declared`() throws {
    let absent = try symbols("What is absent")
    #expect(absent.count > 10)
    #expect(absent.intersection(declared).sorted() == [])
  }

  @Test func `every public name is in it`() throws {
    let named = try ["What works", "What works in part", "What is refused"].reduce(into: Set()) { $0.formUnion(try symbols($1)) }
    #expect(declared.count > 100)
    #expect(declared.subtracting(named).sorted() == [])
  }
}
