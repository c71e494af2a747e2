import FoundationEssentials
import Glibc

/// A Swift source file of this package, as text.
struct SourceFile {
  /// The file's path relative to the package, such as "Sources/Media/Media/AssetProbe.swift".
  let path: String
  let lines: [Substring]
  private let text: String

  init(path: String, text: String) {
    self.path = path
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The target of the file. Its folder stands below a room of Sources, or of Tests; that of a test target stands in Tests itself.
  var target: String {
    let parts = path.split(separator: "/").map(String.init)
    return parts[0] == "Tests" && parts[1].hasSuffix("Tests") ? parts[1] : parts[2]
  }

  /// The imports of the file, with their access levels ("" where none is written).
  var imports: [(module: String, access: String)] {
    lines.compactMap { line in
      // Few lines begin so. A regular expression for every line would take seconds.
      guard let first = line.utf8.first, "@ip".utf8.contains(first),
        let match = line.wholeMatch(
          of: /(?:@[A-Za-z]+ )*(?:(package|public|internal|private) )?import ([A-Za-z0-9_]+)\s*(?:\/\/.*)?/)
      else {
        return nil
      }
      return (String(match.2), match.1.map(String.init) ?? "")
    }
  }

  /// Whether any of the words is in the file. Most files have none, so their lines need no closer look, which would take seconds
  /// for all files.
  func mentions(_ words: some Sequence<String>) -> Bool {
    words.contains { unsafe strstr(text, $0) != nil }
  }

  /// The lines that match, as "path:line".
  func places(where isFault: (Substring) -> Bool) -> [String] {
    lines.enumerated().filter { isFault($0.element) }.map { "\(path):\($0.offset + 1)" }
  }
}

/// The package that these tests belong to.
enum SourceTree {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Every Swift file below `folder` ("Sources" or "Tests"), sorted by path.
  static func swiftFiles(below folder: String) throws -> [SourceFile] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      // The steps of a tutorial are pictures of files, and compile nowhere here.
      .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }.sorted()
      .map { SourceFile(path: folder + "/" + $0, text: try text(of: folder + "/" + $0)) }
  }
}
