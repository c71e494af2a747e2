/// A face of a font file that texts of an edit are drawn in, named by the file's content.
///
/// The same family may be another file on another machine, and draw other pixels: whoever renders uses this file or none.
package struct FontFace: Hashable, Sendable, Codable {
  /// The family and the weight that texts ask for.
  package var family: String
  package var weight: Int
  /// What the face calls itself, for people: printable ASCII.
  package var name: String
  /// Which of the file's faces it is, as fontconfig counts them.
  package var index: Int
  package var byteCount: Int64
  /// XXH3-128 of the file, 32 lower-case hexadecimal digits.
  package var digest: String

  package init(family: String, weight: Int, name: String, index: Int, byteCount: Int64, digest: String) {
    (self.family, self.weight, self.name, self.index) = (family, weight, name, index)
    (self.byteCount, self.digest) = (byteCount, digest)
  }

  /// Of all faces of an edit: each goes with every order, and its file is what a worker must have.
  package static let mostOfEdit = 24
}
