/// A face of a font file in which texts of an edit are drawn. The file is named by its content.
///
/// On another machine the same family may be another file, which draws other pixels. A renderer uses this file or none.
package struct FontFace: Hashable, Sendable, Codable {
  /// The family and the weight (100...1000) that texts ask for.
  package var family: String
  package var weight: Int
  /// The rest that texts ask for, such as "italic" or "75%"; nil for an upright face of usual width.
  package var variant: String?
  /// The face's own name, for people: printable ASCII.
  package var name: String
  /// The index of the face in its file, as fontconfig counts them.
  package var index: Int
  package var byteCount: Int64
  /// The XXH3-128 digest of the file: 32 lower-case hexadecimal digits.
  package var digest: String

  package init(
    family: String, weight: Int, variant: String? = nil, name: String, index: Int, byteCount: Int64, digest: String
  ) {
    (self.family, self.weight, self.variant, self.name, self.index) = (family, weight, variant, name, index)
    (self.byteCount, self.digest) = (byteCount, digest)
  }

  /// The most faces of one edit. They go with every order, and a worker must have the file of each.
  package static let mostOfEdit = 24

  /// Whether `text` has the form of a font file's digest.
  package static func isDigest(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
  }
}

extension FontFace {
  /// - Throws: `DecodingError`, also for a digest that is none.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      family: try container.decode(String.self, forKey: .family), weight: try container.decode(Int.self, forKey: .weight),
      variant: try container.decodeIfPresent(String.self, forKey: .variant),
      name: try container.decode(String.self, forKey: .name), index: try container.decode(Int.self, forKey: .index),
      byteCount: try container.decode(Int64.self, forKey: .byteCount), digest: try container.decode(String.self, forKey: .digest))
    guard Self.isDigest(digest) else {
      throw DecodingError.dataCorruptedError(forKey: .digest, in: container, debugDescription: "not the digest of a file")
    }
  }
}
