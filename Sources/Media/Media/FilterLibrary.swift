internal import CFFmpeg

/// libavfilter, which is loaded when it is first needed: pictures with fields, and palettes. Any thread may ask for it.
package enum FilterLibrary {
  /// Whether the library is there. It stays loaded.
  package static var isThere: Bool { unsafe loaded != nil }

  /// The library's functions.
  ///
  /// - Throws: `MediaError` `unsupported` where it is not installed.
  static func calls(at place: String) throws(MediaError) -> UnsafeMutablePointer<spool_filter_calls> {
    guard let loaded = unsafe loaded else {
      throw MediaError(
        .unsupported, at: place, "FFmpeg's filters, libavfilter.so.\(LIBAVFILTER_VERSION_MAJOR), are not installed here")
    }
    return unsafe loaded
  }

  // nonisolated(unsafe): it is set once, and what it points to is never changed.
  private nonisolated(unsafe) static let loaded = unsafe spool_load_filters()
}
