internal import Formats
internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Media
internal import Messages
internal import Timeline

/// The contents of an edit's segments, in a file of the cache whose name is the digest of all that decides them: `_cache/keys/<digest>.json`
/// (decision 0261). An edit that did not change is asked for its keys again without a look at its frames.
///
/// Each attempt notes the content of its segment there before it reads a source. Every line stands for itself, and has a digest, so one that was
/// written by two at once, or half, is none. What fails costs time later, and nothing else.
struct KeyTable {
  /// The folder of all tables, in the cache's.
  private static let folder = "keys"
  /// The most files that stay: those of the last edits.
  static let mostFiles = 64
  /// The most bytes of a file. Nothing is added to one that has them. The chunks of an hour have a hundredth of it.
  private static let mostBytes = 16 << 20

  private struct Line: Codable {
    var part: String
    var content: String
    var assets: [String]
    /// The digest of the others.
    var digest: String

    init(_ part: String, _ content: SegmentContent) throws(MediaError) {
      (self.part, self.content, assets, digest) = (part, content.digest, content.assets.map(\.rawValue), "")
      digest = try digestOfOthers
    }

    var digestOfOthers: String {
      get throws(MediaError) {
        var digest = try KeyDigest("key 1")
        for text in [part, content] + assets { digest.add(text) }
        return digest.text
      }
    }
  }

  let path: String

  /// - Parameter cache: the path of the cache's folder.
  /// - Returns: nil where the table cannot be named: nobody is named who finds its segments again.
  init?(of spec: JobSpec, within scope: SegmentCache.Scope, in cache: String) {
    guard let submitter = scope.submitter(of: spec) else { return nil }
    do {
      // The program and the submitter are part of it.
      var digest = try KeyDigest("keys 2", submitter)
      digest.add(spec.document)
      try digest.add(value: spec.facts)
      try digest.add(value: spec.fonts)
      path = "\(cache)/\(Self.folder)/\(digest.text).json"
    } catch {
      // Whoever renders the edit tells why it cannot be read. Without a table its frames are looked at.
      return nil
    }
  }

  /// The name of what a work makes; nil for one that makes no segment.
  static func name(of work: Work) -> String? {
    switch work {
    case .picture(let frames): "\(frames.first)+\(frames.count)"
    case .sound: "sound"
    case .soundPart(let part): "sound \(part.first)+\(part.count)"
    case .mux, .publish: nil
    }
  }

  /// The contents that were noted, by the names of what makes them.
  func contents() -> [String: SegmentContent] {
    guard let bytes = SegmentCache.read(path, most: Self.mostBytes) else { return [:] }
    // The time of its last use decides how long it stays.
    _ = unsafe utimensat(AT_FDCWD, path, nil, 0)
    var contents: [String: SegmentContent] = [:]
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      // A line that was damaged is none.
      guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)), (try? line.digestOfOthers) == line.digest else {
        continue
      }
      contents[line.part] = SegmentContent(digest: line.content, assets: line.assets.map { AssetID($0) })
    }
    return contents
  }

  /// Notes contents.
  func add(_ contents: [(work: Work, content: SegmentContent)]) {
    var words: [UInt8] = []
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    for (work, content) in contents {
      // A content that cannot be written is made anew, as said above.
      guard let name = Self.name(of: work), let line = try? encoder.encode(Line(name, content)) else { continue }
      words += [UInt8(ascii: "\n")] + line + [UInt8(ascii: "\n")]
    }
    guard !words.isEmpty, FilePath.makeFolder(FilePath.folder(of: path), mode: 0o777) == nil else { return }
    let file = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o666)
    guard file >= 0 else { return }
    defer { close(file) }
    var facts = stat()
    guard unsafe fstat(file, &facts) == 0, Int(facts.st_size) + words.count <= Self.mostBytes else { return }
    // All in one call, so that the lines of two writers do not mix.
    _ = unsafe write(file, words, words.count)
    if facts.st_size == 0 { Self.prune(FilePath.folder(of: path)) }
  }

  /// Removes the tables that were used longest ago.
  private static func prune(_ folder: String) {
    let names = SegmentStore.namesIfAny(in: folder)
    guard names.count > mostFiles else { return }
    let aged = names.map { name in
      var facts = stat()
      let isThere = unsafe stat("\(folder)/\(name)", &facts) == 0
      return (name: name, time: isThere ? facts.st_mtim.tv_sec : 0)
    }
    for (name, _) in aged.sorted(by: { ($0.time, $0.name) < ($1.time, $1.name) }).prefix(names.count - mostFiles) {
      unsafe unlink("\(folder)/\(name)")
    }
  }
}
