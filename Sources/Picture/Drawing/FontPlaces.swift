internal import CPango

/// The places where fontconfig, as it is set up for this process, looks for fonts.
package enum FontPlaces {
  /// The absolute paths of fontconfig's settings, its font folders and its caches. Some may not exist.
  package static var all: [String] {
    // When the settings cannot be read, there are no places, and drawing reports the error.
    guard let settings = unsafe FcInitLoadConfig() else { return [] }
    defer { unsafe FcConfigDestroy(settings) }
    return unsafe [FcConfigGetConfigFiles(settings), FcConfigGetFontDirs(settings), FcConfigGetCacheDirs(settings)]
      .flatMap { unsafe strings($0) }
  }

  /// The strings of the list, which this function releases.
  private static func strings(_ list: OpaquePointer?) -> [String] {
    guard let list = unsafe list else { return [] }
    defer { unsafe FcStrListDone(list) }
    var strings: [String] = []
    while let text = unsafe FcStrListNext(list) { strings.append(unsafe String(cString: text)) }
    return strings
  }
}
