package import MediaTime

/// PNG: each picture on its own, in red, green and blue, which is lossless. Animations (APNG) and sequences of pictures are made of it.
package struct PNG: VideoCoder {
  package init() {}

  package var fileTypes: [FileType] { [.apng, .pngSequence] }
  package var isLossless: Bool { true }
  package var fieldObjection: String? { "png has no fields" }
  package var needsEvenSides: Bool { false }
  package var chroma: ChromaSampling { .rgb }
  package func color(_ tags: ColorTags) -> ColorTags { ColorTags(tags.primaries, tags.transfer, .rgb, .full) }
  /// Pictures of ten bits are stored in 16.
  package var packing: PixelPacking? { .rgb }
  package var alphaBitDepths: [Int] { bitDepths }
  package func alphaBits(_ bitDepth: Int) -> Int { bitDepth > 8 ? 16 : 8 }
  package var keys: [CodecKey] { [] }

  package subscript(_: String) -> CodecKey.Value? {
    get { nil }
    set {}
  }

  package var secondsPerPixel: Double { 150e-9 }
  package var workWords: [String] { [] }

  package var encoderName: String { "png" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  package func keyInterval(_: MediaTime) -> Int64 { 1 }
  /// Each row is predicted in the way that suits it best.
  package func options(for _: EncodedPicture) -> [String: String] { ["pred": "mixed"] }
}
