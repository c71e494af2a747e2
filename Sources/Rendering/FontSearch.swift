internal import Drawing
package import Messages

/// Which fonts are on this machine.
package enum FontSearch {
  /// Those of the wanted fonts whose very files are installed, by their tags; what is no font's tag is not found.
  ///
  /// - Throws: `Failure` when the machine's fonts cannot be listed.
  package static func found(_ wanted: [String]) throws(Failure) -> [String] {
    do {
      let fonts = try InstalledFonts()
      return FontFiles().found(wanted.compactMap { FontTag($0) }, in: fonts) { ($0.byteCount, $0.digest) }.map(\.tag)
    } catch { throw Failure(classifying: error) }
  }
}
