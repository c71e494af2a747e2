internal import EditTesting
internal import Linux
internal import Media

/// Looks for segments that would be found again although they are others: documents, media, fonts and settings are changed by seed, and
/// what has the key of something else must be the same. `scripts/check-keys` runs its long form, and a test a short one.
///
/// Of most documents the values are compared: frames with one key must have one scene. Each fortieth is drawn, from media that
/// really lie there: frames with one key must have one digest, and of some the segments are encoded, which must have the same bytes.
/// The seeds alone decide what is tried, whatever the number of threads.
package struct KeyCheck: Sendable {
  /// The seeds of a run. A run compares its documents with each other and with those that they were made from.
  private static let length: UInt64 = 10_000

  private let values: ValueDocuments
  private let pictures: PictureDocuments

  /// - Parameter folder: a folder in which media are made. It must stay until the check has ended.
  package init(in folder: String) throws {
    values = try ValueDocuments()
    pictures = try PictureDocuments(in: folder)
  }

  /// Tries the documents of `count` seeds from `first` on.
  package func report(first: UInt64, count: UInt64, threads: Int) throws -> KeyReport {
    let starts = Array(stride(from: first, to: first + count, by: UInt64.Stride(Self.length)))
    let reports = try concurrently(starts[...], threads: threads) { start in
      try report(of: start..<min(start + Self.length, first + count))
    }
    return try KeyReport(of: reports)
  }

  private func report(of seeds: Range<UInt64>) throws -> KeyReport {
    var (values, pictures) = (ValueRun(self.values), PictureRun(self.pictures))
    for seed in seeds {
      if seed % 40 == 0 { try pictures.tryDocument(seed) } else { try values.tryDocument(seed) }
    }
    return try KeyReport(of: [values.report, pictures.report])
  }
}

/// The numbers of a check, and what it found.
package struct KeyReport: Sendable {
  /// The documents that were made, most of which are refused, and those that were edits.
  package internal(set) var (documents, edits) = (0, 0)
  /// The scenes that were compared with what was kept of the scene before.
  package internal(set) var kept = 0
  /// The frames whose scenes were compared, those that were drawn, and those of them that had the key of another document's frame.
  package internal(set) var (scenes, drawn, sameKeys) = (0, 0, 0)
  /// The pairs of segments with one key that were encoded.
  package internal(set) var encoded = 0
  /// The first of what was found wrong, a line each.
  package private(set) var faults: [String] = []
  /// The digest of all keys in their order.
  package private(set) var digest = ""
  /// The keys of a run; empty once they are part of the digest.
  private var keys: [String] = []

  init() {}

  init(of reports: [KeyReport]) throws {
    let hasher = try ContentHasher()
    for report in reports {
      documents += report.documents
      edits += report.edits
      scenes += report.scenes
      kept += report.kept
      drawn += report.drawn
      sameKeys += report.sameKeys
      encoded += report.encoded
      faults = Array((faults + report.faults).prefix(20))
      let text = Array((report.keys + [report.digest]).joined(separator: "\n").utf8)
      unsafe text.withUnsafeBytes { unsafe hasher.update($0) }
    }
    digest = "\(hasher.digest)"
  }

  mutating func note(_ key: String) { keys.append(key) }

  mutating func fault(_ words: String) { faults.append(words) }
}

extension KeyReport: CustomStringConvertible {
  package var description: String {
    """
    \(documents) documents, \(edits) edits, \(scenes) scenes compared, \(kept) made after others, \(drawn) frames drawn, \(sameKeys) of them with a key that was there, \
    \(encoded) pairs of segments encoded, digest \(digest)
    """
  }
}
