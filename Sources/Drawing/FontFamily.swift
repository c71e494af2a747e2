internal import CPango

enum FontFamily {
  /// Whether fontconfig lists a family of exactly this name, case aside: aliases such as "sans-serif" are other names
  /// on other machines, so they are no fonts.
  static func isInstalled(_ name: String) -> Bool {
    let pattern = unsafe FcPatternCreate()
    defer { unsafe FcPatternDestroy(pattern) }
    let family = unsafe FcObjectSetCreate()
    defer { unsafe FcObjectSetDestroy(family) }
    let isListed = unsafe name.withCString(encodedAs: UTF8.self) { name in
      unsafe FcPatternAddString(pattern, FC_FAMILY, name) != 0 && FcObjectSetAdd(family, FC_FAMILY) != 0
    }
    guard isListed, let fonts = unsafe FcFontList(nil, pattern, family) else { return false }
    defer { unsafe FcFontSetDestroy(fonts) }
    return unsafe fonts.pointee.nfont > 0
  }
}
