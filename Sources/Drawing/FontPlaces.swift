internal import CPango

/// Where fontconfig, as it is set up for this process, looks for fonts.
package enum FontPlaces {
  /// Absolute paths: its settings, the folders of fonts, what it remembers of them. Some may not exist.
  package static var all: [String] {
    // Settings that cannot be read have no places; drawing tells of it.
    guard let settings = unsafe FcInitLoadConfig() else { return [] }
    defer { unsafe FcConfigDestroy(settings) }
    return unsafe [FcConfigGetConfigFiles(settings), FcConfigGetFontDirs(settings), FcConfigGetCacheDirs(settings)]
      .flatMap { unsafe strings($0) }
  }

  /// Takes the list over.
  private static func strings(_ list: OpaquePointer?) -> [String] {
    guard let list = unsafe list else { return [] }
    defer { unsafe FcStrListDone(list) }
    var strings: [String] = []
    while let text = unsafe FcStrListNext(list) { strings.append(unsafe String(cString: text)) }
    return strings
  }
}
