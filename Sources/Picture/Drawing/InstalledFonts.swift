internal import CPango
internal import Timeline

/// The fonts of this machine, as fontconfig is set up for this process, or the fonts of some folders, or a face of one file.
///
/// Only outline fonts of the kinds that Pango draws count: TrueType and CFF. Not for use by two threads at the same time.
// @safe: the configuration is owned, set once and released once. Its patterns are used while it lives.
@safe package final class InstalledFonts {
  private let config: OpaquePointer
  private let patterns: [OpaquePointer]

  /// A face in an installed font file.
  struct Face: Hashable {
    let path: String
    /// The number of the face in the file, as fontconfig counts.
    let index: Int
    /// The full name of the face, in English where the file has that.
    let name: String
    let isVariable: Bool
  }

  /// The number of faces that can be drawn with.
  package var faceCount: Int { unsafe patterns.count }

  /// - Parameter folders: the folders with the fonts; nil for the machine's own.
  package convenience init(folders: [String]? = nil) throws(DrawingError) {
    guard let config = unsafe folders == nil ? FcInitLoadConfigAndFonts() : FcConfigCreate() else {
      throw .outOfMemory(call: "FcInitLoadConfigAndFonts")
    }
    for folder in folders ?? [] {
      // A folder that cannot be read has no fonts.
      _ = unsafe folder.withCString(encodedAs: UTF8.self) { unsafe FcConfigAppFontAddDir(config, $0) }
    }
    unsafe self.init(config) { unsafe $0.isDrawable }
  }

  /// A face of a font file, with its named instances.
  ///
  /// - Throws: `DrawingError.fontUnreadable` when there is no such face.
  convenience init(file path: String, face: Int) throws(DrawingError) {
    guard let config = unsafe FcConfigCreate() else { throw .outOfMemory(call: "FcConfigCreate") }
    _ = unsafe path.withCString(encodedAs: UTF8.self) { unsafe FcConfigAppFontAddFile(config, $0) }
    // The upper half of an index counts the instances of a variable font.
    unsafe self.init(config) { unsafe $0.isDrawable && $0.index & 0xffff == face }
    guard faceCount > 0 else { throw .fontUnreadable(path, "is no font that can be read") }
  }

  /// Takes a configuration with all those of its fonts that are asked for.
  private init(_ config: OpaquePointer, where isAskedFor: (OpaquePointer) -> Bool) {
    var patterns: [OpaquePointer] = unsafe []
    for name in [FcSetSystem, FcSetApplication] {
      guard let set = unsafe FcConfigGetFonts(config, name)?.pointee else { continue }
      for number in unsafe 0..<Int(set.nfont) {
        guard let pattern = unsafe set.fonts[number], unsafe isAskedFor(pattern) else { continue }
        unsafe patterns.append(pattern)
      }
    }
    unsafe self.config = config
    // The patterns are sorted by path, because the first of equally suitable faces is taken. Their order in the machine's folders
    // must not count.
    unsafe self.patterns = patterns.sorted { unsafe ($0.path ?? "", $0.index) < ($1.path ?? "", $1.index) }
  }

  deinit { unsafe FcConfigDestroy(config) }

  /// The paths of all font files, sorted.
  var paths: [String] { Set(unsafe patterns.compactMap { unsafe $0.path }).sorted() }

  /// The first names of all families, sorted.
  var families: [String] { Set(unsafe patterns.compactMap { unsafe $0.text(FC_FAMILY) }).sorted() }

  /// The face of a family that is nearest to the wish: first by its slant, then by its width and weight. Nil when no family has
  /// exactly this name, except for upper and lower case. Aliases such as "sans-serif" do not count, because they mean other fonts on
  /// other machines.
  ///
  /// - Parameter family: nil for all fonts that there are.
  func face(family: String?, _ wish: Typeface) -> Face? {
    let candidates = unsafe patterns.filter { pattern in family.map { unsafe pattern.belongs(to: $0) } ?? true }
    guard unsafe !candidates.isEmpty, let set = unsafe FcFontSetCreate(), let wanted = unsafe FcPatternCreate() else {
      return nil
    }
    defer {
      unsafe FcFontSetDestroy(set)
      unsafe FcPatternDestroy(wanted)
    }
    for number in unsafe candidates.indices {
      unsafe FcPatternReference(candidates[number])
      _ = unsafe FcFontSetAdd(set, candidates[number])
    }
    // The pattern has nothing else. The machine's own values, such as a language, would be used for what is left out.
    _ = unsafe FcPatternAddDouble(wanted, FC_WEIGHT, FcWeightFromOpenTypeDouble(Double(wish.weight)))
    _ = unsafe FcPatternAddInteger(wanted, FC_SLANT, wish.slant.fontconfig)
    // Fontconfig counts widths in percent.
    _ = unsafe FcPatternAddInteger(wanted, FC_WIDTH, Int32(wish.stretch.rounded()))
    if !wish.axes.isEmpty { _ = unsafe FcPatternAddBool(wanted, FC_VARIABLE, 1) }
    var sets: UnsafeMutablePointer<FcFontSet>? = unsafe set
    var result = FcResultMatch
    guard let found = unsafe FcFontSetMatch(config, &sets, 1, wanted, &result) else { return nil }
    defer { unsafe FcPatternDestroy(found) }
    guard let path = unsafe found.path else { return nil }
    return unsafe Face(
      path: path, index: found.index, name: found.englishName ?? family ?? "", isVariable: found.bool(FC_VARIABLE))
  }

  /// The characters that none of the fonts has.
  func lacks(_ scalars: Set<Unicode.Scalar>) -> [Unicode.Scalar] {
    scalars.filter { scalar in unsafe !patterns.contains { unsafe $0.has(scalar) } }
  }

  /// The first families, by their names, that have all of these characters.
  func families(having scalars: [Unicode.Scalar], most: Int = 3) -> [String] {
    let having = unsafe patterns.filter { pattern in scalars.allSatisfy { unsafe pattern.has($0) } }
    return Array(Set(unsafe having.compactMap { unsafe $0.text(FC_FAMILY) }).sorted().prefix(most))
  }
}

