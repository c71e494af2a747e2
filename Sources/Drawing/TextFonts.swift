internal import CPango

/// Some faces of some files, and no other font: what a text is drawn with.
///
/// Fontconfig is set up here with these alone, and with what is written below. What the machine says of fonts elsewhere, of substitutes,
/// hinting and smoothing, does not count. For one thread at a time.
// Safe: the map is owned, set once, and released once.
@safe final class TextFonts {
  /// Of Pango.
  let map: UnsafeMutablePointer<PangoFontMap>
  /// In order of preference.
  let families: [String]
  private let files: [(path: String, identity: FontFiles.Identity)]

  /// A face and the file that it was found in.
  struct Located {
    var path: String
    var index: Int
    var identity: FontFiles.Identity
  }

  /// - Parameter faces: of each of the families, in their order.
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

  /// - Throws: `DrawingError.fontUnreadable` when a file is not what it was when it was found.
  func requireUnchanged() throws(DrawingError) {
    for file in files where FontFiles.identity(of: file.path) != file.identity {
      throw .fontUnreadable(file.path, "changed while it was used")
    }
  }

  /// A file may hold faces that nobody asked for, such as another weight.
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

  /// A face that is not bold is made so where a text is (as fontconfig's own 90-synthetic.conf does). Outlines are drawn, so that neither
  /// hinting nor smoothing would show; that they are off is said nevertheless.
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
