internal import Drawing
package import Messages

/// Searches this machine for fonts.
package enum FontSearch {
  /// The wanted fonts whose very files are installed. Fonts are named by their tags. A text that is no font's tag is not found.
  ///
  /// - Throws: `Failure` when the machine's fonts cannot be listed.
  package static func found(_ wanted: [String]) throws(Failure) -> [String] {
    do {
      let fonts = try InstalledFonts()
      return FontFiles().found(wanted.compactMap { FontTag($0) }, in: fonts) { ($0.byteCount, $0.digest) }.map(\.tag)
    } catch { throw Failure(classifying: error) }
  }
}
