package import MediaTime

/// An animated GIF. Each picture has a palette of its own, of the 256 colours that fit it best, so it depends on no other picture.
package struct GIF: VideoCoder {
  /// The way in which colours between those of the palette are mixed.
  package enum Dither: String, Hashable, Sendable, CaseIterable {
    /// The nearest colour.
    case none
    /// An ordered pattern, which stands still while the picture does.
    case bayer
    /// The error is given on to the neighbours (Sierra's filter, lite).
    case sierra
  }

  package var dither: Dither

  package init(dither: Dither = .bayer) { self.dither = dither }

  package var fileTypes: [FileType] { [.gif] }
  package var isLossless: Bool { false }
  package var fieldObjection: String? { "gif has no fields" }
  package var needsEvenSides: Bool { false }
  package var bitDepths: [Int] { [8] }
  package var chroma: ChromaSampling { .yuv444 }
  package func color(_ tags: ColorTags) -> ColorTags { ColorTags(tags.primaries, tags.transfer, tags.matrix, .full) }
  /// A pixel is seen or not: it is where half of it is covered.
  package var alphaBitDepths: [Int] { [8] }
  package func alphaBits(_: Int) -> Int { 1 }
  package var palette: Dither? { dither }
  package var keys: [CodecKey] { [CodecKey(name: "dither", form: .word(Dither.allCases.map(\.rawValue)))] }

  package subscript(key: String) -> CodecKey.Value? {
    get { key == "dither" ? .word(dither.rawValue) : nil }
    set {
      if case ("dither", .word(let word)) = (key, newValue) { dither = Dither(rawValue: word) ?? dither }
    }
  }

  package var secondsPerPixel: Double { 90e-9 }
  package var workWords: [String] { [dither.rawValue] }

  package var encoderName: String { "gif" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  package func keyInterval(_: MediaTime) -> Int64 { 1 }
  /// Pictures are whole, and refer to no palette of the file.
  package func options(for _: EncodedPicture) -> [String: String] { ["gifflags": "0", "global_palette": "0"] }
}