/// The properties of a face, from fontconfig's pattern of it.
extension OpaquePointer {
  /// The text of a property. When there are several, the one at `number`.
  @unsafe func text(_ property: String, _ number: Int32 = 0) -> String? {
    var value: UnsafeMutablePointer<FcChar8>?
    guard unsafe FcPatternGetString(self, property, number, &value) == FcResultMatch, let value = unsafe value else { return nil }
    return unsafe String(cString: value)
  }

  @unsafe var path: String? { unsafe text(FC_FILE) }

  @unsafe var index: Int {
    var value: Int32 = 0
    return unsafe FcPatternGetInteger(self, FC_INDEX, 0, &value) == FcResultMatch ? Int(value) : 0
  }

  @unsafe func bool(_ property: String) -> Bool {
    var value: FcBool = 0
    return unsafe FcPatternGetBool(self, property, 0, &value) == FcResultMatch && value == 1
  }

  @unsafe var isDrawable: Bool { unsafe ["TrueType", "CFF"].contains(text(FC_FONTFORMAT)) }

  @unsafe fileprivate func belongs(to family: String) -> Bool {
    var number: Int32 = 0
    while let name = unsafe text(FC_FAMILY, number) {
      if unsafe FcStrCmpIgnoreCase(name, family) == 0 { return true }
      number += 1
    }
    return false
  }

  @unsafe var englishName: String? {
    var number: Int32 = 0
    while let language = unsafe text(FC_FULLNAMELANG, number) {
      if language == "en" { return unsafe text(FC_FULLNAME, number) }
      number += 1
    }
    return unsafe text(FC_FULLNAME) ?? text(FC_FAMILY)
  }

  @unsafe fileprivate func has(_ scalar: Unicode.Scalar) -> Bool {
    var characters: OpaquePointer?
    guard unsafe FcPatternGetCharSet(self, FC_CHARSET, 0, &characters) == FcResultMatch else { return false }
    return unsafe FcCharSetHasChar(characters, scalar.value) != 0
  }
}

extension TextContent.Slant {
  fileprivate var fontconfig: Int32 {
    switch self {
    case .normal: FC_SLANT_ROMAN
    case .italic: FC_SLANT_ITALIC
    case .oblique: FC_SLANT_OBLIQUE
    }
  }
}
