internal import CPango
package import Formats
package import Media

/// Examines a font file that a document states (FreeType). It reads bytes of strangers, so it belongs into a contained process.
package enum FontProbe {
  /// The facts of a file, or of what a URL names. Any thread.
  ///
  /// - Throws: `MediaError` when the policy refuses the source, it cannot be read, or is no font with outlines or pictures of
  ///   letters.
  package static func facts(of path: String, policy: SourcePolicy) throws(MediaError) -> AssetFacts {
    let file = try SourceContents(of: path, policy: policy, atMost: FontFacts.mostBytes)
    let count = try FontTables.faceCount(of: file.bytes, at: path, most: FontFacts.mostFaces)
    var library: FT_Library?
    guard unsafe FT_Init_FreeType(&library) == 0 else {
      throw MediaError(.outOfMemory, at: path, "there is not enough memory for it")
    }
    defer { unsafe FT_Done_FreeType(library) }
    let faces = unsafe file.bytes.withUnsafeBufferPointer { bytes in
      (0..<count).map { unsafe face($0, of: bytes, library) }
    }
    var names: [String] = []
    for (number, found) in faces.enumerated() {
      guard let found else {
        throw MediaError(.corrupt, at: path, "is a font that is damaged: its face \(number) cannot be read")
      }
      guard found.isDrawn else {
        throw MediaError(.unsupported, at: path, "has neither outlines nor pictures in colour: fonts of black dots are not drawn")
      }
      names.append(found.name)
    }
    return AssetFacts(
      font: FontFacts(digest: file.digest, faces: names), byteCount: Int64(file.bytes.count), version: file.version)
  }

  /// A face's name, and whether it can be drawn; nil for a face that cannot be read.
  private static func face(
    _ number: Int, of bytes: UnsafeBufferPointer<UInt8>, _ library: FT_Library?
  ) -> (name: String, isDrawn: Bool)? {
    var face: FT_Face?
    guard unsafe FT_New_Memory_Face(library, bytes.baseAddress, FT_Long(bytes.count), FT_Long(number), &face) == 0 else {
      return nil
    }
    defer { unsafe FT_Done_Face(face) }
    guard let pattern = unsafe FcFreeTypeQueryFace(face, "font", UInt32(number), nil) else { return nil }
    defer { unsafe FcPatternDestroy(pattern) }
    guard unsafe pattern.isDrawable else { return nil }
    let name = unsafe pattern.englishName.map(plain) ?? ""
    return unsafe (name.isEmpty ? "face \(number)" : name, pattern.bool(FC_OUTLINE) || pattern.bool(FC_COLOR))
  }

  /// The name as a document may have it: on one line, and not too long.
  private static func plain(_ name: String) -> String {
    var plain = String(String.UnicodeScalarView(name.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    while plain.utf8.count > FontFacts.longestName { plain.removeLast() }
    return plain
  }
}
