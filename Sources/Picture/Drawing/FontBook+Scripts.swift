package import Captions
internal import Formats
internal import Media
internal import Timeline

/// The fonts of scripts that libass draws.
extension FontBook {
  /// Checks that a face is there, and that it has the letters that are drawn in it.
  ///
  /// - Throws: `DrawingError` when a font or a letter is missing.
  package func requireLetters(_ letters: CaptionScript.Letters) throws(DrawingError) {
    let located = try locate(letters.face.family, letters.face.typeface)
    let font = try InstalledFonts(file: located.path, face: located.index & 0xffff)
    let missing = font.lacks(letters.characters.filter(\.isDrawn)).sorted()
    guard !missing.isEmpty else { return }
    let characters = missing.prefix(8).map(Character.init)
    throw .missingGlyphs(fonts: [letters.face.family], characters: characters, families: families(having: characters))
  }

  /// libass with the faces of a script, and no other.
  ///
  /// - Throws: `DrawingError` when a font is missing.
  func scriptLibrary(_ faces: [CaptionScript.Face]) throws(DrawingError) -> ScriptLibrary {
    if let known = scriptLibraries[faces] { return known }
    var fonts: [ScriptLibrary.Font] = []
    for face in faces {
      let located = try locate(face.family, face.typeface)
      let font = ScriptLibrary.Font(family: face.family, path: located.path, face: located.index & 0xffff)
      guard !fonts.contains(font) else { continue }
      fonts.append(font)
    }
    let made = try ScriptLibrary(fonts)
    // Scripts of a frame are few. Those of other edits are not drawn by this book.
    scriptLibraries[faces] = made
    return made
  }
}

extension CaptionScript.Face {
  /// The face as texts ask for it.
  var typeface: Typeface { Typeface(families: [family], weight: max(weight, 100), slant: isItalic ? .italic : .normal) }
}

extension Unicode.Scalar {
  /// Whether a font must have the character: not where it is seen as a space, or says how others stand.
  fileprivate var isDrawn: Bool {
    switch properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned: false
    default: !properties.isDefaultIgnorableCodePoint
    }
  }
}
