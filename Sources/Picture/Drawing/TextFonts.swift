internal import CPango
internal import CTextTurn
internal import Timeline

/// The faces that a text is drawn with. No other font is used.
///
/// Fontconfig is set up here with these faces and the settings below alone. The machine's own settings, for example for
/// substitutes, hinting and smoothing, do not count. Not for use by two threads at the same time.
// @safe: the map is owned, set once and released once.
@safe final class TextFonts {
  /// Pango's font map.
  let map: UnsafeMutablePointer<PangoFontMap>
  /// The names under which Pango knows the faces of each typeface, in order of preference.
  private let names: [Typeface: [String]]
  /// The families by these names.
  private let families: [String: String]
  private let files: [(path: String, identity: FontFiles.Identity)]

  /// A face and the identity of the file in which it was found.
  struct Located {
    var path: String
    var index: Int
    var identity: FontFiles.Identity
  }

  /// - Parameter wishes: the typefaces, each once, and the faces of its families in their order.
  init(_ wishes: [(typeface: Typeface, faces: [Located])]) throws(DrawingError) {
    guard let config = unsafe FcConfigCreate() else { throw .outOfMemory(call: "FcConfigCreate") }
    // The map holds another reference.
    defer { unsafe FcConfigDestroy(config) }
    var files: [(path: String, identity: FontFiles.Identity)] = []
    for face in wishes.flatMap(\.faces) where !files.contains(where: { $0.path == face.path }) {
      let isAdded = unsafe face.path.withCString(encodedAs: UTF8.self) { unsafe FcConfigAppFontAddFile(config, $0) != 0 }
      guard isAdded else { throw .fontUnreadable(face.path, "is no font that can be read") }
      files.append((face.path, face.identity))
    }
    var (names, families): ([Typeface: [String]], [String: String]) = ([:], [:])
    for (number, wish) in wishes.enumerated() {
      let own = wish.faces.indices.map { "spool-\(number)-\($0)" }
      names[wish.typeface] = own
      for (name, family) in zip(own, wish.typeface.families) { families[name] = family }
    }
    let pictures = unsafe Self.name(wishes.flatMap { zip($0.faces, names[$0.typeface] ?? []) }, in: config)
    let settings = Self.settings(emoji: pictures + wishes.flatMap { names[$0.typeface] ?? [] }.filter { !pictures.contains($0) })
    guard unsafe FcConfigParseAndLoadFromMemory(config, settings, 0) != 0 else {
      throw .outOfMemory(call: "FcConfigParseAndLoadFromMemory")
    }
    guard let map = unsafe pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT) else {
      throw .outOfMemory(call: "pango_cairo_font_map_new_for_font_type")
    }
    unsafe pango_fc_font_map_set_config(OpaquePointer(map), config)
    unsafe self.map = map
    (self.names, self.families, self.files) = (names, families, files)
  }

  deinit {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    unsafe g_object_unref(UnsafeMutableRawPointer(map))
  }

  /// - Throws: `DrawingError.fontUnreadable` when a file has changed since it was found.
  func requireUnchanged() throws(DrawingError) {
    for file in files where FontFiles.identity(of: file.path) != file.identity {
      throw .fontUnreadable(file.path, "changed while it was used")
    }
  }

  /// Whether there are faces of several typefaces, so that Pango may take one for another.
  var areShared: Bool { names.count > 1 }

  /// The names of a typeface's faces, in order of preference.
  func names(of typeface: Typeface) -> [String] { names[typeface] ?? [] }

  /// The family of a face that Pango has chosen.
  func family(named name: String) -> String { families[name] ?? name }

  /// Leaves the faces that were asked for, each with a family name of its own. So a run finds its own faces by their names, and
  /// a face that several runs ask for differently has several.
  ///
  /// - Returns: the names of those that hold pictures instead of outlines.
  private static func name(_ faces: [(face: Located, name: String)], in config: OpaquePointer) -> [String] {
    guard let set = unsafe FcConfigGetFonts(config, FcSetApplication) else { return [] }
    let loaded = unsafe (0..<Int(set.pointee.nfont)).compactMap { unsafe set.pointee.fonts[$0] }
    unsafe set.pointee.nfont = 0
    var pictures: [String] = []
    for (face, name) in faces {
      // A variable font has two patterns of one index: one of all weights, and one of its usual weight.
      for number in unsafe loaded.indices {
        let pattern = unsafe loaded[number]
        guard unsafe pattern.path == face.path, unsafe pattern.index == face.index else { continue }
        guard let copy = unsafe FcPatternDuplicate(pattern) else { continue }
        unsafe FcPatternDel(copy, FC_FAMILY)
        unsafe FcPatternDel(copy, FC_FAMILYLANG)
        _ = unsafe name.withCString(encodedAs: UTF8.self) { unsafe FcPatternAddString(copy, FC_FAMILY, $0) }
        if unsafe !copy.bool(FC_OUTLINE), !pictures.contains(name) { pictures.append(name) }
        _ = unsafe FcFontSetAdd(set, copy)
      }
    }
    for number in unsafe loaded.indices { unsafe FcPatternDestroy(loaded[number]) }
    return pictures
  }

  /// The settings. A face that is not bold is emboldened where the text is bold, and one that is upright is slanted where the text
  /// is not (as fontconfig's own 90-synthetic.conf does). Outlines are drawn without hinting. Fonts of pictures are scaled (as
  /// 10-scale-bitmap-fonts.conf does).
  ///
  /// - Parameter emoji: the names of faces in the order in which emoji are looked for. Pango asks for them by the name "emoji".
  private static func settings(emoji: [String]) -> String {
    """
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
      <match target="pattern">
        <test name="family"><string>emoji</string></test>
        <edit name="family" mode="prepend" binding="strong">\(emoji.map { "<string>\($0)</string>" }.joined())</edit>
      </match>
      <match target="font">
        <test name="weight" compare="less_eq"><const>medium</const></test>
        <test target="pattern" name="weight" compare="more_eq"><const>bold</const></test>
        <test name="outline"><bool>true</bool></test>
        <edit name="embolden" mode="assign"><bool>true</bool></edit>
        <edit name="weight" mode="assign"><const>bold</const></edit>
      </match>
      <match target="font">
        <test name="slant"><const>roman</const></test>
        <test target="pattern" name="slant" compare="not_eq"><const>roman</const></test>
        <test name="outline"><bool>true</bool></test>
        <edit name="matrix" mode="assign"><times><name>matrix</name>
          <matrix><double>1</double><double>0.2</double><double>0</double><double>1</double></matrix></times></edit>
        <edit name="slant" mode="assign"><const>oblique</const></edit>
      </match>
      <match target="font">
        <test name="outline"><bool>false</bool></test>
        <edit name="embeddedbitmap" mode="assign"><bool>true</bool></edit>
        <edit name="pixelsizefixupfactor" mode="assign">
          <divide><name target="pattern">pixelsize</name><name target="font">pixelsize</name></divide></edit>
        <edit name="matrix" mode="assign"><times><name>matrix</name>
          <matrix><name>pixelsizefixupfactor</name><double>0</double><double>0</double><name>pixelsizefixupfactor</name></matrix>
        </times></edit>
        <edit name="size" mode="assign"><divide><name>size</name><name>pixelsizefixupfactor</name></divide></edit>
      </match>
    </fontconfig>
    """
  }
}
