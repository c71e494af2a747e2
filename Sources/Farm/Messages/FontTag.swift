package import Formats

/// The tag of a font file, which a job needs and a worker has: `font=NAME:BYTES:DIGEST`.
///
/// The name is for people only. By the size a worker finds the files that may be the one, and reads only those.
package struct FontTag: Hashable, Sendable {
  package let tag: String
  package let byteCount: Int64
  /// The XXH3-128 of the file: 32 lower-case hexadecimal digits.
  package let digest: String

  private static let prefix = "font="
  /// The most bytes of the name. A job's tags are a key of an index in the database, whose keys may have about 2,700 bytes.
  private static let longestName = 32

  /// The most fonts that workers are asked for at once, and that a worker tells of. It is more than the edits of a farm use
  /// together.
  package static let mostAtOnce = 256

  package init(_ face: FontFace) {
    let letters = face.name.utf8.filter { letter in
      0x30...0x39 ~= letter || 0x41...0x5a ~= letter || 0x61...0x7a ~= letter || [0x20, 0x2d].contains(letter)
    }
    let name = String(decoding: letters.prefix(Self.longestName), as: UTF8.self).replacing(" ", with: "_")
    self.init(tag: "\(Self.prefix)\(name):\(face.byteCount):\(face.digest)", byteCount: face.byteCount, digest: face.digest)
  }

  /// The font tag in `tag`; nil for another kind of tag.
  package init?(_ tag: String) {
    guard Capabilities.isTag(tag), tag.hasPrefix(Self.prefix) else { return nil }
    let parts = tag.dropFirst(Self.prefix.utf8.count).split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let byteCount = Int64(parts[1]), byteCount > 0, FontFace.isDigest(parts[2]) else { return nil }
    self.init(tag: tag, byteCount: byteCount, digest: String(parts[2]))
  }

  private init(tag: String, byteCount: Int64, digest: String) {
    (self.tag, self.byteCount, self.digest) = (tag, byteCount, digest)
  }

  /// The tags of an edit's faces: one for each file, sorted.
  package static func tags(of faces: [FontFace]) -> [String] {
    var tags: [String: String] = [:]
    // Faces of one file may have different names.
    for face in faces where tags[face.digest] == nil { tags[face.digest] = FontTag(face).tag }
    return tags.values.sorted()
  }
}

/// The order of a process that looks for fonts, which it reads from its standard input as one line of JSON.
package struct FontOrder: Hashable, Sendable, Codable {
  /// The tags of the fonts to look for. The process writes those that it finds to its standard output, one on each line.
  package var wanted: [String]

  package init(wanted: [String]) { self.wanted = wanted }
}
