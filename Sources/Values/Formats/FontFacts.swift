internal import MediaTime

/// The face of a font file that a document means by an asset.
package enum FontChoice: Hashable, Sendable, Codable {
  /// The only face of the file.
  case only
  /// The face with this number in the file, from 0.
  case number(Int)
  /// The face with this full name.
  case name(String)
}

/// The facts that probing found about a font file.
package struct FontFacts: Hashable, Sendable, Codable {
  /// The XXH3-128 digest of the file: 32 lower-case hexadecimal digits.
  package var digest: String
  /// The full names of the faces, in the order of the file.
  package var faces: [String]

  package init(digest: String, faces: [String]) { (self.digest, self.faces) = (digest, faces) }

  /// The most bytes of a font file. The largest fonts of all Han characters have about half as many.
  package static let mostBytes = 64 << 20
  /// The most bytes of all font files in which the texts of an edit are drawn. They are kept in memory.
  package static let mostBytesOfEdit: Int64 = 256 << 20
  /// The most faces of a file. Collections of all languages and weights have some dozens.
  package static let mostFaces = 256
  /// The most bytes of a face's name.
  package static let longestName = 256

  /// The number of the face that is meant; nil when the file has no such face, or more than the only one.
  package func face(_ choice: FontChoice) -> Int? {
    switch choice {
    case .only: faces.count == 1 ? 0 : nil
    case .number(let number): faces.indices.contains(number) ? number : nil
    case .name(let name): faces.firstIndex(of: name)
    }
  }
}

extension AssetFacts {
  /// The container's name for a font file.
  package static let font = "font"

  /// Makes the facts of a font file.
  ///
  /// - Parameter version: the server's name for this version of a URL's content; nil for a file.
  package init(font: FontFacts, byteCount: Int64, version: String?) {
    self.init(container: Self.font, duration: .zero, byteCount: byteCount, tracks: [], version: version)
    self.font = font
  }
}
