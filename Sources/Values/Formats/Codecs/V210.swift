package import MediaTime

/// Uncompressed 4:2:2 of 10 bits, as QuickTime packs it: three samples into 32 bits.
package struct V210: VideoCoder {
  package init() {}

  package var fileTypes: [FileType] { [.mov] }
  package var isLossless: Bool { true }
  package var fieldObjection: String? { nil }
  package var needsEvenSides: Bool { true }
  package var bitDepths: [Int] { [10] }
  package var chroma: ChromaSampling { .yuv422 }
  package var keys: [CodecKey] { [] }
  package subscript(_: String) -> CodecKey.Value? {
    get { nil }
    set {}
  }

  package var secondsPerPixel: Double { 4e-9 }
  package var workWords: [String] { [] }

  package var encoderName: String { "v210" }
  package var threads: Int32? { nil }
  package var level: Int32? { nil }
  package func keyInterval(_: MediaTime) -> Int64 { 1 }
  package func options(for _: EncodedPicture) -> [String: String] { [:] }
}
