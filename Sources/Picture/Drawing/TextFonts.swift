internal import CPango

/// The faces that a text is drawn with. No other font is used.
///
/// Fontconfig is set up here with these faces and the settings below alone. The machine's own settings, for example for
/// substitutes, hinting and smoothing, do not count. Not for use by two threads at the same time.
// @safe: the map is owned, set once and released once.
@safe final class TextFonts {
  /// Pango's font map.
  let map: UnsafeMutablePointer<PangoFontMap>
  /// The families in order of preference.
  let families: [String]
  private let files: [(path: String, identity: FontFiles.Identity)]

  /// A face and the identity of the file in which it was found.
  struct Located {
    var path: String
    var index: Int
    var identity: FontFiles.Identity
  }

  /// - Parameter faces: the faces of the families, in their order.
  init(families: [String], _ faces: [Located]) throws(DrawingError) {
    guard let config = unsafe FcConfigCreate() else { throw .outOfMemory(call: "FcConfigCreate") }
    // The map holds another reference.
    defer { unsafe FcConfigDestroy(config) }
    guard unsafe FcConfigParseAndLoadFromMemory(config, Self.settings, 0) != 0 else {
      throw .outOfMemory(call: "FcConfigParseAndLoadFromMemory")
    }
    var files: [(path: String, identity: FontFiles.Identity)] = []
    for face in faces where !files.contains(where: { $0.path == face.path }) {
      let isAdded = unsafe face.path.withCString(encodedAs: UTF8.self) { unsafe FcConfigAppFontAddFile(config, $0) != 0 }
      guard isAdded else { throw .fontUnreadable(face.path, "is no font that can be read") }
      files.append((face.path, face.identity))
    }
    unsafe Self.keep(faces, of: config)
    guard let map = unsafe pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT) else {
      throw .outOfMemory(call: "pango_cairo_font_map_new_for_font_type")
    }
    unsafe pango_fc_font_map_set_config(OpaquePointer(map), config)
    unsafe self.map = map
    (self.families, self.files) = (families, files)
  }

  deinit { unsafe g_object_unref(UnsafeMutableRawPointer(map)) }

  /// - Throws: `DrawingError.fontUnreadable` when a file has changed since it was found.
  func requireUnchanged() throws(DrawingError) {
    for file in files where FontFiles.identity(of: file.path) != file.identity {
      throw .fontUnreadable(file.path, "changed while it was used")
    }
  }

  /// Removes faces that nobody asked for. A file may have several, such as another weight.
  private static func keep(_ faces: [Located], of config: OpaquePointer) {
    guard let set = unsafe FcConfigGetFonts(config, FcSetApplication) else { return }
    var kept: Int32 = 0
    for number in unsafe 0..<Int(set.pointee.nfont) {
      guard let pattern = unsafe set.pointee.fonts[number] else { continue }
      if faces.contains(where: { unsafe $0.path == pattern.path && $0.index == pattern.index }) {
        unsafe set.pointee.fonts[Int(kept)] = pattern
        kept += 1
      } else {
        unsafe FcPatternDestroy(pattern)
      }
    }
    unsafe set.pointee.nfont = kept
  }

  /// A face that is not bold is emboldened where the text is bold (as fontconfig's own 90-synthetic.conf does). Only outlines are
  /// drawn, so hinting and smoothing would have no effect. They are switched off all the same.
  private static let settings = """
    <?xml version="1.0"?>
    <!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
    <fontconfig>
      <match target="pattern">
        <edit name="antialias" mode="assign"><bool>true</bool></edit>
        <edit name="hinting" mode="assign"><bool>false</bool></edit>
        <edit name="hintstyle" mode="assign"><const>hintnone</const></edit>
        <edit name="autohint" mode="assign"><bool>false</bool></edit>
        <edit name="rgba" mode="assign"><const>none</const></edit>
        <edit name="embeddedbitmap" mode="assign"><bool>false</bool></edit>
      </match>
      <match target="font">
        <test name="weight" compare="less_eq"><const>medium</const></test>
        <test target="pattern" name="weight" compare="more_eq"><const>bold</const></test>
        <edit name="embolden" mode="assign"><bool>true</bool></edit>
        <edit name="weight" mode="assign"><const>bold</const></edit>
      </match>
    </fontconfig>
    """
}
