package import MediaTime

/// TIFF: each picture on its own, in red, green and blue, packed by LZW without loss.
package struct TIFF: VideoCoder {
  package init() {}

  package var fileTypes: [FileType] { [.tiffSequence] }
  package var isLossless: Bool { true }
  package var fieldObjection: String? { "tiff has no fields" }
  package var needsEvenSides: Bool { false }
  package var chroma: ChromaSampling { .rgb }
  package func color(_ tags: ColorTags) -> ColorTags { ColorTags(tags.primaries, tags.transfer, .rgb, .full) }
  /// Pictures of ten bits are stored in 16.
  package var packing: PixelPacking? { .rgbLowByteFirst }
  package var alphaBitDepths: [Int] { bitDepths }
  package func alphaBits(_ bitDepth: Int) -> Int { bitDepth > 8 ? 16 : 8 }
  package var keys: [CodecKey] { [] }

  package subscript(_: String) -> CodecKey.Value? {
    get { nil }
    set {}
  }

  package var secondsPerPixel: Double { 90e-9 }
  package var workWords: [String] { [] }

  package var encoderName: String { "tiff" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  package func keyInterval(_: MediaTime) -> Int64 { 1 }
  package func options(for _: EncodedPicture) -> [String: String] { ["compression_algo": "lzw"] }
}
