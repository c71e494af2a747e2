package import Captions
package import Formats
internal import PlainText
package import Timeline

/// The fonts of an edit's texts: those that its document states, and of all others the very files that its job names, or those
/// that are installed here.
///
/// The machine's fonts are listed when the first text needs them. Not for use by two threads at the same time.
package final class FontBook {
  /// The faces that the job names; nil for the installed fonts with the texts' names.
  private let named: [FontFace]?
  private let document: DocumentFonts?
  private let files = FontFiles()
  private var installed: InstalledFonts?
  private var fonts: [[Typeface]: TextFonts] = [:]
  /// libass with the faces of the scripts that were drawn.
  var scriptLibraries: [[CaptionScript.Face]: ScriptLibrary] = [:]

  /// - Parameters:
  ///   - faces: the result of `faces(of:)` where the edit was submitted; nil for the installed fonts, by their names.
  ///   - installed: the fonts among which files are looked for; nil for this machine's.
  ///   - document: the fonts that the document states; nil where it states none.
  package init(_ faces: [FontFace]? = nil, in installed: InstalledFonts? = nil, of document: DocumentFonts? = nil) {
    (named, self.installed, self.document) = (faces, installed, document)
  }

  /// All faces that the texts are drawn in, each with the digest of its file.
  ///
  /// - Parameter scripts: the faces of scripts of captions.
  /// - Throws: `DrawingError` when a font is neither of the document nor installed, or when there are more faces than a job may
  ///   name.
  package func faces(
    of texts: some Sequence<TextContent>, scripts: [CaptionScript.Face] = []
  ) throws(DrawingError) -> [FontFace] {
    var faces: [FontFace] = []
    for wish in texts.flatMap(\.typefaces) + scripts.map(\.typeface) {
      for family in wish.families where !faces.contains(where: { $0.fits(family, wish) }) {
        let found = try face(family, wish)
        let (identity, hash) = try files.digest(of: found.path)
        faces.append(
          FontFace(
            family: family, weight: wish.weight, variant: wish.variant, name: found.name, index: found.index,
            byteCount: identity.byteCount, digest: hash))
        guard faces.count <= FontFace.mostOfEdit else { throw .tooManyFonts(limit: FontFace.mostOfEdit) }
      }
    }
    return faces
  }

  /// - Throws: `DrawingError` when a font is missing.
  func fonts(for text: TextContent) throws(DrawingError) -> TextFonts {
    let wishes = text.typefaces
    if let known = fonts[wishes] {
      // Libraries have mapped the file into memory. They must not read it after it was overwritten.
      try known.requireUnchanged()
      return known
    }
    var located: [(Typeface, [TextFonts.Located])] = []
    for wish in wishes {
      var faces: [TextFonts.Located] = []
      for family in wish.families { faces.append(try locate(family, wish)) }
      located.append((wish, faces))
    }
    let made = try TextFonts(located)
    fonts[wishes] = made
    return made
  }

  /// The first installed families that have all of these characters.
  func families(having characters: [Character]) -> [String] {
    // When the fonts cannot be listed, none are suggested.
    (try? fontsOfMachine())?.families(having: characters.flatMap(\.unicodeScalars)) ?? []
  }

  func locate(_ family: String, _ wish: Typeface) throws(DrawingError) -> TextFonts.Located {
    guard let named else {
      let face = try face(family, wish)
      guard let identity = FontFiles.identity(of: face.path) else { throw .fontUnreadable(face.path, "is gone") }
      return TextFonts.Located(path: face.path, index: face.index, identity: identity)
    }
    guard let face = named.first(where: { $0.fits(family, wish) }) else { throw .fontNotNamed(family) }
    if let font = try document?.font(family) {
      guard let identity = FontFiles.identity(of: font.path) else { throw .fontUnreadable(font.path, "is gone") }
      return TextFonts.Located(path: font.path, index: face.index, identity: identity)
    }
    let paths = try fontsOfMachine().paths
    guard let path = files.path(among: paths, byteCount: face.byteCount, digest: face.digest) else { throw .fontElsewhere(face) }
    return TextFonts.Located(path: path, index: face.index, identity: try files.digest(of: path).identity)
  }

  private func face(_ family: String, _ wish: Typeface) throws(DrawingError) -> InstalledFonts.Face {
    let face =
      if let own = try document?.font(family)?.faces { own.face(family: nil, wish) } else { try installedFace(family, wish) }
    guard let face else { throw .fontNotNamed(family) }
    guard wish.axes.isEmpty || face.isVariable else { throw .notVariable(font: family) }
    return face
  }

  private func installedFace(_ family: String, _ wish: Typeface) throws(DrawingError) -> InstalledFonts.Face {
    let fonts = try fontsOfMachine()
    // A comma would end the name in Pango.
    if !family.contains(","), let face = fonts.face(family: family, wish) { return face }
    if let document, document.media.contains(family) { throw .fontIsMedium(family) }
    throw .fontNotInstalled(family, near: Spelling.nearest(to: family, among: (document?.names.sorted() ?? []) + fonts.families))
  }

  private func fontsOfMachine() throws(DrawingError) -> InstalledFonts {
    if let installed { return installed }
    let loaded = try InstalledFonts()
    installed = loaded
    return loaded
  }
}

extension FontFace {
  /// Whether this is the face of a family for a wish.
  fileprivate func fits(_ family: String, _ wish: Typeface) -> Bool {
    self.family == family && weight == wish.weight && variant == wish.variant
  }
}

extension TextContent {
  /// The typefaces of the runs, each once.
  fileprivate var typefaces: [Typeface] {
    var known: Set<Typeface> = []
    return spans.map(\.typeface).filter { known.insert($0).inserted }
  }
}
