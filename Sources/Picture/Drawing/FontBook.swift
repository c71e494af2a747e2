package import Formats
internal import PlainText
package import Timeline

/// The fonts of an edit's texts: the very files that its job names, or those that are installed here.
///
/// The machine's fonts are listed when the first text needs them. Not for use by two threads at the same time.
package final class FontBook {
  /// The faces that the job names; nil for the installed fonts with the texts' names.
  private let named: [FontFace]?
  private let files = FontFiles()
  private var installed: InstalledFonts?
  private var fonts: [Wish: TextFonts] = [:]

  /// The fonts that a text asks for.
  private struct Wish: Hashable {
    let families: [String]
    let weight: Int
  }

  /// - Parameters:
  ///   - faces: the result of `faces(of:)` where the edit was submitted; nil for the installed fonts, by their names.
  ///   - installed: the fonts among which files are looked for; nil for this machine's.
  package init(_ faces: [FontFace]? = nil, in installed: InstalledFonts? = nil) { (named, self.installed) = (faces, installed) }

  /// All faces that the texts are drawn in, each with the digest of its file.
  ///
  /// - Throws: `DrawingError` when a font is not installed, or when there are more faces than a job may name.
  package func faces(of texts: some Sequence<TextContent>) throws(DrawingError) -> [FontFace] {
    var faces: [FontFace] = []
    for text in texts {
      for family in text.fonts where !faces.contains(where: { $0.family == family && $0.weight == text.weight }) {
        let found = try face(family, text.weight)
        let (identity, hash) = try files.digest(of: found.path)
        faces.append(
          FontFace(
            family: family, weight: text.weight, name: found.name, index: found.index, byteCount: identity.byteCount, digest: hash
          ))
        guard faces.count <= FontFace.mostOfEdit else { throw .tooManyFonts(limit: FontFace.mostOfEdit) }
      }
    }
    return faces
  }

  /// - Throws: `DrawingError` when a font is missing.
  func fonts(for text: TextContent) throws(DrawingError) -> TextFonts {
    let wish = Wish(families: text.fonts, weight: text.weight)
    if let known = fonts[wish] {
      // Libraries have mapped the file into memory. They must not read it after it was overwritten.
      try known.requireUnchanged()
      return known
    }
    var located: [TextFonts.Located] = []
    for family in text.fonts { located.append(try locate(family, text.weight)) }
    let made = try TextFonts(families: text.fonts, located)
    fonts[wish] = made
    return made
  }

  /// The first installed families that have all of these characters.
  func families(having characters: [Character]) -> [String] {
    // When the fonts cannot be listed, none are suggested.
    (try? fontsOfMachine())?.families(having: characters.flatMap(\.unicodeScalars)) ?? []
  }

  private func locate(_ family: String, _ weight: Int) throws(DrawingError) -> TextFonts.Located {
    guard let named else {
      let face = try face(family, weight)
      guard let identity = FontFiles.identity(of: face.path) else { throw .fontUnreadable(face.path, "is gone") }
      return TextFonts.Located(path: face.path, index: face.index, identity: identity)
    }
    guard let face = named.first(where: { $0.family == family && $0.weight == weight }) else { throw .fontNotNamed(family) }
    let paths = try fontsOfMachine().paths
    guard let path = files.path(among: paths, byteCount: face.byteCount, digest: face.digest) else { throw .fontElsewhere(face) }
    return TextFonts.Located(path: path, index: face.index, identity: try files.digest(of: path).identity)
  }

  private func face(_ family: String, _ weight: Int) throws(DrawingError) -> InstalledFonts.Face {
    let fonts = try fontsOfMachine()
    // A comma would end the name in Pango.
    guard !family.contains(","), let face = fonts.face(family: family, weight: weight) else {
      throw .fontNotInstalled(family, near: Spelling.nearest(to: family, among: fonts.families))
    }
    return face
  }

  private func fontsOfMachine() throws(DrawingError) -> InstalledFonts {
    if let installed { return installed }
    let loaded = try InstalledFonts()
    installed = loaded
    return loaded
  }
}
