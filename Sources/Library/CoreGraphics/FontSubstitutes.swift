internal import Synchronization

/// The fonts that stand for those of Apple's systems, which are not free. Their letters are as wide, so that lines break at the same
/// words; their heights and shapes differ. Where the font itself is installed, nothing stands for it.
package enum FontSubstitutes {
  /// The families by the names of Apple's, in small letters and without spaces. Helvetica Neue and the interface's font (San Francisco)
  /// have no free font of their widths; Liberation Sans is the nearest one.
  private static let families: [String: String] = [
    "helvetica": "Liberation Sans", "helveticaneue": "Liberation Sans", "arial": "Liberation Sans",
    ".sfui": "Liberation Sans", ".sfuitext": "Liberation Sans", ".sfuidisplay": "Liberation Sans",
    ".applesystemuifont": "Liberation Sans", "sfprotext": "Liberation Sans", "sfprodisplay": "Liberation Sans",
    "times": "Liberation Serif", "timesnewroman": "Liberation Serif", "timesnewromanps": "Liberation Serif",
    "courier": "Liberation Mono", "couriernew": "Liberation Mono", "couriernewps": "Liberation Mono",
    "menlo": "DejaVu Sans Mono",
  ]

  private static let told = Mutex<Set<String>>([])

  /// The family that stands for a font of Apple's systems, whether it is installed or not; nil for other names.
  ///
  /// - Parameter name: a family's name, or the first part of a face's, such as "Helvetica" and "ArialMT".
  package static func family(for name: String) -> String? {
    let plain = name.lowercased().filter { $0 != " " }
    return families[plain] ?? (plain.hasSuffix("mt") ? families[String(plain.dropLast(2))] : nil)
  }

  /// Tells on the standard error that a font stands for another one, once for each.
  package static func tell(_ family: String, for name: String) {
    guard told.withLock({ $0.insert(name).inserted }) else { return }
    FileHandle.standardError.write(Data("font '\(name)' is not installed: '\(family)' stands for it\n".utf8))
  }
}
