package import Timeline

/// The tag by which a job needs a font file, and a worker has it: `font=NAME:BYTES:DIGEST`.
///
/// The name is for people alone. The size tells a worker which of its files may be the one, so that only those are read.
package struct FontTag: Hashable, Sendable {
  package let tag: String
  package let byteCount: Int64
  /// XXH3-128, 32 lower-case hexadecimal digits.
  package let digest: String

  private static let prefix = "font="
  /// Bytes of the name: a job's tags are a key of an index, which holds some 2,700 bytes.
  private static let longestName = 32

  /// Fonts that unfinished jobs need and that workers are asked for at a time, and so those that a worker tells of. More than a farm's
  /// edits use together.
  package static let mostAtOnce = 256

  package init(_ face: FontFace) {
    let letters = face.name.utf8.filter { letter in
      0x30...0x39 ~= letter || 0x41...0x5a ~= letter || 0x61...0x7a ~= letter || [0x20, 0x2d].contains(letter)
    }
    let name = String(decoding: letters.prefix(Self.longestName), as: UTF8.self).replacing(" ", with: "_")
    self.init(tag: "\(Self.prefix)\(name):\(face.byteCount):\(face.digest)", byteCount: face.byteCount, digest: face.digest)
  }

  /// Nil for a tag that is not of a font.
  package init?(_ tag: String) {
    guard Capabilities.isTag(tag), tag.hasPrefix(Self.prefix) else { return nil }
    let parts = tag.dropFirst(Self.prefix.utf8.count).split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let byteCount = Int64(parts[1]), byteCount > 0, parts[2].utf8.count == 32 else { return nil }
    self.init(tag: tag, byteCount: byteCount, digest: String(parts[2]))
  }

  private init(tag: String, byteCount: Int64, digest: String) {
    (self.tag, self.byteCount, self.digest) = (tag, byteCount, digest)
  }

  /// Those of an edit's faces: one for each file, in the order of their names.
  package static func tags(of faces: [FontFace]) -> [String] {
    var tags: [String: String] = [:]
    // A file's faces may have several names.
    for face in faces where tags[face.digest] == nil { tags[face.digest] = FontTag(face).tag }
    return tags.values.sorted()
  }
}

/// What the process that looks for fonts is told, on its standard input, as one JSON line.
package struct FontOrder: Hashable, Sendable, Codable {
  /// Tags of font files. It writes those that it finds to its standard output, a line each.
  package var wanted: [String]

  package init(wanted: [String]) { self.wanted = wanted }
}
