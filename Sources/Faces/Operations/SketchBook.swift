internal import FoundationEssentials
internal import Glibc
internal import LocalFarm

/// The likenesses of the parts that this machine's farm rendered last, in a file of its data directory. What is wrong with the file makes parts be
/// given out in the order of the movie, and nothing else.
struct SketchBook {
  /// The most likenesses that are kept: those of the last hundred hours, in chunks of a few seconds.
  private static let most = 100_000
  /// The bytes of a line: 32 digits and a line feed.
  private static let lineLength = 33

  private let path: String
  /// The likenesses, the newest last.
  private var lines: [String]
  private let known: Set<String>

  init(in directory: DataDirectory) {
    path = directory.sketches
    var facts = stat()
    let isSmall = unsafe stat(path, &facts) == 0 && facts.st_size <= Self.most * Self.lineLength
    // A book that is not there, or cannot be read, is empty.
    lines = isSmall ? ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init) : []
    known = Set(lines)
  }

  /// Whether something like it was rendered before.
  func knows(_ sketch: String?) -> Bool { sketch.map(known.contains) ?? false }

  /// Writes down what was rendered.
  mutating func note(_ sketches: [String?]) {
    let new = sketches.compactMap(\.self)
    let fresh = Set(new)
    lines = (lines.filter { !fresh.contains($0) } + new).suffix(Self.most)
    let text = lines.joined(separator: "\n") + "\n"
    // A book that cannot be written makes parts be given out in the order of the movie, and nothing else.
    try? Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
  }
}
