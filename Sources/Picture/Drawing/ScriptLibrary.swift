internal import CAss
internal import Media

/// libass, with the faces of a script under the names that the script has for them, and no other font: neither the machine's settings
/// nor its other fonts count. Not for use by two threads at the same time.
// @safe: the library is owned, set once and released once.
@safe final class ScriptLibrary {
  let library: OpaquePointer

  /// A face in a file, and the family that it is for the script.
  struct Font: Hashable {
    let family: String
    let path: String
    let face: Int
  }

  /// - Throws: `DrawingError` when a file cannot be read.
  init(_ fonts: [Font]) throws(DrawingError) {
    guard let library = unsafe ass_library_init() else { throw .outOfMemory(call: "ass_library_init") }
    unsafe self.library = library
    unsafe spool_ass_be_silent(library)
    for (number, font) in fonts.enumerated() {
      let file = try Self.bytes(of: font)
      guard let named = NamedFont.bytes(file, face: font.face, family: font.family) else {
        throw .fontUnreadable(font.path, "is no font that can be read")
      }
      // libass copies the bytes.
      unsafe named.withUnsafeBytes { bytes in
        unsafe ass_add_font(
          library, "font \(number)", bytes.bindMemory(to: CChar.self).baseAddress, Int32(clamping: bytes.count))
      }
    }
  }

  deinit { unsafe ass_library_done(library) }

  private static func bytes(of font: Font) throws(DrawingError) -> [UInt8] {
    do { return try FontFiles.bytes(of: font.path) } catch { throw .fontUnreadable(font.path, error.reason) }
  }
}
